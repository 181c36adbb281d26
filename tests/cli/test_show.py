"""``show`` writes pictures: all on one sheet, or that of one step."""

from pathlib import Path

import dealmill
from tests.servers import dealmill as command


def test_all_pictures_or_one_are_written_to_a_file(tmp_path: Path) -> None:
    result = dealmill.solve("memory", "ABBA")
    assert "scored with value 8 flips (1 node)\n" in command("show", "memory", "ABBA", cwd=tmp_path).stdout
    shown = command("show", "memory", "ABBA", "--svg", "all.svg", cwd=tmp_path)
    assert (shown.stdout, "picture written to all.svg" in shown.stderr) == ("", True)
    assert (tmp_path / "all.svg").read_text() == result.svg() + "\n"
    assert command("show", "memory", "ABBA", "--svg", "-", "--step", "2", cwd=tmp_path).stdout == result.svg(2) + "\n"


def test_pictures_that_cannot_be_drawn_or_written_give_a_one_line_error(tmp_path: Path) -> None:
    refused = {
        ("--step", "1"): "dealmill: --step chooses a picture: name a file for it with --svg\n",
        ("--svg", "a.svg", "--step", "9"): "there is no step 9, expected 0 to 4\n",
        ("--svg", "none/a.svg"): "dealmill: none/a.svg cannot be written: No such file or directory\n",
    }
    for options, message in refused.items():
        shown = command("show", "memory", "ABBA", *options, cwd=tmp_path)
        assert shown.returncode in (1, 2)
        assert shown.stderr.endswith(message)
    assert not (tmp_path / "a.svg").exists()
