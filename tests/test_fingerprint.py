"""The fingerprint of a run: what it depends on, and what it does not."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.evidence.digests import BLOCK, block_digest, block_of, block_range, fingerprint, whole_blocks
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Solved, to_batch, to_texts
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.solve import solve
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import a_run, a_source, deal, do_job

ENGINE = "memory/two-pass"
NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1)
TEXTS = st.text(st.characters(codec="ascii"), max_size=9)
LAYOUTS = deal(find_game("memory"), 3, 1, 2_500, pairs=4)
COLUMNS = (["AABB", "ABAB"], [3, 3], [4, 6], ["1 2 3 4", ""])
OF_THESE_DEALS = "9783afdc1f15c7b7"


def written_out(run: list[tuple[str, int, int | None, str | None]]) -> str:
    """The fingerprint as the documentation describes it, written a second time."""
    digests = b""
    for start in range(0, len(run), 1_000):
        block = run[start : start + 1_000]
        encoded = number(start + 1, 8) + number(len(block), 8)
        encoded += b"".join(number(verdict, 1) for _, verdict, _, _ in block)
        encoded += b"".join(number(-(2**63) if value is None else value, 8) for _, _, value, _ in block)
        for column in (0, 3):
            texts = [row[column] for row in block]
            encoded += b"".join(number(-1 if text is None else len(str(text)), 4) for text in texts)
            encoded += "".join(str(text) for text in texts if text is not None).encode("ascii")
        digests += blake3(encoded).digest()
    return blake3(digests).hexdigest()


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=True)


def of(database: Database, run: RunStatus) -> str | None:
    return fingerprint_of(database, run.id, run.items)


@given(st.integers(1, 10**9))
def test_consecutive_blocks_cover_all_items(position: int) -> None:
    first, stop = block_range(block_of(position), 10**9)
    assert first <= position < stop <= first + BLOCK
    assert first == 1 or block_of(first - 1) == block_of(first) - 1


def test_a_digest_depends_on_every_part() -> None:
    plain = block_digest(1, *COLUMNS)
    layouts, verdicts, values, evidence = COLUMNS
    others = [
        block_digest(2, *COLUMNS),
        block_digest(1, ["AABB", "ABBA"], verdicts, values, evidence),
        block_digest(1, layouts, [3, 4], values, evidence),
        block_digest(1, layouts, verdicts, [4, None], evidence),
        block_digest(1, layouts, verdicts, values, ["1 2 3 4", None]),
        block_digest(1, ["AABBA", "BAB"], verdicts, values, evidence),
        block_digest(1, layouts[:1], verdicts[:1], values[:1], evidence[:1]),
    ]
    assert len({plain, *others}) == len(others) + 1
    assert block_digest(1, *COLUMNS) == plain


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(Verdict), NUMBERS, TEXTS, TEXTS), min_size=1, max_size=5), st.randoms())
@settings(max_examples=30)
def test_whole_blocks_have_the_same_digests_whatever_is_in_them(
    rows: list[tuple[Verdict, int, str, str]], chance: random.Random
) -> None:
    chosen = chance.choices(rows, k=BLOCK)
    verdicts, numbers, layouts, evidence = map(list, zip(*chosen, strict=True))
    told = ["" if verdict is Verdict.UNDECIDED else text for verdict, text in zip(verdicts, evidence, strict=True)]
    values = np.array(numbers, dtype=np.int64)
    solved = Solved(np.array(verdicts, dtype=np.int8), values, values, to_texts(told))
    batch = to_batch(solved)
    digest = block_digest(1, layouts, batch.verdicts, batch.values, batch.evidence)
    assert whole_blocks(1, to_texts(layouts), solved) == {0: digest}


@pytest.mark.parametrize("strange", ["3", 2**70, None, 1.5, b"3"])
def test_values_of_any_type_in_a_row_change_the_digest(strange: Any) -> None:
    layouts, verdicts, values, evidence = COLUMNS
    plain = block_digest(1, *COLUMNS)
    assert block_digest(1, layouts, [3, strange], values, evidence) != plain
    assert block_digest(1, layouts, verdicts, [4, strange], evidence) != plain


def test_a_finished_run_has_the_fingerprint_that_the_documentation_describes(database: Database) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    assert of(database, run) == written_out(solved_rows(LAYOUTS))


def solved_rows(layouts: list[str]) -> list[tuple[str, int, int | None, str | None]]:
    solved = solve(ENGINE, layouts)
    verdicts = map(int, solved.verdicts)
    return list(zip(layouts, verdicts, solved.values, solved.evidence, strict=True))


@pytest.mark.parametrize("chunk", [1_000, 2_500, 333])
def test_a_fingerprint_does_not_depend_on_jobs_and_their_order(chunk: int, database: Database) -> None:
    source = a_source(database, ENGINE, LAYOUTS)
    number = insert_run(database, source, ENGINE, "1", None, chunk=chunk)
    left = leases.pending(database, SOLVING, installed_engines(), 100)
    random.Random(chunk).shuffle(left)
    for job_number in left:
        assert fingerprint_of(database, number, len(LAYOUTS)) is None
        do_job(database, job_number)
    assert fingerprint_of(database, number, len(LAYOUTS)) == written_out(solved_rows(LAYOUTS))


def test_a_fingerprint_does_not_depend_on_splits(database: Database) -> None:
    number = insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None, chunk=2_000)
    for attempt in range(6):
        for job_number in leases.pending(database, SOLVING, installed_engines(), 1_000)[attempt % 2 :: 2]:
            SOLVING_JOBS.claim(database, job_number, "dies", -1.0)
        leases.free_expired(database, SOLVING)
    for job_number in leases.pending(database, SOLVING, installed_engines(), 1_000):
        do_job(database, job_number)
    assert find_run(database, number).jobs > 10
    assert fingerprint_of(database, number, len(LAYOUTS)) == written_out(solved_rows(LAYOUTS))


def test_jobs_that_end_a_block_at_the_same_moment_leave_its_digest(database: Database) -> None:
    number = insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None, chunk=50)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(partial(do_job, database), leases.pending(database, SOLVING, installed_engines(), 100)))
    assert fingerprint_of(database, number, len(LAYOUTS)) == written_out(solved_rows(LAYOUTS))


def test_a_fingerprint_differs_if_any_layout_verdict_value_or_evidence_differs(database: Database) -> None:
    first = of(database, a_run(database, ENGINE, LAYOUTS[:50]))
    swapped = of(database, a_run(database, ENGINE, [LAYOUTS[1], LAYOUTS[0], *LAYOUTS[2:50]], name="b.txt"))
    incremental = of(database, a_run(database, "memory/incremental", LAYOUTS[:50], name="a.txt"))
    fewer = of(database, a_run(database, ENGINE, LAYOUTS[:49], name="c.txt"))
    assert None not in {first, swapped, incremental, fewer}
    assert len({first, swapped, incremental, fewer}) == 4
    assert of(database, a_run(database, ENGINE, LAYOUTS[:50], max_nodes=10**6)) == first


def test_an_empty_run_has_a_fingerprint(database: Database) -> None:
    assert of(database, a_run(database, ENGINE, [])) == fingerprint([])


def test_fingerprints_do_not_change_between_versions(database: Database) -> None:
    assert str(of(database, a_run(database, ENGINE, LAYOUTS))).startswith(OF_THESE_DEALS)
