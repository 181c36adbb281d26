"""The compiled referee of wins against the plain one, and how the two share the work."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.compiled import referee as compiled
from dealmill.pipeline.games.patience.compiled import wins
from dealmill.pipeline.games.patience.compiled.wins import is_won, moves_made, words_of_moves
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.solving.solve import solve
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import random_rules, random_rules_by_stages, random_spider_rules, seeds

MOVES, OTHER_WORDS, ALTERATIONS = 20, 30, 30
QUICK = ("freecell", "klondike", "spider")
"""The games that `make test` tries."""
LIMIT, DEALS = 20_000, 6
NEARLY = "klondike KS/-/-/-/-/-/- foundations:KCKHQSQD stock:KD"
"""A deal that is won by two moves."""


def compare_moves(rules: Rules, text: str, random: Random) -> None:
    """Both referees know the same moves along a random play; of words for other moves, a sample is tried."""
    referee, words = Referee(rules), sorted(words_of_moves(rules))
    first = position = referee.position(text)
    played = list[str]()
    for _ in range(MOVES):
        plays = {play.word: play.after for play in reversed(list(referee.plays(position)))}
        assert plays.keys() <= words_of_moves(rules).keys(), (rules, text)
        for word in sorted({*plays, *random.sample(words, min(OTHER_WORDS, len(words)))}):
            made = moves_made(rules, first, [*played, word])
            assert (made > len(played)) == (word in plays), (rules, text, played, word)
            wins = word in plays and referee.won(plays[word])
            assert (made > len(played) + 1) == wins, (rules, text, played, word)
        if not plays:
            return
        played.append(random.choice(sorted(plays)))
        position = plays[played[-1]]


@pytest.mark.parametrize("any_rules", [random_rules, random_spider_rules, random_rules_by_stages])
@pytest.mark.parametrize("seeds", seeds(40_000, 100, quick=10, slow=40))
def test_both_referees_know_the_same_moves_by_any_rules(
    any_rules: Callable[[Random], Rules], seeds: Sequence[int]
) -> None:
    for seed in seeds:
        rules = any_rules(Random(seed))
        compare_moves(rules, to_strings(deal(rules, seed, 1, 1))[0], Random(seed))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FILES]
)
def test_both_referees_accept_and_refuse_the_same_wins(name: str) -> None:
    rules, random = rules_of(name), Random(name)
    referee, layouts = Referee(rules), to_strings(deal(rules, 1, 1, DEALS))
    compare_moves(rules, layouts[0], random)
    solved = solve(f"{name}/winnable", layouts, LIMIT)
    rows = zip(layouts, solved.verdicts, solved.evidence, strict=True)
    wins = [(text, evidence or "") for text, verdict, evidence in rows if verdict is Verdict.WINNABLE]
    for text, evidence in wins[:2]:
        assert is_won(rules, referee.position(text), evidence)
        assert refusal(referee, text, evidence) == ""
        for altered in islice(altered_moves(rules, evidence, random), ALTERATIONS):
            accepted = is_won(rules, referee.position(text), altered)
            assert accepted == (refusal(referee, text, altered) == ""), (text, altered)


def altered_moves(rules: Rules, evidence: str, random: Random) -> Iterator[str]:
    """Moves of a win of which some are left out, doubled, changed, exchanged or no words for moves."""
    known = sorted(words_of_moves(rules))
    while True:
        words = evidence.split(" ")
        at, other = random.randrange(len(words)), random.randrange(len(words))
        match random.randrange(7):
            case 0:
                del words[at]
            case 1:
                words.insert(at, words[other])
            case 2:
                words[at] = random.choice(known)
            case 3:
                words[at], words[other] = words[other], words[at]
            case 4:
                words[at] = words[at][:2] + words[other][2:]
            case 5:
                words[at] = random.choice([words[at].lower(), f"{words[at]}0", "", "-", "6He0", f" {words[at]}"])
            case 6:
                words = words[: at + 1]
        yield " ".join(words)


def refusal(check: compiled.CompiledReferee | Referee, text: str, evidence: str) -> str:
    """Return why a win is refused; an empty text if it is accepted."""
    try:
        check("winnable", text, Verdict.WINNABLE, None, evidence)
    except InvalidEvidence as error:
        return f"{error.step}: {error.reason}"
    return ""


@pytest.mark.parametrize("evidence", ["KSf", "KDf", "KSf KDf KDf", "KSf KDh", "KSf KDF", "", "-", "KDe KSf", "kSf KDf"])
def test_what_compiled_code_refuses_is_refused_for_the_reason_of_the_plain_referee(
    evidence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "PLAIN_WINS", 0)
    rules = rules_of("klondike")
    reason = refusal(Referee(rules), NEARLY, evidence)
    assert reason
    assert refusal(compiled.CompiledReferee(rules), NEARLY, evidence) == reason
    assert refusal(compiled.CompiledReferee(rules), "klondike KS", "KSf").startswith("0: ")


def test_compiled_code_replays_all_wins_but_the_first_and_plain_python_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replayed = list[str]()
    check_plainly = Referee.__call__

    def note(name: str, result: bool) -> bool:
        replayed.append(name)
        return result

    def plain(referee: Referee, *claim: object) -> None:
        note("plain", True)
        check_plainly(referee, *claim)  # type: ignore[arg-type]

    monkeypatch.setattr(Referee, "__call__", plain)
    monkeypatch.setattr(wins, "is_won", lambda *_win: note("compiled", True))
    monkeypatch.setattr(compiled, "PLAIN_WINS", 2)
    check = compiled.CompiledReferee(rules_of("klondike"))
    for number in (1, 1, 1, 0):
        monkeypatch.setattr(compiled, "random_number", lambda _layout: number)  # noqa: B023
        assert refusal(check, NEARLY, "KSf KDf") == ""
    assert replayed == ["plain", "plain", "compiled", "compiled", "plain"]
    assert "not won after the last move" in refusal(check, NEARLY, "KSf"), "the sample is judged by both"
    monkeypatch.setattr(wins, "is_won", lambda *_win: False)
    assert "the referees disagree" in refusal(check, NEARLY, "KSf KDf")
