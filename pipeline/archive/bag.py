"""Bags in a zip file: files with their SHA-256, in the form of BagIt 1.0 (RFC 8493), which libraries use for archives.

The payload is below ``data/``, and `MANIFEST` lists it; all other files are about it, and `TAG_MANIFEST` lists those. A
zip file has all of them in one folder.
"""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, BinaryIO

from dealmill.pipeline.errors import InputError

PAYLOAD = "data/"
DECLARATION, INFO = "bagit.txt", "bag-info.txt"
MANIFEST, TAG_MANIFEST = "manifest-sha256.txt", "tagmanifest-sha256.txt"
VERSION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
MAX_TEXT_BYTES = 1 << 26
"""The most bytes of a manifest, and of any other file of a bag that is read as a whole."""
BLOCK_BYTES = 1 << 20
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that the same files are the same bag: the first one that a zip file can have."""


class BagWriter:
    """Writes a bag with all files in one `folder` to a zip file. It is complete when its ``with`` statement ends."""

    def __init__(self, file: BinaryIO, folder: str) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._folder = folder
        self._digests: dict[str, str] = {}
        self._bytes: dict[str, int] = {}

    @property
    def paths(self) -> list[str]:
        """The paths of the files that were written."""
        return [*self._digests]

    def copy(self, path: str, content: IO[bytes]) -> None:
        """Write a file with all that can be read from `content`."""
        self.write_blocks(path, iter(partial(content.read, BLOCK_BYTES), b""))

    def write(self, path: str, text: str) -> None:
        """Write a file with a text."""
        self.write_blocks(path, [text.encode()])

    def write_lines(self, path: str, lines: Iterable[str]) -> None:
        """Write a file with lines of text."""
        self.write_blocks(path, map(str.encode, lines))

    def write_blocks(self, path: str, blocks: Iterable[bytes]) -> None:
        """Write a file with these bytes."""
        entry = zipfile.ZipInfo(f"{self._folder}/{path}", FIXED_TIME)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        digest, size = sha256(), 0
        with self._zip.open(entry, "w", force_zip64=True) as file:
            for block in blocks:
                digest.update(block)
                size += len(block)
                file.write(block)
        self._digests[path], self._bytes[path] = digest.hexdigest(), size

    def __enter__(self) -> "BagWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._zip:
            if kind is None:
                self._write_manifests()

    def _write_manifests(self) -> None:
        """Write what makes the files a bag."""
        payload = [path for path in self._digests if path.startswith(PAYLOAD)]
        self.write(DECLARATION, VERSION)
        self.write(INFO, f"Payload-Oxum: {sum(self._bytes[path] for path in payload)}.{len(payload)}\n")
        self.write(MANIFEST, self._manifest(payload))
        self.write(TAG_MANIFEST, self._manifest([path for path in self._digests if not path.startswith(PAYLOAD)]))

    def _manifest(self, paths: list[str]) -> str:
        return "".join(f"{self._digests[path]}  {path}\n" for path in sorted(paths))


class Bag:
    """A bag in a zip file, opened for reading until its ``with`` statement ends.

    Raises
    ------
    InputError
        If it cannot be read, or is not a bag.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _reading(path):
            self._zip = zipfile.ZipFile(path)
        if any(entry.compress_type not in COMPRESSIONS for entry in self._zip.infolist()):
            self._zip.close()  # others unpack a small file to any size at once
            raise InputError(f"{path} has files in another compression than deflate")
        names = [name for name in self._zip.namelist() if not name.endswith("/")]
        folders = {name.partition("/")[0] for name in names}
        self.folder = folders.pop() if len(folders) == 1 else ""
        self.paths = [name.removeprefix(f"{self.folder}/") for name in names]
        if DECLARATION not in self.paths:
            self._zip.close()
            raise InputError(f"{path} is not an archive of runs: it has no {DECLARATION} in its only folder")

    def __enter__(self) -> "Bag":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def blocks(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file of the bag in blocks."""
        with _reading(self._path):
            file = self._zip.open(f"{self.folder}/{path}")
        with file:
            while True:
                with _reading(self._path):
                    block = file.read(BLOCK_BYTES)
                if not block:
                    return
                yield block

    def lines(self, path: str) -> Iterator[bytes]:
        """Yield the lines of a file of the bag; a line of more than `MAX_TEXT_BYTES` is an `InputError`."""
        line = bytearray()
        for block in self.blocks(path):
            *ended, rest = block.split(b"\n")
            for end in ended:
                yield bytes(line + end + b"\n")
                line.clear()
            line += rest
            if len(line) > MAX_TEXT_BYTES:
                raise InputError(f"{path} in {self._path} has a line of more than {MAX_TEXT_BYTES:,} bytes")
        if line:
            yield bytes(line)

    def read(self, path: str) -> str:
        """Return the text of a small file."""
        content = bytearray()
        for block in self.blocks(path):
            content += block
            if len(content) > MAX_TEXT_BYTES:
                raise InputError(f"{path} in {self._path} has more than {MAX_TEXT_BYTES:,} bytes")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise InputError(f"{path} in {self._path} is not text") from error

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file that is listed, as recorded."""
        lines = "".join(self.read(name) for name in (MANIFEST, TAG_MANIFEST)).splitlines()
        return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}

    def problems(self) -> Iterator[str]:
        """Yield how the files differ from those that are listed. All are read."""
        digests, counts = self.digests(), Counter(self.paths)
        for path in sorted({*counts, *digests} - {TAG_MANIFEST}):
            if path not in digests:
                yield f"{path} is not listed in {MANIFEST if path.startswith(PAYLOAD) else TAG_MANIFEST}"
            elif counts[path] != 1:
                yield f"{path} is missing" if not counts[path] else f"{path} is there {counts[path]} times"
            elif self._digest(path) != digests[path]:
                yield f"{path} was changed: its SHA-256 is not the one that is listed"

    def _digest(self, path: str) -> str | None:
        """Return the SHA-256 of a file; None if it cannot be read."""
        digest = sha256()
        try:
            for block in self.blocks(path):
                digest.update(block)
        except InputError:
            return None
        return digest.hexdigest()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise all errors of reading a zip file as an `InputError`."""
    try:
        yield
    except KeyError as error:
        raise InputError(f"{path}: {error.args[0]}") from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(f"{path} is not a zip file that can be read: {error}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
