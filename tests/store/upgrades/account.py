"""Everything a store says about itself, as JSON."""

import json
import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import count

from dealmill import NotFoundError, Result, Run, Store
from dealmill.audits import Audit
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.store.audits.audit import find_audit
from tests.store.upgrades import Json

FACTS = ("source", "generator", "deals", "value", "low", "high", "interval", "deviation", "least", "greatest")


def account(store: Store) -> Json:
    """Return everything a store says about its sources, runs, surveys, audits and actions. How runs are cut into jobs
    is not part of it."""
    runs = store.status()
    return {
        "sources": [_source(store, number) for number in _numbers(store.find_source)],
        "runs": list(map(_run, runs)),
        "surveys": {str(run.id): _facts(store, run) for run in runs if _is_estimate(run)},
        "audits": [_audit(store, number) for number in _audits(store)],
        "seals": [Audit(store._database, find_audit(store._database, number)).seal for number in _audits(store)],
        "log": [
            [it.at.timestamp(), it.who, it.what, it.run, it.audit, it.engine, it.version, it.why, it.dealmill]
            for it in store.log()
        ],
    }


def _numbers(find: Callable[[int], object]) -> Iterable[int]:
    """Yield the numbers from 1 up to the last one that is found."""
    for number in count(1):
        try:
            find(number)
        except NotFoundError:
            return
        yield number


def _audits(store: Store) -> Iterable[int]:
    return _numbers(lambda number: find_audit(store._database, number))


def _source(store: Store, number: int) -> Json:
    it = store.find_source(number)
    return {
        **{name: getattr(it, name) for name in ("id", "game", "name", "generator")},
        "complete": it.complete or it.endless,  # deals without end were called complete
        **{name: getattr(it, name) for name in ("accepted", "duplicates", "rejected")},
        "rejects": [[reject.line, reject.text, *reject.reasons] for _, reject in store.rejects(source=number)],
    }


def _run(run: Run) -> Json:
    it = run.progress
    objections = [
        result for outcome in ("invalid", "no-evidence") for result in run.results(audit=outcome, retracted=True)
    ]
    return {
        **{name: getattr(it, name) for name in ("id", "source", "source_name", "game", "engine", "version")},
        **{name: getattr(it, name) for name in ("max_nodes", "repeats", "retracted", "generator")},
        **{name: getattr(it, name) for name in ("items", "complete", "finished", "value_sum", "nodes")},
        "counts": {verdict.word: number for verdict, number in sorted(it.counts.items())},
        "fingerprint": run.fingerprint,
        "audit": None if run.latest_audit is None else run.latest_audit.status.id,
        "results": digest(run.results(retracted=True)),
        "losses": digest(run.results(verdict=("unwinnable", "undecided", "failed"), retracted=True)),
        "middle": digest(run.results(value=(10, 60), nodes=(1, 20), after=it.items // 2, retracted=True)),
        "objections": digest(objections),
    }


def digest(results: Iterable[Result]) -> str:
    """Return the number of results and the SHA-256 of their fields."""
    hashed = sha256()
    number = 0
    for number, it in enumerate(results, start=1):  # noqa: B007 -- counted
        judged = None if it.judgement is None else [it.judgement.outcome.name, it.judgement.step, it.judgement.reason]
        said = [it.position, it.line, it.layout, it.verdict.word, it.value, it.nodes, it.evidence, judged]
        hashed.update(json.dumps(said).encode())
    return f"{number} {hashed.hexdigest()}"


def _is_survey(run: Run) -> bool:
    """Return whether a run is over deals without end."""
    return run.source.startswith("deal:") and run.source.endswith("-")


def _is_estimate(run: Run) -> bool:
    """Return whether `Store.survey` returns this run without solving anything."""
    it = run.progress
    return _is_survey(run) and it.finished and it.items > 0 and it.repeats is None and it.retracted is None


def _facts(store: Store, run: Run) -> Json:
    it = run.progress
    deals = parse_deal_range(it.source_name)
    survey = store.survey(
        it.game,
        engine=it.engine,
        count=it.items,
        seed=deals.seed,
        parameters=deals.parameters,
        max_nodes=it.max_nodes,
    )
    assert survey.id == it.id
    told = re.split("; (?:in theory|the exact value)", str(survey))[0]  # which earlier versions did not say
    return {"told": told, **{name: survey.facts.get(name) for name in FACTS}}


def _audit(store: Store, number: int) -> Json:
    it = find_audit(store._database, number)
    findings = Audit(store._database, it).findings()
    return {
        **{name: getattr(it, name) for name in ("id", "run", "population", "size", "seed", "finished")},
        **{name: getattr(it, name) for name in ("valid", "invalid", "no_evidence", "faults")},
        "findings": [[finding.items, finding.finding, finding.step, finding.reason] for finding in findings],
    }


def state(run: Run) -> Json:
    """Return what the fixture records of a run that the old code finished in a copy of the store."""
    return {"fingerprint": run.fingerprint, "results": digest(run.results())}
