"""Text files of layouts (plain, compressed or standard input), read in bounded memory."""

import bz2
import gzip
import hashlib
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import IO, BinaryIO, cast

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress.waiting import waiting_for

STDIN = "-"
LONGEST_LINE = 1 << 20
BLOCK_BYTES = 2 * LONGEST_LINE
READ_BYTES = 1 << 19
"""The bytes read at once: enough to make the overhead per block negligible."""
GZIP = b"\x1f\x8b"
DECOMPRESSORS: Mapping[re.Pattern[bytes], Callable[[BinaryIO], object]] = {
    re.compile(re.escape(GZIP)): gzip.open,
    re.compile(rb"BZh[1-9]1AY&SY"): bz2.open,
    re.compile(rb"\xfd7zXZ\0"): lzma.open,
}
"""How to read a compressed file, by its first bytes."""
ARCHIVES = {
    re.compile(rb"PK\x03\x04"): "a zip archive",
    re.compile(rb"7z\xbc\xaf\x27\x1c"): "a 7z archive",
    re.compile(rb"\x28\xb5\x2f\xfd"): "compressed with zstd",
}
"""What else a file is by its first bytes, and must be unpacked by its owner."""
LONGEST_HEAD = 10
"""The most first bytes that tell how a file is compressed."""
DOS_END = b"\x1a"
"""The last byte of some files that were written by DOS."""
ARRAY = re.compile(rb"(?:" + BOM_UTF8 + rb")?\s*\[\s*\{")
"""The beginning of a JSON array of objects, which may be in one line."""

MAX_LINES_OF_LAYOUT = 10_000
"""Lines of a file in which a single layout is looked for."""

Reached = Callable[[int], None]
"""Called from time to time with the amount of a source that has been read: of a file, its bytes."""

Reopen = Callable[[], AbstractContextManager[BinaryIO]]
"""Opens a file at its beginning."""


def check_file(name: str) -> None:
    """Check that a file exists and can be read, before any work is done.

    Raises
    ------
    InputError
        If there is no such file, or it is a folder, a device or a socket.
    """
    if name == STDIN:
        return
    try:
        mode = Path(name).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise InputError(f"there is no file {name}") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{name} is a folder; name the files in it, for example {Path(name)}/*")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise InputError(f"{name} is a {'socket' if stat.S_ISSOCK(mode) else 'device'}, not a file")


@contextmanager
def open_binary(name: str) -> Iterator[BinaryIO]:
    """Open the bytes of a file as they are on disk; ``-`` is standard input."""
    if name == STDIN:
        yield sys.stdin.buffer
        return
    check_file(name)
    with input_errors(name), waiting_for(f"a program that writes to {printable(name)}"):  # if it is a named pipe
        file = Path(name).open("rb")  # noqa: SIM115 -- closed below; an error there is not an error of the file
    with file:
        yield file


def rereadable(name: str, copies: ExitStack) -> Reopen:
    """Return a function that opens a file at its beginning at each call; the file is not open in between.

    Closing a file that was changed since this call raises an `InputError`, unless it is closed after another error.
    Input that can be read only once, such as standard input, is copied to a temporary file, which is closed with
    `copies`.
    """
    if name != STDIN and Path(name).is_file():
        return partial(_open_unchanged, name, _state(Path(name).stat()))
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    with open_binary(name) as file, input_errors(name):
        for block in iter(partial(file.read, BLOCK_BYTES), b"") if is_compressed(file) else _readable(file):
            copy.write(block)

    @contextmanager
    def from_the_start() -> Iterator[BinaryIO]:
        copy.seek(0)
        yield copy

    return from_the_start


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _open_unchanged(name: str, state: tuple[int, ...]) -> Iterator[BinaryIO]:
    with open_binary(name) as file:
        yield file
        if _state(os.fstat(file.fileno())) != state:
            raise InputError(f"{name} was changed while it was read; repeat the command when nothing writes to it")


def text_digest(file: BinaryIO, name: str) -> bytes:
    """Return the SHA-256 of the text of a file. A compressed file is unpacked, so that all forms are the same source.

    Text after a point at which `text_blocks` stops with an error is not part of the digest.

    Raises
    ------
    InputError
        If the file is empty or blank, or cannot be read.
    """
    digest = hashlib.sha256()
    blank = True
    with input_errors(name):
        for block in _readable(unpacked(file, name)):
            digest.update(block)
            blank = blank and not block.strip()
    if blank:
        raise InputError(f"{name} is empty: there is no layout in it")
    return digest.digest()


def text_blocks(file: BinaryIO, name: str, reached: Reached = lambda _: None) -> Iterator[tuple[int, bytes]]:
    """Yield the text of a file in blocks of whole lines, each with the number of its first line.

    A block does not include the end of its last line.
    """
    with input_errors(name):
        number = 1
        for lines in _whole_lines(unpacked(file, name)):
            block = lines.removesuffix(b"\n")
            if BOM_UTF8 in block:  # also where files were joined
                block = b"\n".join(line.removeprefix(BOM_UTF8) for line in block.split(b"\n"))
            unusual = len(lines) >= LONGEST_LINE or b"\0" in block
            for part in _checked(block.split(b"\n"), number, name) if unusual else [block]:
                yield number, part
                number += part.count(b"\n") + 1
            if file.seekable():
                reached(file.tell())


def lines_of(number: int, block: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines of a block with their numbers, without line ends; bytes that are not UTF-8 become U+FFFD."""
    return enumerate(map(decoded, block.split(b"\n")), start=number)


def first_lines(name: str) -> list[tuple[int, str]]:
    """Return the first `MAX_LINES_OF_LAYOUT` lines of a file, with their numbers."""
    with open_binary(name) as file:
        lines = chain.from_iterable(lines_of(*block) for block in text_blocks(file, name))
        return list(islice(lines, MAX_LINES_OF_LAYOUT))


def decoded(line: bytes) -> str:
    """Return a line as `lines_of` does."""
    return line.decode("utf-8", "replace").rstrip("\r")


def _whole_lines(text: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in blocks that end at the end of a line, which is a line feed."""
    begun, length = list[bytes](), 0
    for block in _with_line_feeds(text):
        whole, end, rest = block.rpartition(b"\n")
        if end:
            yield b"".join([*begun, whole, end])
            begun, length = [], 0
        begun.append(rest)
        length += len(rest)
        if length > LONGEST_LINE + len(BOM_UTF8):
            break
    if last := b"".join(begun).removesuffix(DOS_END):
        yield last


def _with_line_feeds(text: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in blocks in which each line ends with a line feed, also where it ends with CRLF or CR."""
    read, held = cast(BufferedReader, text).read1, b""
    while block := read(READ_BYTES):
        if held or b"\r" in block:
            block = held + block
            held = b"\r" if block.endswith(b"\r") else b""  # a line feed may follow
            block = block.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield block
    if held:
        yield b"\n"


def _readable(text: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in large blocks, up to the first one that `_checked` would refuse (at most one block further). The
    lines of a JSON array may be of any length."""
    array = False
    for number, block in enumerate(iter(partial(text.read, BLOCK_BYTES), b"")):
        array = array or (number == 0 and ARRAY.match(block) is not None)
        yield block
        if b"\0" in block or (len(block) == BLOCK_BYTES and b"\n" not in block and not array):
            return


def _checked(lines: Iterable[bytes], first: int, name: str) -> Iterator[bytes]:
    """Yield lines, the first of which has the number `first`; raise InputError at one that is too long or not text."""
    for number, line in enumerate(lines, start=first):
        if len(line) >= LONGEST_LINE:
            raise InputError(
                f"{name}, line {number}: the line is longer than {LONGEST_LINE:,} bytes; is this a file of layouts?"
            )
        if b"\0" in line:
            raise InputError(f"{name}, line {number}: there is a NUL byte, so this is not text in UTF-8")
        yield line


def begins_array(file: BinaryIO, name: str) -> bool:
    """Return whether a file that is at its beginning holds a JSON array of objects."""
    with input_errors(name):
        beginning = unpacked(file, name).read(READ_BYTES)
    file.seek(0)
    return ARRAY.match(beginning) is not None


def unpacked(file: BinaryIO, name: str) -> IO[bytes]:
    """Return the bytes of a file that is at its beginning, unpacked if it is compressed.

    Raises
    ------
    InputError
        If it is an archive, or compressed in a way that cannot be read.
    """
    head = _head(file)
    for beginning, what in ARCHIVES.items():
        if beginning.match(head):
            raise InputError(f"{name} is {what}: unpack it first (files of gzip, bzip2 and xz are read as they are)")
    read = next((read for beginning, read in DECOMPRESSORS.items() if beginning.match(head)), None)
    return file if read is None else cast(IO[bytes], read(file))


def is_compressed(file: BinaryIO) -> bool:
    """Return whether a file that is at its beginning is compressed in a way that can be read."""
    head = _head(file)
    return any(beginning.match(head) for beginning in DECOMPRESSORS)


def _head(file: BinaryIO) -> bytes:
    if hasattr(file, "peek"):
        return bytes(file.peek(LONGEST_HEAD)[:LONGEST_HEAD])
    head = file.read(LONGEST_HEAD)
    file.seek(0)
    return head


@contextmanager
def input_errors(name: str) -> Iterator[None]:
    """Raise errors of reading and of unpacking a file as an `InputError`."""
    try:
        yield
    except EOFError as error:
        raise InputError(f"{name} is truncated: its compressed data is incomplete") from error
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise InputError(f"{name} is damaged: {error}") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
