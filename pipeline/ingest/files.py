"""Text files of layouts: plain, gzipped or standard input, read line by line in bounded memory."""

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

STDIN = "-"
LONGEST_LINE = 1 << 20
BLOCK = 2 * LONGEST_LINE
LINES = 1 << 19
"""Bytes of lines that are held at once: enough that what is done to them once costs nothing."""
GZIP = b"\x1f\x8b"

Progress = Callable[[int], None]
"""Called now and then with how many bytes of the file have been read."""

Reopen = Callable[[], AbstractContextManager[BinaryIO]]
"""Opens a file at its start."""


def check_file(name: str) -> None:
    """See that there is a file to read before any work is done.

    Raises
    ------
    InputError
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
        raise InputError(f"{name} is a device and no file")


@contextmanager
def open_binary(name: str) -> Iterator[BinaryIO]:
    """The bytes of a file as they are on disk; ``-`` is standard input.

    Raises
    ------
    InputError
        If there is no such file, or it is a folder, or may not be read.
    """
    if name == STDIN:
        yield sys.stdin.buffer
        return
    check_file(name)
    with _broken_off(name):
        file = Path(name).open("rb")  # noqa: SIM115 -- closed below; what happens there is no fault of the file
    with file:
        yield file


def rereadable(name: str, copies: ExitStack) -> Reopen:
    """What opens a file anew each time, and holds none open meanwhile. What can be read only once, such as standard
    input, is copied to a temporary file, which is one of these `copies`.

    Raises
    ------
    InputError
        As `open_binary` does.
    """
    if name != STDIN and Path(name).is_file():
        return partial(open_binary, name)
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    with open_binary(name) as file, _broken_off(name):
        for block in iter(partial(file.read, BLOCK), b"") if _is_gzip(file) else _readable(file):
            copy.write(block)

    @contextmanager
    def from_the_start() -> Iterator[BinaryIO]:
        copy.seek(0)
        yield copy

    return from_the_start


def text_digest(file: BinaryIO, name: str) -> bytes:
    """SHA-256 of the text, unpacked where it is gzipped, so that both forms of a file are the same source. What stands
    behind a place that `text_blocks` does not get over counts for nothing.

    Raises
    ------
    InputError
        If there is no text in it.
    """
    digest = hashlib.sha256()
    blank = True
    with _broken_off(name):
        for block in _readable(_unpacked(file)):
            digest.update(block)
            blank = blank and not block.strip()
    if blank:
        raise InputError(f"{name} is empty: there is no layout in it")
    return digest.digest()


def text_blocks(file: BinaryIO, name: str, progress: Progress = lambda _: None) -> Iterator[tuple[int, bytes]]:
    """The text of a file in blocks of whole lines, without the end of the last one; each with the number of its first
    line.

    Raises
    ------
    InputError
        If it is no text, breaks off (gzip), or has a line of more than a mebibyte; lines before that come first.
    """
    with _broken_off(name):
        number = 1
        for found in _whole_lines(_unpacked(file)):
            block = found.removesuffix(b"\n")
            unusual = len(found) >= LONGEST_LINE or b"\0" in block
            for part in _checked(block.split(b"\n"), number, name) if unusual else [block]:
                yield number, part
                number += part.count(b"\n") + 1
            if file.seekable():
                progress(file.tell())


def lines_of(number: int, block: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a block with their numbers, without line ends. What is not UTF-8 comes as replacement signs."""
    return enumerate(map(decoded, block.split(b"\n")), start=number)


def decoded(line: bytes) -> str:
    """See `lines_of`."""
    return line.decode("utf-8", "replace").rstrip("\r")


def _whole_lines(text: IO[bytes]) -> Iterator[bytes]:
    """The text in blocks that end with a line, without the mark that some editors begin a file with."""
    begun, length, mark = list[bytes](), 0, BOM_UTF8
    read = cast(BufferedReader, text).read1
    block = read(LINES)
    while block and length <= LONGEST_LINE + len(mark):
        whole, end, rest = block.rpartition(b"\n")
        if end:
            yield b"".join([*begun, whole, end]).removeprefix(mark)
            begun, length, mark = [], 0, b""
        begun.append(rest)
        length += len(rest)
        block = read(LINES)
    if last := b"".join(begun).removeprefix(mark):
        yield last


def _readable(text: IO[bytes]) -> Iterator[bytes]:
    """The text in large blocks, as far as `_checked` lets it pass, and one block more at the most."""
    for block in iter(partial(text.read, BLOCK), b""):
        yield block
        if b"\0" in block or (len(block) == BLOCK and b"\n" not in block):
            return


def _checked(lines: Iterable[bytes], first: int, name: str) -> Iterator[bytes]:
    """Lines as far as they are lines of text; the first one has this number."""
    for number, line in enumerate(lines, start=first):
        if len(line) >= LONGEST_LINE:
            raise InputError(f"{name}, line {number} is longer than {LONGEST_LINE:,} bytes: is this a file of layouts?")
        if b"\0" in line:
            raise InputError(f"{name} is no text file: there is a NUL byte in line {number}")
        yield line


def _unpacked(file: BinaryIO) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if _is_gzip(file) else file


def _is_gzip(file: BinaryIO) -> bool:
    if hasattr(file, "peek"):
        return bool(file.peek(2)[:2] == GZIP)
    head = file.read(2)
    file.seek(0)
    return head == GZIP


@contextmanager
def _broken_off(name: str) -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise InputError(f"{name} breaks off: its gzip data is not complete") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{name} is damaged: {error}") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
