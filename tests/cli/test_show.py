"""``show`` writes pictures: all on one sheet, or that of one step."""

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.games.png import to_png
from tests.servers import dealmill as command


def test_all_pictures_or_one_are_written_to_a_file(tmp_path: Path) -> None:
    result = dealmill.solve("memory", "ABBA")
    assert "scored with value 8 flips (1 node)\n" in command("show", "memory", "ABBA", cwd=tmp_path).stdout
    shown = command("show", "memory", "ABBA", "--svg", "all.svg", cwd=tmp_path)
    assert (shown.stdout, "picture written to all.svg" in shown.stderr) == ("", True)
    assert (tmp_path / "all.svg").read_text() == result.svg() + "\n"
    assert command("show", "memory", "ABBA", "--svg", "-", "--step", "2", cwd=tmp_path).stdout == result.svg(2) + "\n"
    for file in ("one.svg", "one.png"):
        command("show", "memory", "ABBA", "--picture", file, "--step", "2", cwd=tmp_path)
    assert (tmp_path / "one.svg").read_text() == result.svg(2) + "\n"
    drawn = (tmp_path / "one.png").read_bytes()
    size = re.findall(r'viewBox="0 0 (\d+) (\d+)"', result.svg(2))[0]
    assert struct.unpack(">8s8xII", drawn[:24]) == (b"\x89PNG\r\n\x1a\n", *(2 * int(length) for length in size))
    assert drawn == result.png(2) != replace(result, layout="BAAB").png(2)  # letters are drawn, too
    with pytest.raises(
        dealmill.UsageError, match=r"choose one picture with --step N .* or write a file that ends in \.svg"
    ):
        to_png('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5000 5000"></svg>')


@pytest.mark.parametrize("game", ["klondike", "tripeaks"])
def test_pictures_show_backs_unless_they_are_open(game: str) -> None:
    [deal] = dealmill.deals(game, seed=1, first=3, count=1)
    undecided = dealmill.Result(f"{game}/winnable", deal.text, dealmill.Verdict.UNDECIDED, None, 0, None, 1, 1)
    closed, opened = undecided.svg(0), undecided.svg(0, open_cards=True)
    hidden = {match.upper() for match in re.findall("[A2-9TJQK][chsd]", deal.text)}
    hidden |= set(re.findall("..", deal.text.partition("stock:")[2]))
    assert len(hidden) > 20 and hidden <= described(opened) and not hidden & described(closed)
    assert opened.count("<text") - closed.count("<text") == len(hidden)
    assert closed.count("<rect") == opened.count("<rect")
    assert next(undecided.scenes()).closed.svg == closed


def described(svg: str) -> set[str]:
    """Return the words of the description in a picture, in capitals."""
    return set(re.findall("<desc>(.*)</desc>", svg)[0].upper().split())


def test_a_proof_shows_the_cards_that_it_needs() -> None:
    [deal] = dealmill.deals("klondike", seed=1, first=3, count=1)
    lost = dealmill.Result("klondike/winnable", deal.text, dealmill.Verdict.UNWINNABLE, None, 1, "* 200", 1, 1)
    scenes = list(lost.scenes())
    assert scenes[0].closed != scenes[0] and all(scene.closed is scene for scene in scenes[1:])


def test_an_undecided_verdict_says_whether_a_higher_limit_may_decide_it(tmp_path: Path) -> None:
    [deal] = dealmill.deals("klondike", seed=36, first=1, count=1)
    (tmp_path / "layouts.txt").write_text(f"{deal.text}\n")
    command("run", "layouts.txt", "--game", "klondike", "--max-nodes", "5", cwd=tmp_path)
    shown = command("show", "1:1", cwd=tmp_path).stdout
    assert "why: the search reached the limit of 5 nodes; a higher limit may decide it\n" in shown
    result = dealmill.solve("klondike", deal, max_nodes=5)
    assert result.why_undecided(6) == "the engine gave up before it reached a node limit; a higher limit does not help"
    assert dealmill.solve("memory", "ABBA").why_undecided(5) is None


def test_pictures_that_cannot_be_drawn_or_written_give_a_one_line_error(tmp_path: Path) -> None:
    refused = {
        ("--step", "1"): "dealmill: --step chooses a picture: name a file for it with --picture\n",
        ("--svg", "a.png"): "a.png does not end in .svg; for PNG, use --picture FILE.png\n",
        ("--picture", "a.gif"): "a.gif must end in .svg or .png, which determines the format\n",
        ("--picture", "a.svg", "--json"): "--json, --svg and --picture exclude each other\n",
        ("--svg", "a.svg", "--step", "9"): "there is no step 9, expected 0 to 4\n",
        ("--svg", "none/a.svg"): "dealmill: none/a.svg cannot be written: there is no folder none\n",
        ("--svg", "store.svg"): "store.svg is a database, perhaps another store; name another file\n",
    }
    (tmp_path / "store.svg").write_bytes(b"SQLite format 3\x00" + bytes(84))
    for options, message in refused.items():
        shown = command("show", "memory", "ABBA", *options, cwd=tmp_path)
        assert shown.returncode in (1, 2)
        assert shown.stderr.endswith(message)
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("store.svg", 100)]
