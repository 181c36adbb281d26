"""The fields of results and of runs are listed in one module, from which everything else takes them."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from dealmill import Result
from dealmill.pipeline.games.batch import Batch
from dealmill.pipeline.outputs.pack import Entry
from dealmill.pipeline.results.measures import RECORDED
from dealmill.pipeline.results.record import ANSWER, RESULT, RUN
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.web import api

PROJECT = Path(__file__).parents[1]
NAMES = {
    frozenset(field.name for field in RESULT): 5,
    frozenset(ANSWER): len(ANSWER),
    frozenset(field.name for field in RUN): 10,
}
"""The names of fields, and how many of them make a list of the fields."""
FILLED = {
    "dealmill/testing/subject.py": "what a referee judges",
    "pipeline/archive/record.py": "what an archive says of a run, whose format has a version of its own",
    "pipeline/games/batch.py": "what engines write, as arrays and as lists",
    "pipeline/programs/protocol.py": "what a program answers",
    "pipeline/results/record.py": "the list itself",
    "pipeline/results/result.py": "the classes of results in Python, with the types that readers of code need",
    "pipeline/outputs/pack.py": "the entries of a pack, whose format has a version of its own",
    "pipeline/store/runs/planned.py": "the columns of the plan of a run",
    "pipeline/store/runs/status.py": "the function that fills the row of a run",
    "pipeline/store/storages/audit_scans.py": "what an audit reads of an item",
}
"""Where the fields are named one by one, and why."""


def listed_names(node: ast.AST) -> Iterator[str]:
    """The names that a list, a dictionary, a call or a class lists."""
    match node:
        case ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values) | ast.Dict(keys=values):
            yield from (str(value.value) for value in values if isinstance(value, ast.Constant))
        case ast.Call(keywords=keywords):
            yield from (str(keyword.arg) for keyword in keywords)
        case ast.ClassDef(body=body):
            yield from (
                line.target.id for line in body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            )


@pytest.mark.slow
def test_no_surface_lists_fields_of_its_own() -> None:
    listing = set[str]()
    for folder in ("dealmill", "pipeline", "workers"):
        for path in (PROJECT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                listed = {*listed_names(node)}
                if any(len(listed & names) >= most for names, most in NAMES.items()):
                    listing.add(str(path.relative_to(PROJECT)))
    assert listing == FILLED.keys()


def test_the_classes_that_name_the_fields_have_all_of_them() -> None:
    names = {field.name for field in RESULT}
    assert names <= {field.name for field in fields(Result)}
    assert [field.name for field in fields(RecordedVerdict)] == ["position", *ANSWER]
    assert [*Batch([], [], [], []).columns] == [field.name for field in RESULT[3:]]
    assert names <= Entry.model_fields.keys()
    assert names - {"position"} <= api.Result.model_fields.keys()


def test_each_number_of_an_engine_has_a_name_in_sentences() -> None:
    numbers = {field.name for field in RESULT if field.type is int} - {"position", "line"}
    assert numbers == {order.measure.field for order in RECORDED}
    assert [order.phrase for order in RECORDED] == ["the value", "the number of nodes"]
    assert [order.with_number(1) for order in RECORDED] == ["value 1", "1 node"]
