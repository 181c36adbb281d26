"""Tables for papers: what they say, and that LaTeX reads any name as text."""

import re
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.survey.latex import escaped, latex_table
from tests.doing import deal
from tests.servers import dealmill as command


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with runs over numbered deals, a file, and deals with values."""
    folder = tmp_path_factory.mktemp("latex")
    layouts = deal(dealmill.games()["card-pairing"], 5, 1, 50)
    (folder / "100%_of~it.txt").write_text("\n".join(layouts) + "\n")
    with dealmill.open(f"sqlite:///{folder / 'dealmill.db'}") as opened:
        opened.run("deal:card-pairing:seed=1:1-2000")
        opened.run(folder / "100%_of~it.txt", game="card-pairing", max_nodes=12)
        opened.run("deal:memory:seed=1:1-100")
    return folder


def test_a_table_has_the_counts_and_intervals_of_runs(store: Path) -> None:
    ran = command("export", "1-3", "table.tex", cwd=store)
    assert (ran.returncode, "table of 3 runs written to table.tex" in ran.stderr) == (0, True), ran.stderr
    text = (store / "table.tex").read_text()
    rows = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if " & " in line]
    with dealmill.open(f"sqlite:///{store / 'dealmill.db'}") as opened:
        deals, file, memory = opened.runs()
        won, interval = deals.progress.counts[dealmill.Verdict.WINNABLE], deals.winnability
        assert interval and rows[1][:3] == ["Card pairing", r"2\,000", f"{won:,}".replace(",", r"\,")]
        low, high = map(float, rows[1][6].split("--"))
        assert (low, high) == pytest.approx((100 * interval.low, 100 * interval.high), abs=0.01)
        assert rows[2][1:] == ["50", *rows[2][2:5], "--", "--"], "a file is no random sample, and some are not decided"
        assert sum(map(int, rows[2][2:5])) == 50 and int(rows[2][4]) > 0
        assert rows[4][:3] == [r"\texttt{memory/two-pass}", "100", f"{memory.progress.mean:.2f}"]
        for run in (deals, file, memory):
            assert f"fingerprint: {run.fingerprint}" in text
    assert text.count(r"\begin{tabular}{") == text.count(r"\end{tabular}") == text.count(r"\toprule") == 2
    assert command("export", "1-3", "table.tex", cwd=store).returncode == 1, "it is there"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("export 1 table2.tex --excel", "a .tex file is a table of runs"),
        ("export 7 table2.tex", "the store has no run '7'"),
    ],
)
def test_what_a_table_cannot_have_is_said(words: str, message: str, store: Path) -> None:
    ran = command(*words.split(), cwd=store)
    assert ran.returncode in (1, 2) and message in ran.stderr
    assert not (store / "table2.tex").exists()


def test_names_are_text_to_latex() -> None:
    assert escaped("100% of_a & b#{c}$~^\\") == (
        r"100\% of\_a \& b\#\{c\}\$\textasciitilde{}\textasciicircum{}\textbackslash{}"
    )
    facts = {"engine": "a_b/x%", "version": "1\n2", "source": "s", "max_nodes": 5, "deals": 1_234, "fingerprint": None}
    counts = dict.fromkeys(("winnable", "unwinnable", "scored", "undecided", "failed"), 0)
    row = {**facts, **counts, "estimate": "winnability", "low": 0.25, "high": 0.75, "half_width": 0.25, "value": None}
    comment, *_ = re.findall("^% a_b.*$", latex_table([row]), re.MULTILINE)
    assert comment == "% a_b/x% 1 2, 1,234 of s, at most 5 nodes, fingerprint: not finished"
    assert r"a\_b & 1\,234 & 0 & 0 & 0 & -- & 25.00--75.00 \\" in latex_table([row])
