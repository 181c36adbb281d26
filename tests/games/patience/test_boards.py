"""Positions as other programs write them: boards, and Solvitaire's JSON."""

import json
import re
from dataclasses import replace
from random import Random

import pytest

from dealmill import Result, solve
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
from dealmill.pipeline.games.patience.display.table import Table
from dealmill.pipeline.games.patience.reading.boards import TITLE
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.solve import solve as solve_texts
from tests.games.patience.files import FILES

MICROSOFT_24 = """
4C 2C 9C 8C QS 4S 2H
5H QH 3C AC 3H 4H QD
QC 9S 6H 9H 3S KS 3D
5D 2S JC 5C JH 6D AS
2D KD TH TC TD 8D
7H JS KH TS KC 7C
AH 5S 6S AD 8H JD
7S 6C 7D 4D 8S 9D
"""
"""Deal 24 of Microsoft's FreeCell, as all its solvers print it."""
POSITIONS = [
    "klondike kSKC/-/-/-/-/-/QD foundations:KHQSJD waste:KD",
    "klondike -/-/QSJD/-/-/-/KD foundations:KCKHJSTD stock:QD waste:KS",
    "canfield 6SQD/-/JC/3S base:8 foundations:8C8D reserve:KS stock:3HKD",
    "seahaven-towers KD/-/-/-/-/-/-/-/-/- cells:KSQD foundations:KCKHQSJD",
    "golf 2C/-/-/-/-/-/- hole:3S",
    "free-cell-3-cell KC/-/-/-/-/-/-/- cells:KD foundations:QCKHKSQD",
]


def numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n"), start=1))


@pytest.mark.parametrize(("form", "name"), [(form, name) for name, game in FILES.items() for form in game.writers])
def test_what_is_written_is_read_again(name: str, form: str) -> None:
    game = FILES[name]
    layouts = to_strings(game.deal(7, 1, 12))
    layouts += [text for text in POSITIONS if text.startswith(f"{name} ") and not isinstance(read_one(text), Reject)]
    text = "\n".join(game.writers[form](layout) for layout in layouts)
    assert [entry.text for entry in game.read(numbered(text))] == layouts


def read_one(text: str) -> Layout | Reject:
    [entry] = FILES[text.split(" ", maxsplit=1)[0]].read([(1, text)])
    return entry


def test_the_deals_of_microsoft_are_the_boards_that_solvers_print() -> None:
    for name in ("free-cell-0-cell", "free-cell-3-cell", "bakers-game"):
        game = FILES[name]
        [deal] = to_strings(game.deal(0, 24, 1))
        assert list(game.read(numbered(MICROSOFT_24))) == [Layout(2, deal)]


@pytest.mark.parametrize(
    ("game", "board", "layout"),
    [
        (
            "klondike",
            "Foundations: H-K C-K S-Q D-T\nTalon: qd\n# face down\n: <KS> kd\n:\n:\n:\n:\n:\n: JD\n",
            "klondike KsKD/-/-/-/-/-/JD foundations:KCKHQSTD stock:QD",
        ),
        (
            "seahaven-towers",
            "Foundations: H-K C-K D-0 S-Q\nFreecells: - QD  KS\n: KD JD\n" + ":\n" * 9,
            None,
        ),
        (
            "seahaven-towers",
            "Founds: H-K C-K D-J S-Q\nFC: - QD  KS\n: KD\n" + ":\n" * 9,
            "seahaven-towers KD/-/-/-/-/-/-/-/-/- cells:QDKS foundations:KCKHQSJD",
        ),
        ("golf", "Talon: 3C 4C\nFoundations: AS\n2C\n:\n:\n:\n:\n:\n:", "golf 2C/-/-/-/-/-/- hole:AS stock:3C4C"),
    ],
)
def test_boards_are_written_in_more_than_one_way(game: str, board: str, layout: str | None) -> None:
    [entry] = FILES[game].read(numbered(board))
    assert (entry.text if isinstance(entry, Layout) else None) == layout


@pytest.mark.parametrize(
    "board",
    [
        MICROSOFT_24.translate(str.maketrans("CHSD", "♣♥♠♦")),
        MICROSOFT_24.translate(str.maketrans("CHSD", "♧♡♤♢")).replace(" ", ", "),
        MICROSOFT_24.replace("H", "♥\ufe0f").replace(" ", ","),
        MICROSOFT_24.replace("4C 2C", "Foundations: ♥-0, C-0\nFreecells: -, 4♣\n2♣"),
    ],
)
def test_boards_may_have_signs_for_suits_and_commas(board: str) -> None:
    game = FILES["freecell"]
    [expected] = game.read(numbered(MICROSOFT_24.replace("4C 2C", "Freecells: 4C\n2C" if "Free" in board else "4C 2C")))
    assert isinstance(expected, Layout) and list(game.read(numbered(board))) == [expected]


def test_the_first_column_of_a_board_may_be_empty_or_without_blanks() -> None:
    game = find_game("simple-simon:deck.ranks=2:tableau.sizes=5,3")
    text = "-\n2C2H2S2DACAHASAD\n2C2H2S2D ACAHASAD\n-\n"
    assert [entry.text for entry in game.read(numbered(text))] == [
        f"{game.name} -/2C2H2S2DACAHASAD",
        f"{game.name} 2C2H2S2DACAHASAD/-",
    ]


def test_positions_and_json_may_have_signs_for_suits() -> None:
    game = FILES["freecell"]
    [deal] = to_strings(game.deal(0, 24, 1))
    for text in (deal, game.writers["solvitaire"](deal)):
        signs = text.translate(str.maketrans("CHSD", "♣♥♠♦"))
        assert list(game.read([(1, signs)])) == [Layout(1, deal)]


def test_a_line_that_is_not_of_a_board_is_refused_by_its_number() -> None:
    game = FILES["freecell"]
    [deal] = to_strings(game.deal(0, 24, 1))
    for title in ("FreeCell deal 24", "freecell deal 24", "Deal 24:\n", "Board: 24", "Deal:"):
        first, board = game.read(numbered(title + MICROSOFT_24))
        assert first == Reject(1, title.strip(), (TITLE,)) and TITLE.startswith(
            "this line is not part of a board: delete it, or put # before it (headings are "
        )
        assert isinstance(board, Layout) and board.text == deal
    titles = game.read(numbered(f"Deal 24{MICROSOFT_24}" * 2))
    assert [(type(entry), entry.line) for entry in titles] == [(Reject, 1), (Layout, 2), (Reject, 10), (Layout, 11)]
    board, _ = game.read(numbered(f"AS good{MICROSOFT_24}"))
    assert isinstance(board, Reject)
    assert board.reasons == ("'good' is not a card such as 6H; put # before the line if it is a title",)
    [reject] = game.read(numbered(MICROSOFT_24.replace("3C AC", "3C XC").replace("AS", "oh")))
    assert reject == Reject(
        3, "5H QH 3C XC 3H 4H QD", ("'XC' is not a card such as 6H", "line 5: 'oh' is not a card such as 6H")
    )


def test_a_bad_first_line_leaves_the_positions_after_it() -> None:
    game = FILES["freecell"]
    [deal] = to_strings(game.deal(0, 24, 1))
    entries = list(game.read([(1, "nothing"), (2, deal), (3, "4C 2C")]))
    assert [type(entry) for entry in entries] == [Reject, Layout, Reject]


def test_solvitaires_files_have_defaults_and_numbers_for_ranks() -> None:
    game = FILES["beleaguered-castle"]
    [deal] = to_strings(game.deal(0, 1, 1))
    piles = json.loads(game.writers["solvitaire"](deal))
    del piles["foundations"]
    text = json.dumps(piles, indent=1).replace("J", "11").replace('"Q', '"q')
    assert list(game.read(numbered(f"\n{text}\n"))) == [Layout(2, deal)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Talon: 2C\nColumns: 2C\n2C 3C", "Columns: is not a heading of a board of klondike; there are "),
        ("FC: 2C\n2C 3C", "the number of columns is 1, expected 7"),
        ("Talon: 2C\nTalon: 3C\n4C", "the board has two lines for its stock"),
        ("Talon: 2C", "the lines with headings come before those of the columns"),
        ("9C 9C XX", "'XX' is not a card such as 6H"),
        ("Talon: 2C,XX\n4C", "'XX' is not a card such as 6H"),
        ("4C - 5C", "'-' is not a card such as 6H"),
        ("{", "this is not a JSON object: "),
        *((text, "write each object on a line of its own") for text in ("[", "[{}, {}]", "[\n {\n },\n {}\n]")),
        ('{"tableau": []}', "the key 'tableau' is unknown; there are cells, foundations"),
        ("{}", "the tableau piles are missing, expected a list of lists of cards"),
        ('{"tableau piles": [1]}', "tableau piles: '1' is not a list of cards such as 6H"),
        ('{"tableau piles": [["6H", "9z"]]}', "tableau piles: '9z' is not a card such as 6H"),
        ('{"tableau piles": [], "stock": ["6X", "6H"]}', "stock: '6X' is not a card such as 6H"),
        ('{"tableau piles": [], "hole": 3}', "hole: '[3]' is not a list of cards such as 6H"),
        ('{"tableau piles": [[""], [""]]}', "the number of columns is 2, expected 7"),
        ('{"tableau piles": ' + "[" * 100_000, "the object is longer than 100,000 characters"),
        ('{"tableau piles": ' + "[" * 9_000 + "}", "this is not a JSON object: "),
    ],
)
def test_the_reason_is_given(text: str, reason: str) -> None:
    [entry] = FILES["klondike"].read(numbered(text))
    assert isinstance(entry, Reject)
    assert any(reason in given for given in entry.reasons), entry.reasons


def test_a_board_ends_with_its_last_column_a_blank_line_or_a_heading() -> None:
    game = FILES["klondike"]
    layouts = to_strings(game.deal(1, 1, 3))
    board = [game.writers["board"](layout) for layout in layouts]
    short = "Talon: 2C\n3C 4C\n"
    entries = list(game.read(numbered(board[0] + board[1] + short + board[2] + short + "\n" + board[0])))
    assert [isinstance(entry, Layout) for entry in entries] == [True, True, False, True, False, True]


def test_damaged_boards_and_files_are_refused_with_a_reason() -> None:
    random = Random(1)
    for name in ("klondike", "canfield", "golf", "seahaven-towers"):
        game = FILES[name]
        [deal] = to_strings(game.deal(1, 1, 1))
        for write in game.writers.values():
            text = write(deal)
            for _ in range(60):
                first, last = sorted(random.sample(range(len(text)), 2))
                altered = (
                    text[:first] + random.choice(["", text[first:last] * 2, "\n", "}", "{", "<", ":"]) + text[last:]
                )
                for entry in game.read(numbered(altered)):
                    assert isinstance(entry, Layout) or entry.reasons
                    assert isinstance(entry, Reject) or list(game.read([(1, entry.text)])) == [Layout(1, entry.text)]


PASSES = find_game("klondike:stock.passes=3")
PASSES_RULES = replace(FILES["klondike"].rules, name=PASSES.name, passes=3)
[PASSES_DEAL] = to_strings(PASSES.deal(0, 2, 1))
TURNED = f"{PASSES_DEAL.replace('stock:8D4D7H', 'stock:')} waste:8D4D7H"
TAKEN = PASSES_DEAL.replace("QS/TcJcTS", "QS8D/TcJcTS").replace("5H/9s8S", "5H8D/9s8S").replace("stock:8D", "stock:")


def boards_without(part: str, layout: str) -> list[tuple[int, str]]:
    return numbered(re.sub(f"{part}:.*\n", "", PASSES.writers["board"](layout)))


def test_passes_left_out_are_all_passes_before_the_stock_is_turned() -> None:
    assert " passes:2 " in PASSES_DEAL
    line = PASSES_DEAL.replace(" passes:2", "")
    read_before = [[(1, line)], boards_without("Passes", PASSES_DEAL), [(1, PASSES.writers["solvitaire"](PASSES_DEAL))]]
    for lines in (*read_before, [(1, line.replace(PASSES.name, "klondike"))]):
        assert [entry.text for entry in PASSES.read(lines)] == [PASSES_DEAL]
    assert solve(PASSES.name, line).verdict is solve(PASSES.name, PASSES_DEAL).verdict is Verdict.WINNABLE
    assert solve(PASSES.name, PASSES_DEAL.replace("passes:2", "passes:0")).verdict is Verdict.UNWINNABLE
    used_up = f"{PASSES.name} KS/-/-/-/-/-/- foundations:KCKHQSKD"
    assert [entry.text for entry in PASSES.read([(1, used_up)])] == [f"{used_up} passes:0"]


@pytest.mark.parametrize("layout", [TURNED, TAKEN])
def test_passes_left_out_later_are_an_error_that_says_what_to_add(layout: str) -> None:
    [line] = PASSES.read([(1, layout.replace(" passes:2", ""))])
    [board] = PASSES.read(boards_without("Passes", layout))
    piles = json.loads(PASSES.writers["solvitaire"](PASSES_DEAL))
    piles |= {"waste": ["8D"], "stock": piles["stock"][:-1]}
    [piled] = PASSES.read([(1, json.dumps(piles))])
    for entry, hint in [
        (line, "add passes:0 or passes:1 or passes:2 to the line"),
        (board, "add a line such as passes:0 or passes:1 or passes:2 before the columns"),
        (piled, "Solvitaire's files have no word for them, so write it as a line with passes:0 or"),
    ]:
        assert isinstance(entry, Reject) and "cards of the stock were turned" in entry.reasons[0]
        assert hint in entry.reasons[0]


@pytest.mark.parametrize("layout", [PASSES_DEAL, TURNED, TAKEN])
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_all_forms_say_the_passes(layout: str, passes: int) -> None:
    layout = layout.replace("passes:2", f"passes:{passes}")
    board = PASSES.writers["board"](layout)
    assert f"Passes: {passes}\n" in board
    assert list(PASSES.read([(1, layout)])) == [Layout(1, layout)]
    assert [entry.text for entry in PASSES.read(numbered(board))] == [layout]
    if (layout, passes) == (PASSES_DEAL, 2):
        assert list(PASSES.read([(1, PASSES.writers["solvitaire"](layout))])) == [Layout(1, layout)]
    else:
        with pytest.raises(UsageError, match=r"cannot say how many passes are left.* limits: .*before the first turn"):
            PASSES.writers["solvitaire"](layout)


def test_positions_in_play_say_that_no_pass_is_left() -> None:
    for seed in range(3):
        display, random = PatienceDisplay(Referee(PASSES_RULES)), Random(seed)
        table = Table(display, PASSES_DEAL)
        for _ in range(40):
            assert list(PASSES.read([(1, table.layout)])) == [Layout(1, table.layout)]
            if not (words := [choice.word for choice in table.choices]):
                break
            table = Table(display, table.layout, [random.choice(words)])


def test_texts_of_earlier_versions_have_no_pass_left() -> None:
    """They left out `passes:0`: engines and referee take them as before, and what is written says it."""
    now, before = PASSES_DEAL.replace("passes:2", "passes:0"), PASSES_DEAL.replace(" passes:2", "")
    assert PASSES.spellings(now) == PASSES.spellings(before) == (now, before)
    assert PASSES.spellings(PASSES_DEAL) == (PASSES_DEAL,)
    assert is_canonical(PASSES, before) and is_canonical(PASSES, now)
    assert not is_canonical(PASSES, before.replace(" stock", "  stock"))
    engine = PASSES.full_name(PASSES.engines[0])
    batch = solve_texts(engine, [before, now])
    assert len({*zip(batch.verdicts, batch.nodes, batch.evidence, strict=True)}) == 1
    assert batch.verdicts[0] is Verdict.UNWINNABLE
    assert judge(engine, before, batch.verdicts[0], None, batch.evidence[0]).valid
    assert "Passes: 0\n" in PASSES.writers["board"](before)
    [stored] = [Result(engine, before, *batch_row, 1, 1) for batch_row in [(batch.verdicts[0], None, 1, None)]]
    assert solve(PASSES.name, stored).layout == now
    assert solve(PASSES.name, [stored])[0].verdict is Verdict.UNWINNABLE


def test_boards_of_klondike_solver_have_the_waste_before_the_talon() -> None:
    game = FILES["klondike"]
    [deal] = to_strings(game.deal(0, 2, 1))
    board = game.writers["board"](deal)
    first, *rest = re.findall("..", deal.partition("stock:")[2])
    for talon, parts in [
        (f"==> {' '.join([first, *rest])} <==", f"stock:{first}{''.join(rest)}"),
        (f"{rest[0]} {first} ==> {' '.join(rest[1:])} <==", f"stock:{''.join(rest[1:])} waste:{first}{rest[0]}"),
        (f"{' '.join([first, *rest][::-1])} ==> <==", f"waste:{first}{''.join(rest)}"),
    ]:
        text = re.sub("Talon: .*", f"Foundations: H-0 C-0 D-0 S-0\nTalon: {talon}", board)
        assert [entry.text for entry in game.read(numbered(text))] == [f"{deal.partition(' stock:')[0]} {parts}"]
    [reject] = game.read(numbered(re.sub("Talon: .*", f"Talon: ==> {first}", board)))
    assert isinstance(reject, Reject) and "'==>' is not a card" in reject.reasons[0]


@pytest.mark.parametrize(
    ("altered", "line", "reason"),
    [
        (("QC 9S 6H", "QC 9S \uff16\uff28"), 4, "'\uff16\uff28' are full-width characters: write '6H'"),
        (("4C 2C", "\uff14\uff23 2C"), 2, "'\uff14\uff23' are full-width characters: write '4C'"),
        (("4C 2C", "Foundations\uff1a H-0\n4C 2C"), 2, "'\uff1a' are full-width characters: write ':'"),
        (("9S KS 3D", "9S KS <3D>"), 4, "a card is missing: <3D>, the last one of the column, lies face down"),
        (("9S KS 3D", "9S <KS> 3D"), 4, "<KS> lies face down on a card that lies face up"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_number(altered: tuple[str, str], line: int, reason: str) -> None:
    for game in ("freecell", "klondike"):
        text = MICROSOFT_24.replace("3H 4H QD", "3H 4H QD").replace("9H 3S KS", "9H 9S KS").replace(*altered)
        rejects = [entry for entry in FILES[game].read(numbered(text)) if isinstance(entry, Reject)]
        assert (rejects[0].line, rejects[0].reasons[0]) == (line, reason)


def test_boards_of_full_width_characters_are_named() -> None:
    wide = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)} | {" ": "\u3000"})
    rejects = FILES["freecell"].read(numbered(MICROSOFT_24.translate(wide)))
    assert {reject.reasons[0].partition(" are ")[2][:21] for reject in rejects if isinstance(reject, Reject)} == {
        "full-width characters"
    }


def test_objects_with_a_board_under_pysol_format_are_read() -> None:
    game = FILES["freecell"]
    [deal] = to_strings(game.deal(0, 24, 1))
    for indent in (None, 2):
        text = json.dumps({"seed": 24, "pysol_format": MICROSOFT_24.strip(), "cards": [{"rank": "4"}]}, indent=indent)
        assert [entry.text for entry in game.read(numbered(f"{text}\n{text}"))] == [deal, deal]
    for board, reason in [
        (MICROSOFT_24.replace("5H QH", "5H XX"), "line 3 of pysol_format: 'XX' is not a card such as 6H"),
        (MICROSOFT_24 * 2, "pysol_format has 2 boards, expected one"),
    ]:
        [reject] = game.read([(1, json.dumps({"pysol_format": board}))])
        assert isinstance(reject, Reject) and reject.reasons == (reason,)
