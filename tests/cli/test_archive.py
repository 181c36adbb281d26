"""``archive`` as a user runs it: who may add an audit, and what is wrong usage."""

import zipfile
from pathlib import Path

import pytest

from tests.servers import dealmill


def test_an_audit_is_added_to_an_archive(folder: Path) -> None:
    written = dealmill("archive", "1", "night.zip", cwd=folder)
    assert (written.returncode, written.stdout) == (0, ""), written.stderr
    refused = dealmill("archive", "1", "night.zip", "--add", cwd=folder)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "run 1 has no finished audit to add; audit it first: dealmill audit 1" in refused.stderr

    assert dealmill("audit", "1", cwd=folder).returncode == 0
    added = dealmill("archive", "1", "night.zip", "--add", cwd=folder)
    assert (added.returncode, added.stdout) == (0, "")
    assert added.stderr == "the audits of 1 run added to night.zip\n"
    with zipfile.ZipFile(folder / "night.zip") as archive:
        assert sum(name.endswith("/provenance/1.2.json") for name in archive.namelist()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("night.zip", "--add"), "name the runs, and then the file"),
        (("1", "night.zip", "--add", "--force"), "--add takes runs and an archive and nothing else"),
        (("1", "night.zip", "--add", "--retracted"), "--add takes runs and an archive and nothing else"),
        (("--check", "night.zip", "--add"), "--check takes one file and nothing else"),
    ],
)
def test_wrong_usage_of_add_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    refused = dealmill("archive", *arguments, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert not list(tmp_path.iterdir())
