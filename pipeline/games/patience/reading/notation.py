"""Solutions of FreeCell and its relatives in standard notation, as moves of single cards.

A move is its source and its target: ``26`` from column 2 to column 6, ``7a`` to a free cell, ``b3`` from one, ``5h`` to
the foundation (home). Cells have the letters a to g, and the eighth is k. A move between columns is one of all cards
that fit, by way of free cells and empty columns; how many go to an empty column is not said, unless ``v`` and a
hexadecimal number follow. Programs differ in what they do not write:

- ``freecell-solver`` (options ``-m -sn`` or ``-snx``) writes all moves;
- ``microsoft`` leaves out cards that go to the foundation by themselves, which they do if no card needs them any more;
- ``macroxue`` leaves out all cards that can go there, unless it writes some of them: then it leaves out as many as
  Microsoft's, or none if it writes all. It writes ``7r`` for a move to a cell, and no blanks; the letters of its cells
  move up when one becomes free.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from dealmill.pipeline.games.patience.moves import CELL, EMPTY, FOUNDATION
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import SUITS, Rules
from dealmill.referees import NO_MOVES
from dealmill.verdicts import InvalidEvidence

LETTERS = "abcdefgk"
HOME, ANY_CELL = "h", "r"
MAX_COLUMNS = 10
PLACE = f"10|[1-9{LETTERS}]"
MOVE = re.compile(rf"({PLACE})({PLACE}|[{HOME}{ANY_CELL}])(?:v([0-9a-f]))?", re.ASCII)
BEGINNING = re.compile(rf"(?:{PLACE})?v?|\.+|…", re.ASCII)
"""What is left at the end of a text that was cut off."""
FRAME = re.compile(r"^-=[-=]*$|^this game is solveable.*|^\d+:", re.ASCII | re.DOTALL | re.MULTILINE)
"""What programs write around a solution: the frame of Freecell Solver, and the number of a deal."""
CUT_OFF = "the text is cut off"
MAX_TRIES = 2_000
"""How often another number of cards is tried for moves to empty columns."""


def covers(rules: Rules) -> bool:
    """Return whether the notation can say the moves of a game: single cards between columns, cells and foundations."""
    return (
        rules.move == "card"
        and not (rules.complete or rules.stock or rules.reserve)
        and (rules.hole, rules.copies, rules.has_downward_piles) == ("none", 1, False)
        and len(rules.sizes) <= MAX_COLUMNS
        and rules.cells <= len(LETTERS)
    )


@dataclass
class Table:
    """A game in progress: the cards in columns and cells by their names, and how many are on each foundation."""

    referee: Referee
    base: int
    columns: dict[str, list[str]]
    cells: dict[str, str]
    up: dict[str, int]
    moves_up: bool
    """Whether the letters of cells move up when one becomes free."""
    words: list[str]

    @classmethod
    def of(cls, referee: Referee, layout: str, *, moves_up: bool) -> "Table":
        """Set up a canonical layout."""
        position = referee.position(layout)
        columns = {str(number): [*cards] for number, cards in enumerate(position.columns, start=1)}
        up = dict(zip(referee.rules.piles, position.foundations, strict=True))
        cells = dict(zip(LETTERS, position.cells, strict=False))
        return cls(referee, position.base, columns, cells, up, moves_up, [])

    def copy(self) -> "Table":
        """Return a copy of the game."""
        columns = {name: [*cards] for name, cards in self.columns.items()}
        return replace(self, columns=columns, cells={**self.cells}, up={**self.up}, words=[*self.words])

    @property
    def free(self) -> list[str]:
        """The free cells."""
        return [letter for letter in LETTERS[: self.referee.rules.cells] if letter not in self.cells]

    @property
    def cards(self) -> int:
        """The number of cards that are not on the foundations."""
        return len(self.cells) + sum(map(len, self.columns.values()))

    def top(self, source: str) -> str:
        """Return the card that can leave a place; an empty text if there is none."""
        return self.columns[source][-1] if self.columns.get(source) else self.cells.get(source, "")

    def goes_home(self, card: str) -> bool:
        """Return whether a card is the next one on its foundation."""
        return self.referee.rules.number(card, self.base) == self.up[card[1]]

    def move_card(self, source: str, target: str) -> None:
        """Move one card, and write the move."""
        card = self.cells.pop(source) if source in self.cells else self.columns[source].pop()
        if self.moves_up:
            self.cells = dict(zip(LETTERS, self.cells.values(), strict=False))
        if target == HOME:
            self.up[card[1]] += 1
            self.words.append(card + FOUNDATION)
        elif target in LETTERS:
            self.cells[target] = card
            self.words.append(card + CELL)
        else:
            column = self.columns[target]
            self.words.append(card + (column[-1] if column else EMPTY))
            column.append(card)

    def move_cards(self, source: str, target: str, count: int, spaces: list[str]) -> None:
        """Move cards between columns one by one, by way of free cells, and of empty columns if there are more. A whole
        column that goes to an empty one is the same position, so nothing is written."""
        if count == len(self.columns[source]) and not self.columns[target]:
            self.columns[source], self.columns[target] = [], self.columns[source]
            return
        ways = self.free[: count - 1]
        if count > len(ways) + 1:
            space, *others = spaces
            upper = min(count - 1, (len(ways) + 1) << len(others))
            self.move_cards(source, space, upper, others)
            self.move_cards(source, target, count - upper, others)
            self.move_cards(space, target, upper, others)
            return
        for cell in ways:
            self.move_card(source, cell)
        self.move_card(source, target)
        for cell in reversed(ways):
            self.move_card(cell, target)

    def move_home(self, needless: Callable[["Table", str], bool]) -> None:
        """Move cards to the foundations that go there by themselves."""
        while source := next(
            (
                name
                for name in (*self.cells, *self.columns)
                if (card := self.top(name)) and self.goes_home(card) and needless(self, card)
            ),
            None,
        ):
            self.move_card(source, HOME)

    def counts(self, source: str, target: str, claimed: int | None) -> list[int]:
        """Return how many cards a move between columns may be of, the likeliest number first.

        Raises
        ------
        ValueError
            If no card can move; it says why.
        """
        cards, below = self.columns[source], self.top(target)
        run = 1
        while run < len(cards) and self.referee.fits(cards[-run], cards[-run - 1], self.base):
            run += 1
        spaces = self.spaces(source, target)
        room = (len(self.free) + 1) << len(spaces)
        if below:
            fitting = [count for count in range(1, run + 1) if self.referee.fits(cards[-count], below, self.base)]
        else:
            fitting = [count for count in range(run, 0, -1) if self.referee.fills(cards[-count], self.base)]
        movable = [count for count in fitting if count <= room or (count == len(cards) and not below)]
        movable.sort(key=lambda count: count == len(cards) and not below)  # a whole column gains nothing there
        if claimed is not None and claimed not in movable:
            raise ValueError(f"{claimed} cards cannot move there")
        if not movable:
            lies = f"on {below}" if below else "in an empty column"
            raise ValueError(
                f"{fitting[-1]} cards have to move, but there is room for {room}"
                if fitting
                else f"no card of {' '.join(cards[-run:])} may lie {lies}"
            )
        return movable if claimed is None else [claimed]

    def spaces(self, *places: str) -> list[str]:
        """Return the empty columns by way of which any card may move, without some places."""
        empty = [name for name, cards in self.columns.items() if not cards and name not in places]
        return empty if self.referee.rules.spaces == "any" else []


def _never(_table: Table, _card: str) -> bool:
    return False


def _always(_table: Table, _card: str) -> bool:
    return True


def _if_not_needed(table: Table, card: str) -> bool:
    """Return whether no card that is still in play could be put on this one, as Microsoft's FreeCell asks."""
    suits_below = table.referee.rules.suits_below
    others = [suit for suit, below in zip(SUITS, suits_below, strict=True) if card[1] in below]
    height = table.up[card[1]] + 1
    return height <= 2 or all(table.up[suit] >= height - 1 for suit in others)


FREECELL_SOLVER, MICROSOFT, MACROXUE = PROGRAMS = ("freecell-solver", "microsoft", "macroxue")


def _automatic(program: str, moves: Sequence[re.Match[str]], table: Table) -> Callable[[Table, str], bool]:
    """Return which cards go to the foundations without a move."""
    home = sum(move[2] == HOME for move in moves)
    if program == FREECELL_SOLVER or (program == MACROXUE and home == table.cards):
        return _never
    return _always if program == MACROXUE and not home else _if_not_needed


def single_moves(referee: Referee, program: str, layout: str, text: str, *, whole: bool) -> str:
    """Return moves in the standard notation of a program as the words of moves of the game.

    If `whole` is set, they must win the game. Of the numbers of cards that may go to an empty column, the greatest are
    taken with which the other moves are possible.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read, or is not legal, or the game is not won; the step is the number of the move.
    """
    tokens = list(_tokens(text))
    table, done, tries = Table.of(referee, layout, moves_up=program == MACROXUE), 0, 0
    goes_by_itself = _automatic(program, tokens, table)
    table.move_home(goes_by_itself)
    untried = list[tuple[Table, int, int]]()
    first_error: InvalidEvidence | None = None
    while True:
        try:
            while done < len(tokens):
                counts = _counts(table, tokens[done], done + 1)
                untried += [(table.copy(), done, count) for count in reversed(counts[1:])]
                _move(table, tokens[done], counts[0])
                table.move_home(goes_by_itself)
                done += 1
            if whole and table.cards:
                raise InvalidEvidence(done, f"the game is not won after {done} moves, so perhaps {CUT_OFF}")
            return " ".join(table.words) or (NO_MOVES if whole else "")
        except InvalidEvidence as error:
            if first_error is None or error.step > first_error.step:
                first_error = error
            tries += 1
            if not untried or tries > MAX_TRIES:
                raise first_error from None
            table, done, count = untried.pop()
            _move(table, tokens[done], count)
            table.move_home(goes_by_itself)
            done += 1


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the moves in a text."""
    number = 1
    for word in (words := FRAME.sub("", text.strip().lower()).split()):
        at = 0
        while at < len(word):
            move = MOVE.match(word, at)
            if move is None:
                is_cut = word is words[-1] and BEGINNING.fullmatch(word, at)
                shown = f"{word[at:][:40]!r} is not a move such as 26, 7a or 5h"
                raise InvalidEvidence(number, f"{shown}: {CUT_OFF}" if is_cut else shown)
            yield move
            at, number = move.end(), number + 1


def _counts(table: Table, move: re.Match[str], number: int) -> list[int]:
    """Return how many cards a move may be of, the likeliest number first.

    Raises
    ------
    InvalidEvidence
        If it is not legal.
    """
    source, target, count = move.groups()
    try:
        if not (card := table.top(source)):
            raise ValueError(f"there is no card in {_place(source)}")
        if target == HOME and not table.goes_home(card):
            raise ValueError(f"{card} does not go to its foundation yet")
        if target == ANY_CELL and not table.free:
            raise ValueError("all cells are full")
        if target in LETTERS and target not in table.free:
            raise ValueError(
                f"{_place(target)} is not free" if target in table.cells else f"there is no {_place(target)}"
            )
        if target in LETTERS or target in (HOME, ANY_CELL):
            return [1]
        if target not in table.columns:
            raise ValueError(f"there is no {_place(target)}")
        if source == target:
            raise ValueError("source and target are the same column")
        if source in table.columns:
            return table.counts(source, target, None if count is None else int(count, 16))
        below = table.top(target)
        if below and not table.referee.fits(card, below, table.base):
            raise ValueError(f"{card} may not lie on {below}")
        return [1]
    except ValueError as error:
        raise InvalidEvidence(number, f"{move[0]}: {error}") from None


def _move(table: Table, move: re.Match[str], count: int) -> None:
    source, target = move[1], move[2]
    if target == ANY_CELL:
        target = table.free[0]
    if source in table.columns and target in table.columns:
        table.move_cards(source, target, count, table.spaces(source, target))
    else:
        table.move_card(source, target)


def _place(name: str) -> str:
    return f"cell {name}" if name in LETTERS else f"column {name}"
