"""Programs that do what they should not: what becomes of the layout at which they do, and of the others."""

from pathlib import Path
from typing import Any

import pytest

from dealmill.pipeline.errors import ProgramError, VersionError
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.programs import solver
from dealmill.pipeline.programs.process import Process
from dealmill.pipeline.programs.protocol import OUT_OF_TURN
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal
from tests.programs.conftest import Declare
from tests.programs.processes import left_in

ENGINE = "memory/program"
LAYOUTS = deal(find_game("memory"), 7, 1, 9, pairs=6)
PLACE = 4
POISON = LAYOUTS[PLACE]
LIMIT = 40
SCORED = "scored"
FAILURES = {
    "exits with 3": "retryable: it ended with exit code 3",
    "crashes": "retryable: it ended by SIGSEGV",
    "aborts": "retryable: it ended by SIGABRT",
    "kills itself": "retryable: it ended by SIGKILL",
    "is killed": "retryable: it ended by SIGKILL",
    "is killed by signal 40": "retryable: it ended by signal 40",
    "hangs": "retryable: it gave no answer within 1 s",
    "closes its output": "retryable: it closed its output",
    "eats memory": "retryable: it ended with exit code 1",
    "floods one line": "it wrote a line of more than 1,048,576 bytes",
    "floods lines": OUT_OF_TURN,
    "writes errors forever": "retryable: it gave no answer within 1 s",
    "warns at length": SCORED,
    "writes no JSON": "it wrote 'winnable', not a JSON object",
    "answers another layout": OUT_OF_TURN,
    "answers twice": SCORED,
    "answers everything twice": SCORED,
    "talks first": OUT_OF_TURN,
    "claims a win": "the verdict is 'winnable', not one of: scored, undecided",
    "invents a verdict": "the verdict is 'won', not one of: scored, undecided",
    "leaves a child": SCORED,
    "dies with a child": "retryable: it ended with exit code 5",
    "answers and exits": SCORED,
    "starts slowly": SCORED,
    "has its manifest edited": SCORED,
}
"""What becomes of the layout, by fault."""
REFUSED = {
    "does not greet": "it gave no answer within 1 s",
    "does not start": "it ended with exit code 1; its error output ends with: there is no library",
    "is another version": "it says that 'version' is '2', not '1'",
    "is another game": "it says that 'game' is 'hi-q', not 'memory'",
    "is another engine": "it says that 'name' is 'other', not 'program'",
    "speaks another protocol": "it says that 'dealmill' is 2, not 1",
}
EVERYWHERE = "knows one layout"
EXPECTED = solve("memory/two-pass", LAYOUTS)


def seconds_for(outcome: str) -> float:
    """Return the time for an answer: little for programs that take all of it, and more than others need on a busy
    machine."""
    return 1.0 if outcome.endswith("within 1 s") else 60.0


def processes_of(folder: Path) -> int:
    """Stop the program, and return the number of processes that it leaves."""
    solver._stop()
    return left_in(folder)


@pytest.mark.parametrize("fault", FAILURES)
def test_a_faulty_answer_affects_one_layout_only(fault: str, declare: Declare, tmp_path: Path) -> None:
    declare(fault, POISON, seconds=seconds_for(FAILURES[fault]), memory=200)
    batch = solve(ENGINE, LAYOUTS, LIMIT)
    others = [index for index in range(len(LAYOUTS)) if index != PLACE]
    if fault != "talks first":
        for index in others:
            assert batch.verdicts[index] is Verdict.SCORED
            assert batch.values[index] == EXPECTED.values[index]
            assert batch.evidence[index] == EXPECTED.evidence[index]
    if FAILURES[fault] == SCORED:
        assert batch.evidence[PLACE] == EXPECTED.evidence[PLACE]
    else:
        assert batch.verdicts[PLACE] is Verdict.FAILED
        assert (batch.evidence[PLACE] or "").startswith(FAILURES[fault])
    assert processes_of(tmp_path / "engines") == 0


@pytest.mark.parametrize("fault", REFUSED)
def test_a_program_without_the_right_greeting_solves_nothing(fault: str, declare: Declare, tmp_path: Path) -> None:
    declare(fault, handshake_seconds=seconds_for(REFUSED[fault]))
    with pytest.raises(ProgramError) as raised:
        solve(ENGINE, LAYOUTS)
    assert str(raised.value) == f"{ENGINE} did not start: {REFUSED[fault]}"
    assert processes_of(tmp_path / "engines") == 0


def test_a_program_that_changes_on_disk_is_not_used(declare: Declare, tmp_path: Path) -> None:
    declare("changes on disk", POISON)
    _, before = find_engine(ENGINE)
    with pytest.raises(VersionError, match=rf"the files of {ENGINE} have changed: version 1\+\w+ is now 1\+\w+"):
        solve(ENGINE, LAYOUTS)
    _, after = find_engine(ENGINE)
    assert after.version != before.version
    declare("is written again", POISON)
    with pytest.raises(VersionError, match=rf"the files of {ENGINE} were written to while it ran"):
        solve(ENGINE, LAYOUTS)
    assert processes_of(tmp_path / "engines") == 0


def test_a_layout_is_tried_again_unless_it_had_a_fresh_process(
    declare: Declare, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(EVERYWHERE, POISON)
    started = list[Process]()

    def start(*arguments: Any) -> Process:
        started.append(Process(*arguments))
        return started[-1]

    monkeypatch.setattr(solver, "Process", start)
    solved = solve(ENGINE, [POISON, *LAYOUTS[:3], POISON])
    assert solved.verdicts.count(Verdict.FAILED) == 3
    assert len(started) == 5, (
        "two for the first of those that fail, one for each of the others, one for the last layout"
    )


def test_failures_in_a_row_are_counted_only_if_they_are_equal(declare: Declare) -> None:
    declare(EVERYWHERE, POISON, same_failures=3)
    few = [*LAYOUTS[:2], POISON, *LAYOUTS[:2]]
    assert solve(ENGINE, few).verdicts.count(Verdict.FAILED) == 4
    message = (
        "failed on 3 layouts in a row in the same way, .*: it ended with exit code 1; its error output ends with: there"
    )
    for _ in range(2):
        with pytest.raises(ProgramError, match=message):
            solve(ENGINE, LAYOUTS[:3])
    assert solve(ENGINE, [POISON, *LAYOUTS[:2]]).verdicts.count(Verdict.FAILED) == 2
    with pytest.raises(ProgramError, match=message):
        solve(ENGINE, LAYOUTS[:1])
    declare(EVERYWHERE, POISON, same_failures=4)
    assert solve(ENGINE, LAYOUTS[:3]).verdicts.count(Verdict.FAILED) == 3
