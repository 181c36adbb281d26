"""The pictures of a game to the letter, and why a lost deck is lost in words."""

from dealmill.pipeline.games.camelot.picture import frames, scenes
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.drawn import count, words

deal = dealer("camelot")
winnable = solver("camelot/winnable")

WON = "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000"
LOST = "AAAA222233334444555566667777888899990000JJJJQQQQKKKK"
TRACE = "ehilbcnoadmpfgjk" + " -fg -jk fgjk" * 9 + " -f -g -j -k"
BEGINNING = """
 J  J  J  J  Q  Q  Q  Q  K  K  K  K  A
 9  A  9  A  9  A  9  2  8  2  8  2  8
 2  8  3  7  3  7  3  7  3  7  4  6  4
 6  4  6  4  6  5  5  5  5 10 10 10 10

The deck, in the order of dealing.
---
   [K] [Q] [Q] [K]      abcd
   [J] [A] [9] [J]      efgh
   [J] [A] [9] [J]      ijkl
   [K] [Q] [Q] [K]      mnop

Dealing 1: J to e, J to h, J to i, J to l, Q to b, Q to c, Q to n, Q to o, K
   to a, K to d, K to m, K to p, A to f, 9 to g, A to j, 9 to k.
---
    K   Q   Q   K       abcd
    J   ·   ·   J       efgh
    J   ·   ·   J       ijkl
    K   Q   Q   K       mnop

Removal 1: A and 9 from f and g, A and 9 from j and k.
"""
END = """
    K   Q   Q   K       abcd
    J   ·   ·   J       efgh
    J   ·   ·   J       ijkl
    K   Q   Q   K       mnop

Removal 10: 10 from f, 10 from g, 10 from j, 10 from k. The deck is empty
   and only court cards are left: won.
"""
EXPLAINED = """
A A A A 2 2 2 2 3 3 3 3 4
4 4 4

Of the first 16 cards, 0 are court cards, which never leave, and A A A A 2 2
2 2 3 3 3 3 4 4 4 4 have no partner. These 16 cards fill all 16 slots,
however the deck is played. A card leaves from a slot, and there is none for
card 17 (5), so no play wins.
"""


def test_boards_phase_by_phase() -> None:
    shown = list(frames(WON, Verdict.WINNABLE, TRACE))
    assert shown[:3] == [board.strip("\n") for board in BEGINNING.split("---")]
    assert len(shown) == 1 + 2 * 10
    assert "    J [10][10]  J " in shown[-2] and shown[-1] == END.strip("\n")


def test_a_lost_deck_is_explained() -> None:
    assert list(frames(LOST, Verdict.UNWINNABLE, "16"))[1] == EXPLAINED.strip("\n")


def test_a_phase_numbers_what_is_dealt_and_joins_what_leaves() -> None:
    deck, dealing, removal, *_ = scenes(WON, Verdict.WINNABLE, TRACE)
    assert words(deck, "ink") == [card.replace("0", "10") for card in WON]
    assert words(dealing, "light") == [str(number) for number in range(1, 17)]
    assert words(dealing, "ink")[:4] == list("KQQK")
    assert words(removal, "light") == ["1", "1", "2", "2"]
    assert count(removal, "path", "chosen") == 2
    assert count(removal, "rect", "chosen") == 4 + 1, "two pairs, and the next card of the deck"
    assert "Cards in the deck: A 9 A 9 2" in removal.alt


def test_a_loss_is_a_ledger_of_all_cards_dealt() -> None:
    decks = deal(8, 1, 60)
    solved = winnable(decks)
    for deck, verdict, evidence in zip(decks, solved.verdicts, solved.evidence, strict=True):
        if verdict is Verdict.UNWINNABLE:
            assert evidence is not None
            _, ledger = scenes(deck, verdict, evidence)
            cards = int(evidence)
            left = count(ledger, "rect", "ghost")
            assert count(ledger, "rect", "chosen") == 2 * 16, "once by value, once in the slots"
            assert left + 16 == cards
            shown = sorted(words(ledger, "note"))
            assert shown == sorted(card.replace("0", "10") for card in removable(deck[:cards]))
            assert f"Card {cards + 1}" in words(ledger, "ink")


def removable(prefix: str) -> list[str]:
    """The cards that leave when as many as possible are removed, one pair after the other."""
    left: list[str] = []
    gone: list[str] = []
    for card in prefix:
        value = "A234567890".find(card) + 1
        partner = next((rank for rank in left if value and "A234567890".index(rank) + 1 + value == 10), None)
        if value == 10:
            gone.append(card)
        elif partner:
            left.remove(partner)
            gone += [card, partner]
        elif value:
            left.append(card)
    return gone
