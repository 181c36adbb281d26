"""Solutions of FreeCell and its relatives in standard notation, of several programs."""

from collections.abc import Iterator

import pytest

from dealmill import InvalidEvidence, UsageError, after, check, solve
from dealmill.pipeline.evidence.referee import Outcome, judge
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import deal
from tests.games.patience.files import FILES

GAMES = ["freecell", "free-cell-2-cell", "bakers-game", "seahaven-towers", "eight-off", "beleaguered-castle"]
RANKS, SUITS, LETTERS = "A23456789TJQK", "CHSD", "abcdefgk"
STORED = [
    (
        "freecell",
        24,
        "freecell-solver",
        "4h 7a 7b 7h 1c 1d a1 7a 74 7h ch 2c 27 2h 7h 2h 67 c6 75 2c 27 d2 2d 2h 45 32 73 87 87 c8 85 a8 4c "
        "4a 46 4h d4 24 3d 32 3h d2 3d a3 4a 4h 48 34 3h b3 54 5h 8b 8h 87 b8 87 8h 3b 38 c3 b8 45 6c 6b 64 "
        "d6 b4 c4 1d 1b 16 1c 1h 5h 1h a1 42 1a c1 81 24 8c a8 42 8a b8 d8 5b 5h 7d 7h 76 7h ch 51 5c 52 53 "
        "73 a7 63 68 6a 64 6h 16 1h 1h 8h 5h 8h 4h c1 5c 5h 7h bh dh 6h 3h 1h 3h 1h 3h 3h 3h 2h 8h 8h 4h 2h "
        "3h 4h 2h 2h ah ch",
    ),
    (
        "seahaven-towers",
        8,
        "freecell-solver",
        "-=-=-=-=-=-=-=-=-=-=-=-\n\n4h 2h 3h bh a6 7c 7h 7d 7b 7h 2a b2 a3 4b 4a 4h b3 8b 84 a8 85 102 10h "
        "10h 2h 2h 2h 2h 102 67v2 8a 8h 6h 9h a9 6a 6h 9h 9h c6 a6 61 94 510v3 2c 2a 2h 53 59 5h 5h 1h 1h 1h "
        "1h 1h 4h 4h 4h dh a1 c1 39 3h 3h 1h 1h 1h 1h 1h 9h 9h 9h 9h 9h 9h 10h 10h 10h 9h bh 3h 7h 7h\n\nThis"
        " game is solveable.\nTotal number of states checked is 176.\n",
    ),
    (
        "eight-off",
        8,
        "freecell-solver",
        "2h 1h bh 3e 3f 3g 3k d3 fh k6 4b g4 5d 5f 5h 4h 4h 4h 3h 3h 1h 5k f5 4g 4f d4 g3 2d 2g 2h 8h 8h 8h "
        "d7 2d 2h kh d6 5k 5d 5h fh 84 8f 8h 6h 6h 6h 6h 6h b2 a2 1b 1a d1 a6 k1 f1 6d 6a 6k 6h 7h 7h kh 1h "
        "1h 1h 1h 1h 2h 2h 7f 7h 7h 7h 3h 3h 4h 4h 4h 7h dh fh ah bh gh ch eh",
    ),
    ("freecell", 1, "macroxue", "1:6r6r7r764r7r86472482835254455418131r586125762r272r123r3241"),
    (
        "freecell",
        1941,
        "macroxue",
        "1r153r3r3r4h5h873715168381b1737r7h717376265h8753585ha856756567686r4146",
    ),
]
"""Solutions as those programs write them, of numbered deals."""


def won(game: str, layout: str, moves: str) -> bool:
    """Return whether our moves win, by the referee."""
    return judge(f"{game}/winnable", layout, Verdict.WINNABLE, None, moves).valid


def read(game: str, program: str, layout: str, text: str) -> str:
    return FILES[game].notations[program](layout, text, whole=True)


@pytest.mark.parametrize(("game", "number", "program", "text"), STORED)
def test_solutions_of_other_programs_win(game: str, number: int, program: str, text: str) -> None:
    [layout] = deal(FILES[game], 0, number, 1)
    assert won(game, layout, read(game, program, layout, text))
    assert check(game, layout, "winnable", text, notation=program).valid


class Written:
    """A naive player, who writes moves of single cards as a program does."""

    def __init__(self, game: str, program: str, layout: str) -> None:
        self.rules, self.program = FILES[game].rules, program
        _, columns, *parts = layout.split(" ")
        cards = {name: cut(text) for name, text in (part.split(":") for part in parts)}
        self.columns = [cut(column) for column in columns.split("/")]
        self.cells: list[str | None] = [*cards.get("cells", []), *[None] * self.rules.cells][: self.rules.cells]
        self.up = dict.fromkeys(SUITS, 0) | {top[1]: RANKS.index(top[0]) + 1 for top in cards.get("foundations", [])}
        self.tokens = list[str]()
        self.leave()

    def place(self, card: str) -> str:
        for number, column in enumerate(self.columns, start=1):
            if column[-1:] == [card]:
                return str(number)
        held = [cell for cell in self.cells if cell] if self.program == "macroxue" else self.cells
        return LETTERS[held.index(card)] if card in held else ""

    def take(self, card: str) -> None:
        for column in self.columns:
            if column[-1:] == [card]:
                column.pop()
        self.cells = [None if cell == card else cell for cell in self.cells]
        if self.program == "macroxue":
            self.cells.sort(key=lambda cell: cell is None)

    def leaves(self, card: str) -> bool:
        height, build = RANKS.index(card[0]) + 1, self.rules.build
        if self.program == "freecell-solver" or self.up[card[1]] != height - 1:
            return False
        others = [suit for suit in SUITS if build == "any-suit" or (suit in "HD") != (card[1] in "HD")]
        needless = height <= 2 or build == "same-suit" or all(self.up[suit] >= height - 1 for suit in others)
        return self.program == "macroxue" or needless

    def leave(self) -> None:
        tops = [*filter(None, self.cells), *(column[-1] for column in self.columns if column)]
        for card in filter(self.leaves, tops):
            self.take(card)
            self.up[card[1]] += 1
            self.leave()
            return

    def play(self, word: str) -> bool:
        """Play a move, and return whether that is possible, as long as its card has not left by itself."""
        card, target = word[:2], word[2:]
        if RANKS.index(card[0]) < self.up[card[1]]:
            return True
        source = self.place(card)
        goal = {"f": "h", "c": "r"}.get(target, "")
        if target == "c" and self.program != "macroxue":
            goal = LETTERS[self.cells.index(None)]
        elif target == "e":
            goal = str(1 + self.columns.index([])) if [] in self.columns else ""
        elif len(target) == 2 and self.place(target).isdecimal():
            goal = self.place(target)
        if not goal or (goal == "r" and None not in self.cells):
            return False
        self.take(card)
        if target == "f":
            self.up[card[1]] += 1
        elif target == "c":
            self.cells[self.cells.index(None)] = card
        else:
            self.columns[int(goal) - 1].append(card)
        self.tokens.append(source + goal)
        self.leave()
        return True


def cut(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text.strip("-")), 2)]


def wins(game: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield those of some deals that the engine wins, with the moves."""
    for result in solve(game, deal(FILES[game], 1, 1, count), max_nodes=20_000):
        if result.verdict is Verdict.WINNABLE and result.evidence:
            yield result.layout, result.evidence


@pytest.mark.parametrize("count", [12, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", GAMES)
def test_what_a_naive_player_writes_is_read_as_a_win(game: str, count: int) -> None:
    read_wins = dict.fromkeys(["freecell-solver", "microsoft", "macroxue"], 0)
    for layout, evidence in wins(game, count):
        for program in read_wins:
            player = Written(game, program, layout)
            if all(map(player.play, evidence.split())):
                blanks = "" if program == "macroxue" and len(FILES[game].rules.sizes) < 10 else " "
                assert won(game, layout, read(game, program, layout, blanks.join(player.tokens).upper()))
                read_wins[program] += 1
            else:  # a card that has left is needed
                assert program == "macroxue"
    assert min(read_wins.values()) >= count // 8


@pytest.mark.parametrize(
    ("text", "step", "reason"),
    [
        (STORED[0][3][:200], 67, "the game is not won after 67 moves, so perhaps the text is cut off"),
        (STORED[0][3][:199], 67, "'d' is not a move such as 26, 7a or 5h: the text is cut off"),
        (f"{STORED[0][3][:200]}...", 68, "'...' is not a move such as 26, 7a or 5h: the text is cut off"),
        ("4h 7a xx 7h", 3, "'xx' is not a move such as 26, 7a or 5h"),
        ("4h 7 7b", 2, "'7' is not a move such as 26, 7a or 5h"),
        ("4h 7a 7a", 3, "7a: cell a is not free"),
        ("4h 7k", 2, "7k: there is no cell k"),
        ("4h 79", 2, "79: there is no column 9"),
        ("4h 77", 2, "77: source and target are the same column"),
        ("5h", 1, "5h: 8D does not go to its foundation yet"),
        ("a5", 1, "a5: there is no card in cell a"),
        ("26", 1, "26: no card of QD may lie on 7C"),
        ("4h 7a a6", 3, "a6: JD may not lie on 7C"),
        ("4h 7r 7r 7r 7r 7r", 6, "7r: all cells are full"),
    ],
)
def test_what_is_wrong_is_said_with_the_number_of_the_move(text: str, step: int, reason: str) -> None:
    [layout] = deal(FILES["freecell"], 0, 24, 1)
    with pytest.raises(InvalidEvidence) as caught:
        read("freecell", "freecell-solver", layout, text)
    assert (caught.value.step, caught.value.reason) == (step, reason)
    judgement = check("freecell", layout, "winnable", text, notation="freecell-solver")
    assert (judgement.outcome, judgement.step, judgement.reason) == (Outcome.INVALID, step, reason)


RUN = "freecell TS9H8S7D/JH/KSQHJSTH9S8D/KH/KD/QD/JD/TD cells:QS9D foundations:KC8H7S6D"
"""A position with a run of four cards, two free cells and no empty column."""


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("a5 12", "QSKD 7Dc 8Sc 9Hc TSJH 9HTS 8S9H 7D8S"),
        ("a5 4a 14 12", "QSKD KHc 7Dc 8Sc 9He 8S9H 7D8S TSJH"),
        ("a5 4a 14v2 1c", "QSKD KHc 7Dc 8Se 7D8S 9Hc"),
        ("a5 4a 14v1", "QSKD KHc 7De"),
        ("a5 4a 24 42", "QSKD KHc"),
    ],
)
def test_moves_of_several_cards_become_moves_of_single_ones(text: str, moves: str) -> None:
    assert FILES["freecell"].notations["freecell-solver"](RUN, text, whole=False) == moves
    assert after("freecell", RUN, text, notation="freecell-solver").moves == tuple(moves.split())


def test_a_move_of_more_cards_than_there_is_room_for_is_refused() -> None:
    for text, reason in [
        ("12", "12: 4 cards have to move, but there is room for 3"),
        ("a5 4a 14v5", "14v5: 5 cards cannot move there"),
    ]:
        with pytest.raises(InvalidEvidence, match=reason):
            after("freecell", RUN, text, notation="freecell-solver")


def test_cards_leave_by_themselves_before_the_first_move() -> None:
    [layout] = deal(FILES["freecell"], 0, 24, 1)
    assert after("freecell", layout, "7a 7b 7h", notation="freecell-solver").moves == ("JDc", "8Hc", "ADf")
    assert after("freecell", layout, "", notation="microsoft").moves == ("ASf",)
    assert after("freecell", layout, ["7a", "7b"], notation="macroxue").moves == ("ASf", "JDc", "8Hc", "ADf")


def test_only_games_whose_moves_it_can_say_have_the_notation() -> None:
    covered = {name for name, game in FILES.items() if game.notations}
    assert {*GAMES, "fore-cell", "free-cell-0-cell", "siegecraft", "stronghold", "streets-and-alleys"} <= covered
    assert not covered & {"klondike", "golf", "spider", "yukon", "fan", "canfield", "king-albert", "simple-simon"}
    [layout] = deal(FILES["klondike"], 0, 1, 1)
    with pytest.raises(UsageError, match="klondike has no notation 'microsoft' of other programs; it has none"):
        after("klondike", layout, "26", notation="microsoft")
    [layout] = deal(FILES["freecell"], 0, 1, 1)
    with pytest.raises(UsageError, match="choose one of: freecell-solver, microsoft, macroxue"):
        check("freecell", layout, "winnable", "26", notation="pysol")
