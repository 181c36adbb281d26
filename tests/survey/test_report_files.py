"""The files of a report are written together, or none of them is."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealmill.pipeline.errors import OutputError
from dealmill.pipeline.system.atomic import write_files

FILES = {"a.txt": b"new", "b.txt": b"-" * 20_000, "c.txt": b"new"}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file can become larger, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("folder", ["new", "new/er", "old"])
def test_a_file_that_cannot_be_written_leaves_all_as_it_was(folder: str, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for name in ("a.txt", "other.txt"):
        (tmp_path / "old" / name).write_text("old")
    with largest_file(10_000), pytest.raises(OutputError, match=r"b\.txt cannot be written: File too large"):
        write_files(tmp_path / folder, FILES, lambda _: False)
    left = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.*")}
    assert left == {"old/a.txt": "old", "old/other.txt": "old"} and [*tmp_path.iterdir()] == [tmp_path / "old"]
    write_files(tmp_path / folder, FILES, lambda _: False)
    assert {name: (tmp_path / folder / name).read_bytes() for name in FILES} == FILES


def test_a_file_of_the_store_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"c\.txt is part of the store"):
        write_files(tmp_path, FILES, lambda path: path.name == "c.txt")
    assert [*tmp_path.iterdir()] == []
