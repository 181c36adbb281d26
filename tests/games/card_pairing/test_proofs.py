"""Proofs by lemmas as they are shown: circles and jams compared with plain play, and their words and pictures."""

from itertools import chain
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.card_pairing.picture import frames, scenes
from dealmill.pipeline.games.card_pairing.proofs.lemmas import MAX_STEPS, Closed, Contradiction, Jam, Step, proof
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer
from tests.games.card_pairing.proving import certificate_of
from tests.games.drawn import count, covered, lines, words

deal = dealer("card-pairing")

LAYOUT, CERTIFICATE = "AKQT JTKQ TKAQ JKTJ JQAA", "-7-4:g4g0 -7:l1g3g1 -8:l1g0 l2 l1 g2 ^"
SHAPES = [{"ranks": 4, "stacks": 4}, {"ranks": 5, "stacks": 6}, {"ranks": 3, "stacks": 4, "suits": 6}]


@st.composite
def lost(draw: st.DrawFn) -> tuple[str, str]:
    """A layout that is lost, and a certificate with all kinds of hints."""
    shape, seed = draw(st.sampled_from(SHAPES)), draw(st.integers(0, 2**32))
    for layout in deal(seed, 1, 50, **shape):
        if certificate := certificate_of(layout, Random(seed)):
            return layout, certificate
    return LAYOUT, CERTIFICATE


def closed_in(step: Step) -> list[Closed]:
    ending = step.ending.closed if isinstance(step.ending, Contradiction) else []
    return [*ending, *chain.from_iterable(conclusion.closed for conclusion in step.conclusions)]


@settings(max_examples=60, deadline=None)
@given(lost())
def test_circles_and_jams_are_what_they_say(drawn: tuple[str, str]) -> None:
    layout, certificate = drawn
    derivation = proof(layout, certificate)
    stack_of = {card: stack for stack in derivation.deal.stacks for card in stack}
    rank_of = {card: cards for cards in derivation.deal.ranks.values() for card in cards}
    assert len(derivation.steps) == certificate.count(" ") + 1
    assert isinstance(derivation.steps[-1].ending, Contradiction | Jam) and derivation.steps[-1].number is None
    for step in derivation.steps:
        for closed in closed_in(step):
            pairs = {tuple(sorted((wait.card, wait.mate))) for wait in closed.circle}
            allowed = {closed.option, tuple(derivation.mates_besides(closed.option))}
            assert all(pair in allowed or step.taken.get(pair[0]) == pair[1] for pair in pairs)
            for wait, following in zip(closed.circle, [*closed.circle[1:], *closed.circle[:1]], strict=True):
                assert stack_of[wait.mate] is stack_of[following.card] and wait.mate < following.card
        if isinstance(step.ending, Jam):
            side = -1 if step.ending.upwards else 1
            stay = stack_of.keys() - step.ending.left
            uncovered = {
                card
                for card in stay
                if not any(stack_of[card] is stack_of[above] and (above - card) * side > 0 for above in stay)
            }
            assert step.ending.waits.keys() == uncovered
            for card, mates in step.ending.waits.items():
                assert set(mates) <= stay - uncovered and set(mates) < set(rank_of[card])


@settings(max_examples=20, deadline=None)
@given(lost())
def test_every_step_has_words_and_a_picture(drawn: tuple[str, str]) -> None:
    layout, certificate = drawn
    _, text = frames(layout, Verdict.UNWINNABLE, certificate)
    _, *shown = scenes(layout, Verdict.UNWINNABLE, certificate)
    assert len(shown) == certificate.count(" ") + 1
    assert text.count("Lemma ") == certificate.count(":") == sum(scene.caption.startswith("Lemma") for scene in shown)
    assert shown[-1].caption.endswith("So no play wins.")
    assert max(map(len, text.splitlines())) <= 76
    for scene in shown:
        assert covered(scene, ("arrow", "chosen")) == []


def test_the_words_of_a_proof() -> None:
    _, text = frames(LAYOUT, Verdict.UNWINNABLE, CERTIFICATE)
    told = text.partition("\n\n")[2].replace("\n  ", " ").splitlines()
    assert told[1:3] == [
        "Lemma 2: no play wins if (1) Q 0.3 leaves with 2.4. Then (2) 10 0.4 does not leave with 3.3, by lemma 1; "
        "(3) 10 0.4 leaves with 1.2: 0.4 with 2.1 would close a circle, 10 0.4 with 2.1 below Q 2.4 with 0.3 below 0.4."
        " No way is left for K 0.2: 0.2 with 1.3 would close a circle, K 1.3 with 0.2 below 10 0.4 with 1.2 below 1.3; "
        "0.2 with 2.2 would close a circle, K 2.2 with 0.2 below 10 0.4 with 1.2 below K 1.3 with 3.2 below 10 3.3 "
        "with 2.1 below 2.2; 0.2 with 3.2 would close a circle, K 1.3 with 2.2 below Q 2.4 with 0.3 below 10 0.4 with "
        "1.2 below 1.3.",
        "Lemma 3: no play wins if (1) Q 0.3 leaves with 4.2. Then (2) Q 0.3 does not leave with 2.4, by lemma 2. No "
        "way is left for A 0.1: 0.1 with 2.3 would close a circle, A 4.4 with 4.3 below it; 0.1 with 4.3 would close "
        "a circle, A 4.3 with 0.1 below Q 0.3 with 4.2 below 4.3; 0.1 with 4.4 would close a circle, A 4.4 with 0.1 "
        "below Q 0.3 with 4.2 below 4.4.",
    ]
    assert told[-1] == (
        "The cards jam upwards, from the bottoms, and 10 stay: A 0.1 has no mate left; Q 1.4 waits for 0.3; A 2.3 has "
        "no mate left; Q 4.2 waits for 2.4. So no play wins."
    )


def test_a_step_shows_its_statements_and_a_jam_the_cards_that_stay() -> None:
    _, first, *_, last = scenes(LAYOUT, Verdict.UNWINNABLE, CERTIFICATE)
    assert words(first, "light") == ["1", "1", "2", "2", "3", "3"]
    assert len(lines(first, "arrow")) == 5, "two circles of three waits share two, and one has a single wait"
    assert lines(last, "arrow") == []
    [ghosts] = lines(last, "ghost")
    assert len(ghosts) > 0
    assert [word for word in words(last, "ink") if "." in word or " " in word] == ["no mate", "0.3", "no mate", "2.4"]
    assert last.alt == "Stacks from bottom to top: 0: A K Q 10; 1: Q; 2: A Q; 3: empty; 4: Q A A."
    assert count(last, "rect", "chosen") == 0


def test_a_long_certificate_is_shown_in_part() -> None:
    lemma, _, rest = CERTIFICATE.partition(" ")
    certificate = " ".join([lemma] * 20_000 + [rest])
    derivation = proof(LAYOUT, certificate)
    assert (len(derivation.steps), derivation.left_out) == (MAX_STEPS, 20_006 - MAX_STEPS)
    _, text = frames(LAYOUT, Verdict.UNWINNABLE, certificate)
    _, *shown = scenes(LAYOUT, Verdict.UNWINNABLE, certificate)
    for told in (text.replace("\n  ", " "), shown[-1].caption):
        assert f"({derivation.left_out:,} steps before the last one are not shown.) The cards jam upwards" in told
    assert len(shown) == MAX_STEPS
    assert len(text) < 1_000 * MAX_STEPS


@pytest.mark.parametrize("certificate", ["^", "g0", "v v", "+0:", CERTIFICATE.replace(" ^", ""), f"{CERTIFICATE} v"])
def test_a_proof_that_proves_nothing_is_an_error(certificate: str) -> None:
    for show in (frames, scenes):
        with pytest.raises(InvalidEvidence):
            list(show(LAYOUT, Verdict.UNWINNABLE, certificate))
