"""Manifests: TOML files that declare a program as an engine of a game."""

import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from dealmill.pipeline.errors import ProgramError
from dealmill.pipeline.printable import printable
from dealmill.pipeline.programs import AT_ONCE, PART_SECONDS

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Number = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z.]*$")]
Line = Annotated[str, StringConstraints(pattern=r"^[ -~]*$")]
Seconds = Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)]

State = tuple[tuple[int, int, int] | None, ...]

MOST_BYTES = 100_000
"""The size of the largest manifest."""


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
    command: Annotated[tuple[str, ...], Field(min_length=1, strict=False)]
    """The program and its arguments. Relative paths start at the folder of the manifest."""
    files: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Other files that the verdicts depend on."""
    seconds: Seconds = 10.0
    """The longest time for one layout."""
    memory: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """The most memory, in megabytes of address space."""
    handshake_seconds: Seconds = 10.0
    """The longest time from the start to the first line."""


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

    @property
    def longest(self) -> float:
        """The most seconds for a job: each layout may be tried twice, and the program started each time."""
        return PART_SECONDS + 2 * AT_ONCE * (self.manifest.seconds + self.manifest.handshake_seconds)

    def state(self) -> State:
        """Return what changes if one of the files is replaced or written to: cheaper than a digest."""
        return tuple(map(state_of, self.files))

    def version(self) -> str:
        """Return the version on record: that of the program, and 12 digits of a digest of what it consists of.

        The digest is the SHA-256 of the digests of the words of the command, and of the files.

        Raises
        ------
        ProgramError
            If a file cannot be read.
        """
        digest = sha256()
        for word in self.manifest.command:
            digest.update(sha256(word.encode()).digest())
        try:
            for file in self.files:
                digest.update(sha256(file.read_bytes()).digest())
        except OSError as error:
            raise ProgramError(f"{self.path}: {error.filename} cannot be read: {error.strerror}") from error
        return f"{self.manifest.version}+{digest.hexdigest()[:12]}"


def state_of(path: Path) -> tuple[int, int, int] | None:
    """Return what changes if a file or the entries of a folder change; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_program(path: Path) -> Program:
    """Read a manifest.

    Raises
    ------
    ProgramError
        If it cannot be used.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ProgramError(f"{path} is longer than {MOST_BYTES:,} bytes, so it is not a manifest")
        manifest = Manifest.model_validate(tomllib.loads(text.decode()))
    except OSError as error:
        raise ProgramError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProgramError(f"{path} is not a TOML file: {error}") from error
    except ValidationError as error:
        raise ProgramError(f"{path}: {'; '.join(_objections(error))}") from error
    return Program(path, manifest, tuple(_files(path, manifest)))


def _objections(error: ValidationError) -> Iterator[str]:
    for each in error.errors():
        where = ".".join(map(str, each["loc"]))
        yield printable(f"{where}: {each['msg']}")


def _files(path: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield the executable file of a program, the files among its arguments, and those in `files`."""
    word, *arguments = manifest.command
    executable = shutil.which(path.parent / word if "/" in word else word)
    if executable is None:
        where = f"in {path.parent}" if "/" in word else "on PATH"
        raise ProgramError(f"{path}: command: there is no executable file {printable(word)} {where}")
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
