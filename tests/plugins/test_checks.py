"""Each check of games fails for a game that breaks its rule, and says what it has found."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from dealmill.cli.games import check_game
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.results.record import ResultRow
from dealmill.testing import Check, CheckFailed, checks_of, write_golden
from dealmill.testing.engines import every_verdict_has_a_word_in_an_answer, golden_lines
from dealmill.testing.patiences import easier
from dealmill.testing.subject import Subject
from tests.plugins.sites import PEG_ROW, install, install_peg_row
from tests.servers import dealmill

MASK = """
import numpy as np

def mask(text, starts, ends):
    texts = [bytes(text[start:end]) for start, end in zip(starts, ends)]
    rows = [4 <= len(row) <= 20 and set(row) <= set(b"o.") and row.count(b"o") > 1 for row in texts]
    return np.array({}, dtype=np.bool_)
"""

USES_MASK = """
    @property
    def mask(self):
        from .canonical import mask

        return mask


GAME"""
"""The end of a game's class with a compiled check."""


class Fault(NamedTuple):
    """A change of a file of a game, or a new file, and the message of the check that finds it."""

    file: str
    before: str
    after: str
    message: str


FAULTS = {
    "the statement is read without rejects": Fault(
        "examples/peg-row-statement.txt", ".oo.\n", ".oo.\n...\n", r"line 2: the row has 3 holes, expected 4 to 20"
    ),
    "the statement gets its answer": Fault(
        "examples/peg-row-statement.answer", "yes\n", "no\n", r"the answer is 'yes\\n.*, expected 'no\\n"
    ),
    "canonical texts read back as themselves": Fault(
        "layout.py", "row = text.lower()", "row = text.lower()[::-1]", r"layout \S+: read as \[Layout"
    ),
    "forms of other programs read back": Fault(
        "__init__.py",
        "    deals = Deals(",
        '    writers = {"backwards": lambda text: text[::-1]}\n    deals = Deals(',
        "backwards: 200 layouts are written, and 200 read, or others",
    ),
    "the example deals are the first of seed 1": Fault(
        "examples/peg-row-deals.txt",
        "\n",
        "\noooo\n",
        r"write the file again with: dealmill deal peg-row --count 2000",
    ),
    "a deal depends only on its seed and number": Fault(
        "deal.py",
        "_row(seed, number, holes)",
        "_row(seed, number - first, holes)",
        "deals 500 to 502 of seed 7 depend on the first",
    ),
    "texts of no game are rejected": Fault(
        "layout.py",
        "row = text.lower()",
        "row = 'o' * 4 if text == '1' else text.lower()",
        "'1' is read as a layout",
    ),
    "bad lines are rejected with reasons": Fault(
        "layout.py", "raise BadLayout(reasons)", "raise BadLayout([''])", "is rejected without a reason"
    ),
    "layouts between bad lines are read": Fault(
        "layout.py", "read_file(lines,", "read_file(list(lines)[:3],", r"these are read: \[\(1, '[o.]+'\), \(3, "
    ),
    "no other game reads its layouts": Fault(
        "deal.py", "_row(seed, number, holes)", "'AABB'", "layout AABB is also a layout of memory"
    ),
    "the canonical check accepts all layouts": Fault(
        "canonical.py", "", MASK.format("[row and len(text) != 9 for row, text in zip(rows, texts)]"), "refused"
    ),
    "the canonical check agrees with the reader": Fault(
        "canonical.py", "", MASK.format("[row or b'x' in text for row, text in zip(rows, texts)]"), "the check True"
    ),
    "the canonical check reads only the texts": Fault(
        "canonical.py",
        "",
        MASK.format("[row or (end < len(text) and text[end] == 10) for row, end in zip(rows, ends)]"),
        "depends on the bytes between texts",
    ),
    "only layouts reach an engine": Fault(
        "canonical.py", "", MASK.format("[True for _ in rows]"), "not all of them layouts, reached an engine"
    ),
    "the referee shares no code with engines": Fault(
        "rules.py", "import re\n", "import re\nimport numpy.random\n", r"rules imports numpy\.random, but a checker can"
    ),
    "the referee can be copied into a checker": Fault("rules.py", "import re\n", "import re\n\nEXPORT = 1\n", "EXPORT"),
    "the referee accepts every verdict": Fault(
        "engine.py", "str(len(origins))", "str(len(origins) + 1)", r"layout \S+: unwinnable, evidence \d+: step 1: "
    ),
    "every verdict has a word in an answer": Fault(
        "__init__.py", ', unwinnable="no"', "", "AnswerFormat has no word for unwinnable"
    ),
    "a verdict depends only on its layout": Fault(
        "engine.py", "append(nodes)", "append(nodes + len(batch.nodes))", r"nodes \d+, but \d+ in another order"
    ),
    "a node limit leaves layouts undecided and changes nothing else": Fault(
        "engine.py", "== max_nodes", "> max_nodes", r"layout \S+: 2 nodes, limit 1: .*, expected undecided"
    ),
    "an empty batch is solved": Fault(
        "engine.py", "in to_strings(layouts)", "in to_strings(layouts) or ['.oo.']", "no layouts have verdicts"
    ),
    "the referee refuses texts that are not layouts": Fault(
        "rules.py", 'InvalidEvidence(0, "the layout', 'InvalidEvidence(1, "the layout', "at step 1, not at step 0"
    ),
    "the referee refuses evidence of another layout": Fault(
        "rules.py",
        "        _check_win(layout, evidence)",
        "        return",
        "accepts winnable with evidence of another",
    ),
    "the referee proves no other verdict": Fault(
        "rules.py", " or value is not None", "", r"layout \S+: \w+, value None, but '.*' proves \w+, value 1"
    ),
    "a board is drawn for the layout and every step": Fault(
        "picture.py",
        "for row, _, caption in _positions(layout, verdict, evidence)",
        "for row, _, caption in _positions(layout, None, None)",
        "nothing is drawn for evidence",
    ),
    "a picture is a document for any page": Fault(
        "picture.py", "else CARD", "else {'fill': 'none'}", "has a circle without a class"
    ),
    "pictures depend only on their arguments": Fault(
        "picture.py", "0, FIRST", "0, FIRST + str(evidence)", "more than the layout is drawn without evidence"
    ),
    "pictures of a play have one size": Fault(
        "picture.py", "scene(CELL * len(row)", 'scene(CELL * row.count("o")', r"pictures of \d+ sizes"
    ),
    "a path leads to one case": Fault(
        "picture.py", '{row}. {caption}")', '{row}. {caption}", ("a",))', "the picture of the layout has a path"
    ),
    "evidence that cannot be read is an error": Fault(
        "picture.py", "    check(", "    0 and check(", r"evidence '\?' is drawn|ValueError"
    ),
    "altered evidence is drawn or an error": Fault(
        "picture.py", "    check(", "    0 and check(", r"evidence '.*': (ValueError|TypeError|IndexError): "
    ),
    "no evidence takes too much memory": Fault(
        "rules.py",
        '    words = evidence.split(" ")\n',
        '    words = [evidence[:600] + str(step) for step in range(len(evidence))]\n    words = evidence.split(" ")\n',
        r"characters: judging and drawing it took more than 500 MB of memory",
    ),
}
"""By check, something that it must find."""
ATTACK = "deals that can be won can be won in the easier game"
"""A check of patiences alone."""


def damaged(site: Path, fault: Fault) -> None:
    """Install the game with a fault."""
    install(site, "dealmill-peg-row", {"peg-row": "dealmill_peg_row:GAME"})
    shutil.copytree(PEG_ROW, site / "dealmill_peg_row", ignore=shutil.ignore_patterns("__pycache__"))
    file = site / "dealmill_peg_row" / fault.file
    if fault.before:
        text = file.read_text()
        assert fault.before in text, fault
        file.write_text(text.replace(fault.before, fault.after, 1))
    else:
        file.write_text(fault.after)
        definition = site / "dealmill_peg_row" / "__init__.py"
        definition.write_text(definition.read_text().replace("\n\nGAME", USES_MASK))


@pytest.mark.parametrize(("name", "fault"), FAULTS.items(), ids=FAULTS)
def test_a_check_finds_what_breaks_its_rule(name: str, fault: Fault, site: Path) -> None:
    damaged(site, fault)
    [check] = [check for check in checks_of("peg-row") if check.name == name]
    with pytest.raises(CheckFailed, match=fault.message):
        check()


@pytest.mark.parametrize(
    ("file", "code", "message"),
    [
        ("engine.py", "from dealmill_peg_row import rules", "engine uses rules, which is code of the referee"),
        (
            "engine.py",
            "from dealmill_peg_row.rules import jump",
            "engine uses jump, which is code of the referee",
        ),
        (
            "rules.py",
            "from dealmill_peg_row.engine import _jumps",
            "engine imports Batch, NO_LIMIT, .* from Dealmill, but",
        ),
        (
            "rules.py",
            "from dealmill_peg_row.layout import canonical",
            "layout imports BadLayout, EachLine, .* from Dealmill, but",
        ),
    ],
)
def test_no_function_is_shared_by_the_referee_and_an_engine(file: str, code: str, message: str, site: Path) -> None:
    before = "from dealmill.verdicts import"
    damaged(site, Fault(file, before, f"{code}\n{before}", message))
    [check] = [check for check in checks_of("peg-row") if check.name == "the referee shares no code with engines"]
    with pytest.raises(CheckFailed, match=message):
        check()


@pytest.mark.slow
def test_the_game_from_outside_meets_all_checks_and_there_is_a_fault_for_each(site: Path) -> None:
    install_peg_row(site)
    checks = checks_of("peg-row")
    assert list(FAULTS) == [check.name for check in checks]
    for check in checks:
        check()


@pytest.mark.slow
def test_the_attack_on_easier_games_finds_one_that_is_too_hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without R2 of docs/proofs/patience.md, cards that could be put onto absent ones stay where they are."""
    [check] = [check for check in checks_of("trigon") if check.name == ATTACK]
    tried = check()
    assert tried and re.search(r"^\d{2,} deals .*: [\d,]{5,}, lost: 0, ", tried)
    monkeypatch.setattr(easier, "rides_absent", lambda *_: False)
    with pytest.raises(
        CheckFailed, match=r"lost: [1-9]\d*, .*; a lost one: trigon .* \(ranks = [2-4], cells = 0\) with "
    ):
        check()


def test_games_without_easier_games_are_not_attacked() -> None:
    """Nor the game in `FAULTS`."""
    assert ATTACK not in {check.name for check in checks_of("east-haven")}


def test_output_is_compared_with_golden_files(site: Path, tmp_path: Path) -> None:
    install_peg_row(site)
    *_, check = checks_of("peg-row", golden=tmp_path)
    with pytest.raises(CheckFailed, match=r"there is no \S+; write it with: dealmill check-game peg-row --write"):
        check()
    [file] = write_golden("peg-row", tmp_path)
    assert file.name == "peg-row.winnable.1.jsonl"
    check()
    assert write_golden("peg-row", tmp_path) == []
    lines = file.read_text().splitlines()
    assert len(lines) == 304
    assert json.loads(lines[0]) == [".oo.", "winnable", None, 2, "3-1"]
    file.write_text("\n".join([*lines[:6], lines[6].replace("winnable", "undecided"), *lines[7:]]))
    with pytest.raises(CheckFailed, match=r"line 7: the output is .* give the engine a new version"):
        check()
    file.write_text(lines[0])
    with pytest.raises(CheckFailed, match="has only 1 lines"):
        check()


def stubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    def good() -> str:
        return "17 layouts were tried"

    def bad() -> None:
        raise CheckFailed("layout oo..: too short\nor too long")

    def worse() -> None:
        raise ValueError("no layout at all")

    checks = [
        Check("polo", "it is good", good),
        Check("polo", "it is bad", bad),
        Check("polo/x", "it raises", worse),
    ]
    monkeypatch.setattr("dealmill.testing.checks_of", lambda _game, golden: checks[: 1 + 2 * (golden is None)])


def test_the_command_prints_a_line_for_each_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stubbed(monkeypatch)
    ran = CliRunner().invoke(check_game, ["polo"])
    assert (ran.exit_code, ran.stdout.splitlines()) == (
        1,
        [
            "ok      polo: it is good",
            "        17 layouts were tried",
            "failed  polo: it is bad",
            "        layout oo..: too short\\nor too long",
            "failed  polo/x: it raises",
            "        ValueError: no layout at all",
        ],
    )
    assert ran.stderr.startswith("Traceback")
    assert ran.stderr.endswith("\n2 checks of 3 failed\n")
    ran = CliRunner().invoke(check_game, ["polo", "--nl"])
    assert [json.loads(line)["state"] for line in ran.stdout.splitlines()] == ["ok", "failed", "failed"]
    assert json.loads(ran.stdout.splitlines()[2]) == {
        "game": "polo/x",
        "check": "it raises",
        "state": "failed",
        "reason": "ValueError: no layout at all",
        "tried": None,
        "assumption": None,
    }
    assert json.loads(ran.stdout.splitlines()[0])["tried"] == "17 layouts were tried"
    ran = CliRunner().invoke(check_game, ["polo", "--golden", str(tmp_path)])
    assert (ran.exit_code, ran.stdout, ran.stderr) == (
        0,
        "ok      polo: it is good\n        17 layouts were tried\n",
        "all 1 checks passed\n",
    )


def test_golden_files_leave_out_later_columns_that_no_layout_has(monkeypatch: pytest.MonkeyPatch) -> None:
    layouts = {"memory": "ABBA", "camelot": to_strings(find_game("camelot").deal(1, 1, 1))[0]}
    games = {name: find_game(name) for name in layouts}
    before = {name: golden_lines(game, game.engines[0], [layouts[name]]) for name, game in games.items()}
    monkeypatch.setattr(ResultRow, "_field_defaults", {"value": None})
    for name, game in games.items():
        [line], [whole] = golden_lines(game, game.engines[0], [layouts[name]]), before[name]
        layout, verdict, value, *others = json.loads(whole)
        assert json.loads(line) == [layout, verdict, *([] if value is None else [value]), *others]
    assert {json.loads(line)[2] is None for [line] in before.values()} == {True, False}


def test_the_command_writes_golden_files(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_peg_row(site)
    stubbed(monkeypatch)
    ran = CliRunner().invoke(check_game, ["peg-row", "--write-golden", str(tmp_path)])
    assert ran.exit_code == 0
    assert ran.stderr == f"wrote {tmp_path / 'peg-row.winnable.1.jsonl'}\nall 1 checks passed\n"


def test_the_command_shows_the_traceback_of_a_broken_game(site: Path) -> None:
    (site / "polo.py").write_text("import no_such_module")
    install(site, "dealmill-polo", {"polo": "polo:GAME"})
    ran = CliRunner().invoke(check_game, ["polo"])
    assert "import no_such_module\nModuleNotFoundError: No module named 'no_such_module'\n" in ran.stderr
    assert "dealmill-polo 0.1 offers the game polo = polo:GAME, which cannot be used" in str(ran.exception)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "before", "after", "error"),
    [
        (
            "engine.py",
            "def winnable",
            "def winable",
            "dealmill_peg_row.engine.winnable cannot be imported: AttributeError: ",
        ),
        ("engine.py", "    waiting = [first]", "    waiting = [first][row[0] == '.' :]; waiting[0]", "IndexError"),
        ("layout.py", "row = text.lower()", "row = text.lover()", "AttributeError: 'str' object has no attribute"),
    ],
    ids=["no function", "fails on every second deal", "fails to read"],
)
def test_the_command_prints_the_traceback_of_each_error_once(
    file: str, before: str, after: str, error: str, site: Path
) -> None:
    damaged(site, Fault(file, before, after, ""))
    ran = dealmill("check-game", "peg-row", cwd=site, env={"PYTHONPATH": str(site)})
    assert ran.returncode == 1
    causes = ran.stderr.count("The above exception was the direct cause")  # an error that says what cannot be imported
    assert ran.stderr.count("Traceback (most recent call last)") == 1 + causes
    assert error in ran.stderr
    assert len(ran.stderr.splitlines()) < 100
    assert ran.stdout.count("failed  ") > 2


def test_a_value_is_its_number_if_its_text_fails_and_the_check_finds_that() -> None:
    game, engine = find_engine("memory/two-pass")
    texts: tuple[Any, ...] = (lambda value: value / 0, print, None)
    failing, silent, without = (replace(engine, value_text=text) for text in texts)
    assert [each.words_of_value(1234) for each in (engine, failing, without)] == ["1,234 flips", "1,234", "1,234"]
    with pytest.raises(ZeroDivisionError):
        every_verdict_has_a_word_in_an_answer(Subject(game, []), failing)
    for each in (silent, without):
        with pytest.raises(CheckFailed, match="value_text says None of"):
            every_verdict_has_a_word_in_an_answer(Subject(game, []), each)
