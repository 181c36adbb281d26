"""The engine and both referees of a patience against plain code, on deals and positions of small decks.

Games, real and easier ones, are searched to the end by `naive` and `easier`, which were written from the rules and the
statement of docs/proofs/patience.md alone.
"""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.functions import EngineFunction
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import cards_may_be_absent_at_once, easier_game_is_sound
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.losses.safe import safe_cards_prove_losses
from dealmill.pipeline.games.patience.losses.walks import walks_prove_losses
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import SUITS, Rules
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.patiences import easier, naive, walks
from dealmill.testing.patiences.small import random_position, with_small_deck
from dealmill.testing.subject import Subject, require
from dealmill.verdicts import InvalidEvidence

SMALL_DECKS = 40
FEW_CARDS = 16
"""A deck with no more cards is small as it is."""
DEALS, RANDOM_POSITIONS = 2, 3
"""Layouts for each small deck."""
POSITIONS = 200
"""Games with more positions, real or easier ones, are passed over."""
NODES = 20_000
"""The node limit of the engine."""
LIVE = (0.3, 0.6, 0.9)
"""Shares of cards that are live, in random easier games."""


def the_engine_and_the_referees_agree_with_plain_code(subject: Subject) -> str:
    """By the rules of the game, with small decks; also on easier games, if these prove losses."""
    game = subject.game
    assert isinstance(game, Patience) and game.rules_text  # noqa: S101 -- see `checks`
    searched, passed_over, faults = 0, 0, list[str]()
    for seed in range(1, SMALL_DECKS + 1):
        random, rules = Random(seed), game.rules
        if len(rules.deck()) > FEW_CARDS or seed % 2:
            rules = with_small_deck(rules, random)
        engine = Patience(rules, game.rules_text).solvers["winnable"]
        for layout in small_layouts(rules, seed, random):
            disagreements = compared(rules, engine, layout, random)
            searched += disagreements is not None
            passed_over += disagreements is None
            faults += [f"{layout} ({_differences(rules, game.rules)}): {fault}" for fault in disagreements or ()]
    summary = f"{searched:,} layouts of small decks were searched by plain code, passed over: {passed_over:,}"
    require(not faults, f"{summary}; it disagrees in {len(faults):,} cases: {min(faults, key=len, default='')}")
    return summary


def small_layouts(rules: Rules, seed: int, random: Random) -> list[str]:
    """Return deals and random positions."""
    from dealmill.pipeline.games.patience.deal import deal  # loads numba

    positions = [random_position(rules, random) for _ in range(RANDOM_POSITIONS)]
    return [*to_strings(deal(rules, seed, 1, DEALS)), *positions]


def _differences(rules: Rules, large: Rules) -> str:
    """Return in what the rules of a small deck differ, in words."""
    fields = {name: value for name, value in vars(rules).items() if value != vars(large)[name]}
    return ", ".join(f"{name} = {value}" for name, value in fields.items()) or "all rules as in the file"


def compared(rules: Rules, engine: EngineFunction, layout: str, random: Random) -> list[str] | None:
    """Return what the engine and the referees say of a layout and plain code does not, in words; None if the game has
    too many positions."""
    truth = naive.counted(layout, rules, POSITIONS)
    if truth is None:
        return None
    can_be_won, positions = truth
    plain = "it can be won" if can_be_won else f"it has {positions:,} positions, and none is won"
    faults = [f"{fault}; {plain}" for fault in _faults_of_engine(rules, engine, layout, can_be_won=can_be_won)]
    faults += _faults_of_referees(rules, layout, truth, "*")
    if walks_prove_losses(rules):
        open_positions = POSITIONS if can_be_won else walks.counted(layout, rules)
        faults += _faults_of_referees(rules, layout, (can_be_won, open_positions), "walks *")
    if can_be_won and cut_proves_losses(rules):
        faults += _faults_of_referees(rules, layout, truth, "cut *")
    if can_be_won and safe_cards_prove_losses(rules):
        faults += _faults_of_referees(rules, layout, truth, "safe *")
    for form in ["*"] * easier_game_is_sound(rules) + [""] * cards_may_be_absent_at_once(rules):
        share = random.choice(LIVE)
        live = {card for card in naive.cards("".join(rules.deck())) if random.random() < share}
        counted = easier.counted(layout, rules, live, POSITIONS, at_once=not form) if live else None
        if counted is not None:
            cards = sorted(live, key=lambda card: (SUITS.index(card.suit), card.rank))
            faults += _faults_of_referees(rules, layout, counted, form + "".join(card.name for card in cards))
    return faults


def _faults_of_engine(rules: Rules, engine: EngineFunction, layout: str, *, can_be_won: bool) -> Iterator[str]:
    """Yield what is wrong with the verdict of the engine."""
    try:
        solved = to_batch(engine(to_texts([layout]), NODES))
    except Exception as error:  # noqa: BLE001 -- an engine can raise anything
        yield f"the engine raises {type(error).__name__}: {error}"
        return
    [verdict], [nodes], [evidence] = solved.verdicts, solved.nodes, solved.evidence
    if verdict is Verdict.UNDECIDED:
        if nodes < NODES:
            yield f"the engine is undecided after {nodes:,} of {NODES:,} nodes"
    elif (verdict is Verdict.WINNABLE) != can_be_won:
        yield f"the engine says {verdict.word}, evidence {evidence}"
    else:
        for referee, reason in _judged(rules, layout, verdict, str(evidence)):
            if reason:
                yield f"the engine says {verdict.word}, evidence {evidence}, but {referee}: {reason}"


def _faults_of_referees(rules: Rules, layout: str, counted: tuple[bool, int], cards: str) -> Iterator[str]:
    """Yield which referees refuse a loss by some cards with the positions that plain code counts, or accept one of a
    game that can be won."""
    can_be_won, positions = counted
    evidence = f"{cards} {POSITIONS if can_be_won else positions}"
    for referee, reason in _judged(rules, layout, Verdict.UNWINNABLE, evidence):
        if can_be_won and (not reason or "not" in reason):
            yield f"evidence {evidence} is of a game that can be won, but {referee}: {reason or 'accepted'}"
        elif reason and not can_be_won:
            yield f"evidence {evidence} has the positions of plain code, but {referee}: {reason}"


def _judged(rules: Rules, layout: str, verdict: Verdict, evidence: str) -> Iterator[tuple[str, str]]:
    """Yield each referee, and why it refuses evidence; an empty text if it accepts that."""
    from dealmill.pipeline.games.patience.compiled.referee import check_loss  # loads numba

    checks: dict[str, Callable[[], object]] = {}
    checks["the plain referee"] = partial(Referee(rules), "winnable", layout, verdict, None, evidence)
    if verdict is Verdict.UNWINNABLE and rules.copies == 1:
        checks["the compiled referee"] = lambda: check_loss(rules, layout, read_loss(rules, evidence))
    for name, check in checks.items():
        try:
            check()
        except InvalidEvidence as error:
            yield name, error.reason
        else:
            yield name, ""
