"""Positions as other programs write them: the boards of Freecell Solver and PySolFC, and the JSON of Solvitaire.

A board has a line for each column, the top card last, with an optional colon before it. Lines with headings come first,
each only if it has cards::

    Foundations: H-2 C-A
    Freecells: 3H - 4S
    Talon: 8C 9C
    : <4C> <5D> 8H

A card in angle brackets lies face down; the card of the talon that is turned next comes first. Klondike-Solver writes
the waste into the same line, its top card first, and the talon between arrows: ``Talon: 9C ==> 8C 7D <==``. In games
with a hole, its card is the foundation. Headings for reserve, waste, base, passes and downward foundations are ours:
those programs have no game that needs them. A board ends at a blank line, too. There may be commas between cards, and
signs for suits.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from dealmill.cards import WIDE, wide_characters, with_letters
from dealmill.game import BadLayout, Layout, Line, Reject, UsageError, rejected
from dealmill.pipeline.games.patience.position import CARDS, FOUNDATIONS
from dealmill.pipeline.games.patience.reading.layout import canonical, implied_passes, parts_of, spellings
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules

HEADINGS = {
    "base": "base",
    "downward": "downward",
    "fc": "cells",
    "founds": "foundations",
    "foundations": "foundations",
    "freecells": "cells",
    "passes": "passes",
    "reserve": "reserve",
    "talon": "stock",
    "waste": "waste",
}
"""The part of a position by the heading of its line."""
WRITTEN = {part: heading.capitalize() for heading, part in HEADINGS.items()}
HEADING = re.compile(r"([A-Za-z]+):(.*)", re.ASCII | re.DOTALL)
TITLE = f"this line is not part of a board: delete it, or put # before it (headings are {', '.join(WRITTEN.values())})"
LIST = "this is a list of JSON objects: write each object on a line of its own, as jq -c '.[]' does"
CARD = r"(?:10|[A2-9TJQK])[CHSD]"
BEGINNING = re.compile(rf":|-$|(?:{'|'.join(HEADINGS)}):(?!\S*=)|(?:<?{CARD}>?)+(?:[\s,]|$)", re.ASCII | re.IGNORECASE)
"""Of the first line of a board, not of a position of a game such as ``klondike:stock.draw=1``."""
FACE_UP = re.compile(rf"(?:{CARD})+", re.ASCII | re.IGNORECASE)
"""One card or several, without blanks between them."""
FACE_DOWN = re.compile(rf"<({CARD})>", re.ASCII | re.IGNORECASE)
SEPARATOR = re.compile(r"[\s,]+")
NOTHING = re.compile(r"-|0|[CHSD]-0", re.ASCII | re.IGNORECASE)
"""A word of a heading's line for a free place."""
FOUNDATION = re.compile(r"([CHSD])-(\w+)", re.ASCII | re.IGNORECASE)
KEYS = ("cells", "foundations", "hole", "reserve", "stock", "tableau piles", "waste")
"""The keys of Solvitaire's JSON."""
BOARD_KEY = "pysol_format"
"""The key under which objects of other programs have a board; their other keys are not read."""
LETTERS = {"1": "A", "10": "T", "11": "J", "12": "Q", "13": "K"}
"""The ranks that it writes as numbers."""
BEFORE_STOCK, AFTER_STOCK = "==>", "<=="
"""The arrows of Klondike-Solver around the cards of the talon, between which are those that are not turned yet."""
PASSES_OF_BOARD = "add a line such as {} before the columns"
PASSES_OF_JSON = "Solvitaire's files have no word for them, so write it as a line with {}, or as a board"
UNSPLIT = ("base", *FOUNDATIONS, "passes")
"""The parts that are not lists of cards."""
LONGEST_TEXT = 100_000


def begins_board(text: str) -> bool:
    """Return whether a line may be the first one of a board."""
    return BEGINNING.match(with_letters(text)) is not None


def read_boards(referee: Referee, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read boards; a title before one is a reject of its own."""
    board, columns = list[Line](), 0
    for number, line in lines:
        text = line.strip()
        if text.startswith("#"):
            continue
        is_column = bool(text) and not _heading(text)
        if board and (not text or columns == len(referee.rules.sizes) or (columns and not is_column)):
            yield _board(referee, board)
            board, columns = [], 0
        if not board and text and not begins_board(text):
            wide = WIDE.search(text)
            yield rejected(number, text, [wide_characters(wide[0]) if wide else TITLE])
        elif text:
            board.append((number, text))
            columns += is_column
    if board:
        yield _board(referee, board)


def _heading(text: str) -> re.Match[str] | None:
    return HEADING.fullmatch(text)


def _board(referee: Referee, board: list[Line]) -> Layout | Reject:
    """Return the layout or the reject of the lines of a board."""
    number, first = board[0]
    parts = dict[str, list[str]]()
    columns = list[str]()
    wrong_lines = list[tuple[int, str, str]]()
    for line, text in board:
        try:
            if heading := _heading(text):
                part = _part(referee.rules, heading[1])
                for name, cards in _parts_of_line(part, _words(heading[2])).items():
                    if name in parts:
                        raise BadLayout([f"the board has two lines for its {name}"])
                    parts[name] = cards
            else:
                columns.append(_column(_words(text.removeprefix(":"))))
        except BadLayout as error:
            hint = "" if heading or line > number else "; put # before the line if it is a title"
            wrong_lines.append((line, text, error.reasons[0] + hint))
    if wrong_lines:
        (line, text, reason), *later_lines = wrong_lines
        return rejected(line, text, [reason, *(f"line {line}: {reason}" for line, _, reason in later_lines)])
    if not columns:
        return rejected(number, first, ["no columns follow: the lines with headings come before those of the columns"])
    parts |= {part: [FOUNDATION.sub(r"\2\1", word) for word in parts.get(part, [])] for part in FOUNDATIONS}
    try:
        if referee.rules.hole != "none":
            parts["hole"] = parts.pop("foundations")
        words = {part: "".join(cards).upper() for part, cards in parts.items()}
        return Layout(number, canonical(referee, _position(referee.rules, columns, words), PASSES_OF_BOARD))
    except BadLayout as error:
        return rejected(number, first, error.reasons)


def _part(rules: Rules, heading: str) -> str:
    if part := HEADINGS.get(heading.lower()):
        return part
    raise BadLayout(
        [f"{heading[:40]}: is not a heading of a board of {rules.name}; there are {', '.join(WRITTEN.values())}"]
    )


def _parts_of_line(part: str, words: list[str]) -> dict[str, list[str]]:
    """Return the words after a heading that are not for free places, by the name of their part."""
    if part == "stock" and words[-1:] == [AFTER_STOCK] and words.count(BEFORE_STOCK) == 1:
        arrow = words.index(BEFORE_STOCK)
        waste, words = words[:arrow], words[arrow + 1 : -1]
        if waste:
            return _parts_of_line("stock", words) | _parts_of_line("waste", waste[::-1])
    if part == "passes":
        return {part: words}
    words = [word for word in words if not NOTHING.fullmatch(word)]
    return {part: [_card(word) for word in words] if part in CARDS else words}


def _column(words: list[str]) -> str:
    """Return a column as it is written in a position."""
    cards = [_card(word) for word in words]
    if cards and cards[-1][-1].islower():
        raise BadLayout([f"a card is missing: <{cards[-1].upper()}>, the last one of the column, lies face down"])
    for below, card in pairwise(cards):
        if below[-1].isupper() and card[-1].islower():
            raise BadLayout([f"<{card.upper()}> lies face down on a card that lies face up"])
    return "".join(cards) or "-"


def _words(text: str) -> list[str]:
    words = [word for word in SEPARATOR.split(with_letters(text)) if word]
    return [] if words == ["-"] else words


def _card(word: str) -> str:
    """Return a card as it is written in a position: face-down ones have a small letter for the suit.

    Raises
    ------
    BadLayout
        If it is not a card.
    """
    if down := FACE_DOWN.fullmatch(word):
        return down[1][:-1].upper() + down[1][-1].lower()
    if not FACE_UP.fullmatch(word):
        raise BadLayout([_not_a_card(word)])
    return word.upper()


def _not_a_card(word: str) -> str:
    return wide_characters(word) if WIDE.search(word) else f"{word[:40]!r} is not a card such as 6H"


def _position(rules: Rules, columns: list[str], parts: dict[str, str]) -> str:
    return " ".join(
        [rules.name, "/".join(columns), *(f"{part}:{cards}" for part, cards in sorted(parts.items()) if cards)]
    )


def write_board(rules: Rules, layout: str) -> str:
    """Return a position as a board, with a line for each column."""
    columns, parts = _split(rules, layout)
    for part in FOUNDATIONS:
        parts[part] = " ".join(f"{card[1]}-{card[0]}" for card in _cards(parts.get(part, "")))
    hole = parts.pop("hole", "")
    lines = [
        f"{WRITTEN[part]}: {cards if part in UNSPLIT else ' '.join(_cards(cards))}"
        for part, cards in parts.items()
        if cards
    ]
    if hole:
        lines.insert(0, f"{WRITTEN['foundations']}: {hole}")
    boards = [" ".join(f"<{card.upper()}>" if card[1].islower() else card for card in column) for column in columns]
    return "\n".join([*lines, *(f": {column}" for column in boards), ""])


def read_json(referee: Referee, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read JSON objects, each on one line or on several; a list of them is a reject."""
    start, text, depth = 0, "", 0
    for number, line in lines:
        if not text:
            if not line.strip():
                continue
            if line.lstrip().startswith("["):
                yield rejected(number, line.strip(), [LIST])
                return
            start = number
        text += line + "\n"
        depth += line.count("{") - line.count("}")
        if depth <= 0 or len(text) > LONGEST_TEXT:
            yield _object(referee, start, text)
            text, depth = "", 0
    if text:
        yield _object(referee, start, text)


def _object(referee: Referee, number: int, text: str) -> Layout | Reject:
    try:
        if len(text) > LONGEST_TEXT:
            raise BadLayout([f"the object is longer than {LONGEST_TEXT:,} characters"])
        piles = _pairs(text)
        if isinstance(board := piles.get(BOARD_KEY), str):
            return Layout(number, _single_board(referee, board))
        return Layout(number, canonical(referee, _from_json(referee.rules, piles), PASSES_OF_JSON))
    except BadLayout as error:
        return rejected(number, text.strip(), error.reasons)


def _pairs(text: str) -> dict[str, Any]:
    """Return the values of a JSON object by their keys."""
    try:
        piles = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadLayout([f"this is not a JSON object: {error}"]) from error
    if not isinstance(piles, dict):
        raise BadLayout(["this is not a JSON object"])
    return piles


def _single_board(referee: Referee, text: str) -> str:
    """Return the position of the board in a text."""
    entries = list(read_boards(referee, enumerate(text.splitlines(), start=1)))
    for entry in entries:
        if isinstance(entry, Reject):
            raise BadLayout([f"line {entry.line} of {BOARD_KEY}: {reason}" for reason in entry.reasons])
    if len(entries) != 1:
        raise BadLayout([f"{BOARD_KEY} has {len(entries)} boards, expected one"])
    return entries[0].text


def _from_json(rules: Rules, piles: Mapping[str, Any]) -> str:
    """Return the position in a JSON object; whether it has the right cards is not checked."""
    if rules.has_downward_piles:
        raise BadLayout([f"Solvitaire has no foundations like those of {rules.name}: write a line, or a board"])
    if unknown := sorted(piles.keys() - KEYS):
        raise BadLayout([f"the key {unknown[0][:40]!r} is unknown; there are {', '.join(KEYS)}"])
    columns = piles.get("tableau piles")
    if not isinstance(columns, list):
        raise BadLayout(["the tableau piles are missing, expected a list of lists of cards"])
    parts = {name: _texts(name, piles.get(name, [])) for name in ("cells", "reserve", "stock", "waste")}
    parts["hole"] = _texts("hole", [piles["hole"]] if "hole" in piles else [])
    parts["stock"].reverse()  # the last one is turned next
    foundations = _foundations(rules, piles)
    parts["foundations"] = [cards[-1] for cards in foundations]
    words = {part: "".join(cards).upper() for part, cards in parts.items()}
    if rules.foundations == "dealt":
        words["base"] = next((cards[0][:-1] for cards in foundations), "")
    return _position(rules, ["".join(_texts("tableau piles", column)) or "-" for column in columns], words)


def _texts(name: str, cards: object) -> list[str]:
    """Return the cards of a pile, with letters for ranks; empty texts, which are free places, are left out."""
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise BadLayout([f"{name}: {str(cards)[:40]!r} is not a list of cards such as 6H"])
    words = [word for card in cards if (word := with_letters(card))]
    texts = [LETTERS.get(word[:-1], word[:-1].upper()) + word[-1] for word in words]
    if wrong := [word for word, text in zip(words, texts, strict=True) if not FACE_UP.fullmatch(text)]:
        raise BadLayout([f"{name}: {_not_a_card(wrong[0])}"])
    return texts


def _foundations(rules: Rules, piles: Mapping[str, Any]) -> list[list[str]]:
    """Return the cards on each foundation that has some, the top one last."""
    listed = piles.get("foundations")
    if listed is None:
        listed = [rules.foundations + suit for suit in rules.piles] if rules.initial == "all" else []
    if isinstance(listed, list) and all(isinstance(pile, list) for pile in listed):
        listed = [card for pile in listed for card in pile]
    foundations = list[list[str]]()
    for card in map(str.upper, _texts("foundations", listed)):
        pile = [cards for cards in foundations if cards[0][-1] == card[-1] and card not in cards][:1]
        foundations += [] if pile else [[card]]
        for cards in pile:
            cards.append(card)
    return foundations


def write_json(rules: Rules, layout: str) -> str:
    """Return a position as Solvitaire's JSON, on one line.

    Raises
    ------
    UsageError
        If the rules limit the passes through the stock, for which it has no word, and not all of them are left.
    """
    columns, parts = _split(rules, layout)
    if rules.counts_passes and parts["passes"] != str(implied_passes(rules, parts)):
        raise UsageError(
            f"Solvitaire's files cannot say how many passes are left, which {rules.name} limits: only positions before "
            "the first turn of the stock can be written; write a board"
        )
    piles: dict[str, Any] = {"tableau piles": [[_ten(card) for card in column] for column in columns]}
    if "foundations" in parts:
        base = rules.base_of(parts)
        piles["foundations"] = [
            _ten(rules.of_foundation(number, top[1], base))
            for top in _cards(parts["foundations"])
            for number in range(rules.number(top, base) + 1)
        ]
    for part in ("cells", "reserve", "stock", "waste"):
        if cards := [_ten(card) for card in _cards(parts.get(part, ""))]:
            piles[part] = cards
    if "cells" in piles:
        piles["cells"] += [""] * (rules.cells - len(piles["cells"]))
    if "stock" in piles:
        piles["stock"].reverse()
    if "hole" in parts:
        piles["hole"] = _ten(parts["hole"])
    return json.dumps(piles)


def _split(rules: Rules, layout: str) -> tuple[list[list[str]], dict[str, str]]:
    """Return the columns of a position, and its parts by name."""
    layout = spellings(rules, layout)[0]
    columns = layout.split(" ")[1].split("/")
    return [_cards(column) if column != "-" else [] for column in columns], parts_of(layout)


def _cards(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _ten(card: str) -> str:
    return card.replace("T", "10")
