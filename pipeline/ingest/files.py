"""Text files of layouts (plain, gzipped or standard input), read in bounded memory."""

import gzip
import hashlib
import stat
import sys
import tempfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, BinaryIO, cast

from dealmill.pipeline.errors import InputError
from dealmill.pipeline.printable import printable
from dealmill.pipeline.waiting import waiting_for

STDIN = "-"
LONGEST_LINE = 1 << 20
BLOCK_BYTES = 2 * LONGEST_LINE
READ_BYTES = 1 << 19
"""The bytes read at once: enough to make the overhead per block negligible."""
GZIP = b"\x1f\x8b"

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
    with _input_errors(name), waiting_for(f"a program that writes to {printable(name)}"):  # if it is a named pipe
        file = Path(name).open("rb")  # noqa: SIM115 -- closed below; an error there is not an error of the file
    with file:
        yield file


def rereadable(name: str, copies: ExitStack) -> Reopen:
    """Return a function that opens a file at its beginning at each call; the file is not open in between.

    Input that can be read only once, such as standard input, is copied to a temporary file, which is closed with
    `copies`.
    """
    if name != STDIN and Path(name).is_file():
        return partial(open_binary, name)
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    with open_binary(name) as file, _input_errors(name):
        for block in iter(partial(file.read, BLOCK_BYTES), b"") if is_gzip(file) else _readable(file):
            copy.write(block)

    @contextmanager
    def from_the_start() -> Iterator[BinaryIO]:
        copy.seek(0)
        yield copy

    return from_the_start


def text_digest(file: BinaryIO, name: str) -> bytes:
    """Return the SHA-256 of the text of a file. A gzipped file is unpacked, so that both forms are the same source.

    Text after a point at which `text_blocks` stops with an error is not part of the digest.

    Raises
    ------
    InputError
        If the file is empty or blank, or cannot be read.
    """
    digest = hashlib.sha256()
    blank = True
    with _input_errors(name):
        for block in _readable(_unpacked(file)):
            digest.update(block)
            blank = blank and not block.strip()
    if blank:
        raise InputError(f"{name} is empty: there is no layout in it")
    return digest.digest()


def text_blocks(file: BinaryIO, name: str, reached: Reached = lambda _: None) -> Iterator[tuple[int, bytes]]:
    """Yield the text of a file in blocks of whole lines, each with the number of its first line.

    A block does not include the end of its last line.
    """
    with _input_errors(name):
        number = 1
        for found in _whole_lines(_unpacked(file)):
            block = found.removesuffix(b"\n")
            unusual = len(found) >= LONGEST_LINE or b"\0" in block
            for part in _checked(block.split(b"\n"), number, name) if unusual else [block]:
                yield number, part
                number += part.count(b"\n") + 1
            if file.seekable():
                reached(file.tell())


def lines_of(number: int, block: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines of a block with their numbers, without line ends; bytes that are not UTF-8 become U+FFFD."""
    return enumerate(map(decoded, block.split(b"\n")), start=number)


def decoded(line: bytes) -> str:
    """Return a line as `lines_of` does."""
    return line.decode("utf-8", "replace").rstrip("\r")


def _whole_lines(text: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in blocks that end at the end of a line, without a byte order mark at the beginning."""
    begun, length, mark = list[bytes](), 0, BOM_UTF8
    read = cast(BufferedReader, text).read1
    block = read(READ_BYTES)
    while block and length <= LONGEST_LINE + len(mark):
        whole, end, rest = block.rpartition(b"\n")
        if end:
            yield b"".join([*begun, whole, end]).removeprefix(mark)
            begun, length, mark = [], 0, b""
        begun.append(rest)
        length += len(rest)
        block = read(READ_BYTES)
    if last := b"".join(begun).removeprefix(mark):
        yield last


def _readable(text: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in large blocks, up to the first one that `_checked` would refuse (at most one block further)."""
    for block in iter(partial(text.read, BLOCK_BYTES), b""):
        yield block
        if b"\0" in block or (len(block) == BLOCK_BYTES and b"\n" not in block):
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


def _unpacked(file: BinaryIO) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if is_gzip(file) else file


def is_gzip(file: BinaryIO) -> bool:
    """Return whether a file that is at its beginning is gzipped."""
    if hasattr(file, "peek"):
        return bool(file.peek(2)[:2] == GZIP)
    head = file.read(2)
    file.seek(0)
    return head == GZIP


@contextmanager
def _input_errors(name: str) -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise InputError(f"{name} is truncated: its gzip data is incomplete") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{name} is damaged: {error}") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
