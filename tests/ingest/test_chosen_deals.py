"""Numbered deals that are a list, a sample, or the numbers in a file."""

import json
from pathlib import Path

import pytest

import dealmill
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.deals import DealRange, deal_count, parse_deal_range, sampled_deals
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.sources.writing import open_deals
from dealmill.stores import Store

MEMORY = "deal:memory:seed=1"


def numbers_of(deals: DealRange) -> list[int]:
    return [layout.line for layout in deals]


def texts_of(numbers: list[int]) -> list[str]:
    return [next(iter(parse_deal_range(f"{MEMORY}:{number}"))).text for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "name", "dealt"),
    [
        ("1,15,19", "1,15,19", [1, 15, 19]),
        ("19,1-3,2-5,15", "1-5,15,19", [1, 2, 3, 4, 5, 15, 19]),
        ("2,1,3", "1-3", [1, 2, 3]),
        ("7", "7-7", [7]),
        ("11-20:sample=10", "11-20", list(range(11, 21))),
    ],
)
def test_a_list_is_a_set_of_numbers_under_one_name(numbers: str, name: str, dealt: list[int]) -> None:
    deals = parse_deal_range(f"{MEMORY}:{numbers}")
    assert deals.name == f"{MEMORY}:{name}"
    assert numbers_of(deals) == dealt
    assert [layout.text for layout in deals] == texts_of(dealt)
    assert parse_deal_range(deals.name) == deals == DealRange.of(deals.game, json.loads(json.dumps(deals.numbers)))
    assert deal_count(deals.numbers) == len(deals) == len(dealt)


def test_a_sample_is_drawn_as_documented_and_evenly() -> None:
    """One number from each of as many stretches, by the seed, in whatever parts it is dealt."""
    deals = parse_deal_range(f"{MEMORY}:101-1000100:sample=25000:sample-seed=7")
    expected = [100 + sampled(number, 25_000, 1_000_000, 7) for number in range(1, 25_001)]
    assert [number for part in deals.parts() for number in part.lines.tolist()] == expected
    assert expected != [100 + sampled(number, 25_000, 1_000_000, 1) for number in range(1, 25_001)]
    assert all((number - 101) // 40 == stretch for stretch, number in enumerate(expected))
    assert numbers_of(deals.part(20_001, 20_004)) == expected[20_000:20_003]
    assert DealRange.of(deals.game, deals.numbers) == deals == parse_deal_range(deals.name)
    assert sampled_deals(MEMORY, 25_000, "101-1000100", 7) == deals.name


def test_parts_of_spans_are_cut_by_position() -> None:
    deals = parse_deal_range(f"{MEMORY}:3-5,9,12-20,40")
    every = numbers_of(deals)
    for first in range(1, len(deals) + 1):
        for stop in range(first + 1, len(deals) + 2):
            assert numbers_of(deals.part(first, stop)) == every[first - 1 : stop - 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{MEMORY}:1,", "is not a range of deals"),
        (f"{MEMORY}:0,4", "the number of the first deal"),
        (f"{MEMORY}:4,9-7", "the first number exceeds the last"),
        (f"{MEMORY}:1-:sample=5", "a range with an end"),
        (f"{MEMORY}:1-4:sample=5", "the size of the sample"),
        (f"{MEMORY}:1,9:sample=1", "not from some deals of it"),
    ],
)
def test_what_is_no_choice_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_deal_range(text)


def test_lists_that_are_too_long_for_a_name_belong_into_a_file() -> None:
    with pytest.raises(UsageError, match="write the numbers to a file, and read it with: --deals deal:memory:seed=1"):
        dealmill.deals("memory", numbers=range(1, 9_000, 2))
    assert numbers_of(dealmill.deals("memory", numbers=[9, 4, 9])) == [4, 9]


def test_a_list_is_one_source_whose_lines_are_the_numbers(sqlite_store: Database) -> None:
    store = Store(sqlite_store)
    [source] = store.ingest(f"{MEMORY}:19,1,15").sources
    assert (source.name, source.accepted) == (f"{MEMORY}:1,15,19", 3)
    assert store.ingest(f"{MEMORY}:1,15,19").sources == [source]
    assert open_deals(sqlite_store, parse_deal_range(f"{MEMORY}:1,15,19")) == source
    [match] = store.find(f"{MEMORY}:15")
    assert (match.position, match.line) == (2, 15)


@pytest.mark.parametrize(("name", "header", "column"), [("a.csv", "x,n\n", "n"), ("a.txt", "", None)])
def test_a_file_has_the_numbers_of_deals(
    sqlite_store: Database, tmp_path: Path, name: str, header: str, column: str | None
) -> None:
    """Its order stays, and what is no number is a reject with its line."""
    blank = "0," if header else ""
    file = tmp_path / name
    file.write_text(header + "".join(f"{blank}{number}\n" for number in (900, 4, "x", 7, 900)))
    store = Store(sqlite_store)
    [source] = store.ingest(str(file), deals=MEMORY, number_column=column).sources
    assert (source.accepted, source.duplicates, source.rejected) == (4, 1, 1)
    [(_, reject)] = store.rejects(source=source.id)
    assert (reject.line, reject.reasons) == (
        3 + bool(header),
        ("the number of the deal is 'x', not a whole number",),
    )
    for position, number in enumerate((900, 4, 7, 900), start=1):
        matches = store.find(f"{MEMORY}:{number}")
        assert (position, number) in [(match.position, match.line) for match in matches]
    run = store.queue(source.id).progress
    assert (run.line_name, run.is_random, run.endless, deal_count(run.deals)) == ("deal", False, False, None)


def test_a_number_out_of_range_rejects_no_other(sqlite_store: Database, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("".join(f"{number}\n" for number in (0, 1, 2, 9, "x", 3, 11, 10)))
    store = Store(sqlite_store)
    [source] = store.ingest(str(file), deals=f"{MEMORY}:2-10").sources
    assert (source.accepted, source.rejected) == (4, 4)
    assert [reject.line for _, reject in store.rejects(source=source.id)] == [1, 2, 5, 7]


def test_files_of_numbers_need_a_range_of_deals(sqlite_store: Database, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1\n")
    store = Store(sqlite_store)
    with pytest.raises(UsageError, match="so name a range of deals, or a seed"):
        store.ingest(str(file), deals=f"{MEMORY}:1,9")
    with pytest.raises(UsageError, match="is not the game of"):
        store.ingest(str(file), game="camelot", deals=MEMORY)
    with pytest.raises(UsageError, match="has no columns"):
        store.ingest(f"{MEMORY}:1-3", deals=MEMORY)


def test_only_random_deals_estimate_all(sqlite_store: Database) -> None:
    store = Store(sqlite_store)
    named = {f"{MEMORY}:1-9": True, f"{MEMORY}:1,9": False, f"{MEMORY}:1-900:sample=9": True}
    assert {name: store.queue(name).progress.is_random for name in named} == named
