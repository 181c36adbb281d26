"""The referee that is proved in Coq against those in Python; see docs/proofs/README.md."""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.testing.subject import altered_texts

OPPOSITE = {Verdict.WINNABLE: Verdict.UNWINNABLE, Verdict.UNWINNABLE: Verdict.WINNABLE}
PROOFS = Path(__file__).parents[2] / "proofs"


class Claim(NamedTuple):
    """A row of an export: a layout, and what is said of it."""

    layout: str
    verdict: Verdict
    evidence: str


def refused_by_proof(programs: Path, game: str | Path, claims: list[Claim], folder: Path) -> set[Claim]:
    """Return the claims that the proved referee does not accept, of a game or by the rules in a file."""
    export = folder / "export.jsonl"
    rows = [
        {"position": 1, "layout": layout, "verdict": verdict.word, "value": None, "evidence": evidence}
        for layout, verdict, evidence in claims
    ]
    export.write_text("".join(json.dumps(row) + "\n" for row in rows))
    judged = subprocess.run([programs / "referee", game, export], capture_output=True, text=True, check=False)
    assert judged.stderr == "", judged.stderr
    refused = {claims[int(line) - 1] for line in re.findall(r"^line (\d+): ", judged.stdout, re.MULTILINE)}
    wins, losses = (
        sum(claim.verdict is verdict and claim not in refused for claim in claims)
        for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE)
    )
    assert f"{wins} wins and {losses} losses proved" in judged.stdout
    return refused


def reason_of_python(game: str, claim: Claim) -> str:
    """Return why the referee in Python refuses a claim; empty if it does not."""
    try:
        find_game(game).check("winnable", claim.layout, claim.verdict, None, claim.evidence)
    except InvalidEvidence as error:
        return str(error)
    return ""


def altered(claims: list[Claim], count: int, seed: int) -> Iterator[Claim]:
    """Yield each claim, then altered ones: another layout or verdict, or texts with parts of those of other claims."""
    random = Random(seed)
    for claim in claims:
        yield claim
        yield claim._replace(layout=random.choice(claims).layout)
        yield claim._replace(verdict=OPPOSITE[claim.verdict])
        other = random.choice(claims)
        for layout in altered_texts_of(claim.layout, other.layout, count, random):
            yield claim._replace(layout=layout)
        for evidence in altered_texts_of(claim.evidence, other.evidence, 3 * count, random):
            yield claim._replace(evidence=evidence)


def altered_texts_of(text: str, other: str, count: int, random: Random) -> list[str]:
    texts = altered_texts([text.encode(), text.encode(), other.encode()], random)
    return [altered.decode("utf-8", "replace") for altered in islice(texts, count)]


def assert_agrees(programs: Path, game: str, claims: Iterable[Claim], folder: Path) -> None:
    """Check that the proved referee accepts exactly the claims that the one in Python accepts, some of each kind."""
    claims = [*dict.fromkeys(claims)]
    refused = refused_by_proof(programs, game, claims, folder)
    reasons = {claim: reason_of_python(game, claim) for claim in claims}
    assert [(claim, reason) for claim, reason in reasons.items() if bool(reason) != (claim in refused)] == []
    kinds = {(claim.verdict, claim in refused) for claim in claims}
    assert len(kinds) == 4, kinds


class ClaimedLoss(NamedTuple):
    """A loss that is claimed, of a game by a rules file."""

    rules: Any
    layout: str
    evidence: str


def differences(
    programs: Path,
    losses: Iterable[ClaimedLoss],
    folder: Path,
    write_rules: Callable[[Any, Path], Path],
    reason_of: Callable[[ClaimedLoss], str],
) -> tuple[list[tuple[ClaimedLoss, str]], int]:
    """Return the losses that only one of the two referees accepts, with the reason of Python, and how many the proved
    one accepts. Python accepts a loss without a reason."""
    by_rules = defaultdict[Any, list[ClaimedLoss]](list)
    for loss in losses:
        by_rules[loss.rules].append(loss)
    differing, accepted = list[tuple[ClaimedLoss, str]](), 0
    for rules, group in by_rules.items():
        rows = {loss: Claim(loss.layout, Verdict.UNWINNABLE, loss.evidence) for loss in group}
        refused = refused_by_proof(programs, write_rules(rules, folder), list(rows.values()), folder)
        reasons = {loss: reason_of(loss) for loss in group}
        differing += [(loss, reason) for loss, reason in reasons.items() if bool(reason) != (rows[loss] in refused)]
        accepted += len(rows) - len(refused)
    return differing, accepted
