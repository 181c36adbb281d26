"""Manifests: TOML files that declare a program as an engine of a game."""

import re
import shutil
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from dealmill.pipeline.errors import ProgramError
from dealmill.pipeline.printable import printable

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Number = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z.]*$")]
Line = Annotated[str, StringConstraints(pattern=r"^[ -~]*$")]
Word = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
Seconds = Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)]

State = tuple[tuple[int, int, int] | None, ...]

MAX_BYTES = 100_000
"""The size of the largest manifest."""
MAX_FILE_BYTES = 1_000_000_000
"""The size of all files of a program together: their digest is computed whenever it is started."""
CHUNK = 1 << 20
STRINGS = re.compile(
    r'''"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'{3}.*?(?:'{3,5}|\Z)|"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|\#[^\n]*''', re.DOTALL
)
"""Strings and comments of TOML; those without an end extend as far as the parser would read them."""
MAX_SIGNS = 100
"""The most brackets, and the most dots, of a manifest outside strings. A manifest has a few of each, and Python's
parser takes minutes for a key of 20,000 parts."""
DIGITS = re.compile(r"\d[\d_]{29}")
MAX_OBJECTIONS = 5


class Manifest(BaseModel):
    """The content of a manifest."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    game: Name
    name: Name
    """The name of the engine in its game."""
    version: Number
    """The version that the program itself reports."""
    summary: Line = "a program"
    checked_as: Name | None = None
    """The engine of the game whose task the program does; the referee checks its verdicts as those of this engine."""
    complete: bool = True
    """Whether it decides every layout if there is no node limit."""
    command: Annotated[tuple[Word, ...], Field(min_length=1, strict=False)]
    """The program and its arguments. Relative paths start at the folder of the manifest."""
    files: Annotated[tuple[Word, ...], Field(strict=False)] = ()
    """Other files that the verdicts depend on."""
    seconds: Seconds = 10.0
    """The longest time for one layout."""
    memory: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """The most address space of each of its processes, in megabytes."""
    handshake_seconds: Seconds = 10.0
    """The longest time from the start to the first line."""
    same_failures: Annotated[int, Field(ge=2, le=1_000_000_000)] = 50
    """The number of layouts in a row on which it fails in the same way after which it is not asked any more."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program as declared by the manifest at `path`. `files` are the files that its verdicts depend on."""

    path: Path
    manifest: Manifest
    files: tuple[Path, ...]

    @property
    def full_name(self) -> str:
        """The full name of the engine."""
        return f"{self.manifest.game}/{self.manifest.name}"

    @property
    def command(self) -> list[str]:
        """The command line, with the path of the executable file."""
        return [str(self.files[0]), *self.manifest.command[1:]]

    def state(self) -> State:
        """Return what changes if one of the files is replaced or written to: cheaper than a digest."""
        return tuple(map(state_of, self.files))

    def version(self) -> str:
        """Return the version on record: that of the program, and 12 digits of a digest of what it consists of.

        The digest is the SHA-256 of the digests of the words of the command, and of the files.

        Raises
        ------
        ProgramError
            If a file cannot be read, or the files are too large.
        """
        digest = sha256()
        for word in self.manifest.command:
            digest.update(sha256(word.encode()).digest())
        left = MAX_FILE_BYTES
        for path in self.files:
            of_file = sha256()
            with _regular(path, f"{self.path}: ") as file:
                for chunk in iter(partial(file.read, CHUNK), b""):
                    of_file.update(chunk)
                    if (left := left - len(chunk)) < 0:
                        raise _too_large(self.path)
            digest.update(of_file.digest())
        return f"{self.manifest.version}+{digest.hexdigest()[:12]}"


def state_of(path: Path) -> tuple[int, int, int] | None:
    """Return what changes if a file or the entries of a folder change; None if it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_program(path: Path) -> Program:
    """Read a manifest.

    Raises
    ------
    ProgramError
        If it cannot be used.
    """
    with _regular(path) as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ProgramError(f"{path} is longer than {MAX_BYTES:,} bytes, so it is not a manifest")
    try:
        manifest = Manifest.model_validate(_parsed(path, text.decode()))
    except ValidationError as error:  # which is a ValueError
        raise ProgramError(f"{path}: {_objections(error)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProgramError(f"{path} is not a TOML file: {error}") from error
    files = tuple(_files(path, manifest))
    if sum(file.stat().st_size for file in files) > MAX_FILE_BYTES:
        raise _too_large(path)
    return Program(path, manifest, files)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    """Parse the TOML of a manifest. What would take the parser long, or exhaust its stack, is refused before."""
    bare_text = STRINGS.sub("", text)
    if max(bare_text.count("[") + bare_text.count("{"), bare_text.count(".")) > MAX_SIGNS or DIGITS.search(bare_text):
        raise ProgramError(
            f"{path} has more than {MAX_SIGNS} brackets or dots, or a number of 30 digits, so it is not a manifest"
        )
    return tomllib.loads(text)


@contextmanager
def _regular(path: Path, where: str = "") -> Iterator[BinaryIO]:
    """Open a file. Nothing is waited for: a pipe, a device or a folder is refused.

    Raises
    ------
    ProgramError
        If it is not a regular file or cannot be read; the message begins with `where`.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ProgramError(f"{where}{path} is not a regular file")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise ProgramError(f"{where}{path} cannot be read: {error.strerror}") from error


def _too_large(path: Path) -> ProgramError:
    return ProgramError(f"{path}: its files are larger than {MAX_FILE_BYTES // 1_000_000:,} MB together")


def _objections(error: ValidationError) -> str:
    errors = error.errors()
    texts = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in errors[:MAX_OBJECTIONS]]
    more = len(errors) - len(texts)
    return printable("; ".join([*texts, *([f"and {more:,} more"] if more else [])]))


def _files(path: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield the executable file of a program, the files among its arguments, and those in `files`."""
    word, *arguments = manifest.command
    executable = shutil.which(path.parent / word if "/" in word else word)
    if executable is None:
        where = f"in {path.parent}" if "/" in word else "on PATH"
        raise ProgramError(f"{path}: command: there is no executable file {printable(word)} {where}")
    if not _is_file(Path(executable)):
        raise ProgramError(f"{path}: command: {printable(word)} is not a regular file")
    yield Path(executable).absolute()
    yield from (file for word in arguments if _is_file(file := path.parent / word))
    for name in manifest.files:
        if not _is_file(file := path.parent / name):
            raise ProgramError(f"{path}: files: there is no file {printable(name)} in {path.parent}")
        yield file


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument that cannot be a path
        return False
