"""What can be taken out of a referee: guards, operands, links of comparisons, conditions, and calls that may refuse."""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

OFF_BY_ONE: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
}


class Mutation(NamedTuple):
    """A change of a syntax tree: where it is, what it does, and how to make it."""

    line: int
    change: str
    make: Callable[[], object]


def mutations(tree: ast.AST) -> Iterator[Mutation]:
    """Everything that can be changed in a tree, in the same order for the same source."""
    for node in ast.walk(tree):
        match node:
            case ast.If():
                yield from without_guard(node)
            case ast.BoolOp():
                yield from without_operand(node)
            case ast.Compare():
                yield from other_comparisons(node)
            case ast.comprehension():
                for number, condition in enumerate(node.ifs):
                    yield dropped(condition, partial(node.ifs.pop, number))
            case ast.Expr(value=ast.Call() as call):
                yield dropped(call, partial(setattr, node, "value", ast.Constant(None)))


def dropped(node: ast.expr, make: Callable[[], object]) -> Mutation:
    return Mutation(node.lineno, f"without {ast.unparse(node)}", make)


def without_guard(node: ast.If) -> Iterator[Mutation]:
    """The guard never fires; or nothing happens where all else has failed."""
    if isinstance(node.body[0], ast.Raise | ast.Return | ast.Break):
        yield dropped(node.test, partial(setattr, node, "test", ast.Constant(False)))
    if node.orelse and isinstance(node.orelse[0], ast.Raise):
        yield Mutation(node.orelse[0].lineno, "without the else", partial(setattr, node, "orelse", []))


def without_operand(node: ast.BoolOp) -> Iterator[Mutation]:
    """An operand of ``and`` and ``or`` is dropped by saying its neighbour twice."""
    for number, operand in enumerate(node.values):
        neighbour = node.values[number - 1 if number else 1]
        yield dropped(operand, partial(node.values.__setitem__, number, neighbour))


def other_comparisons(node: ast.Compare) -> Iterator[Mutation]:
    """``<`` and ``<=`` change places, and a chain loses its first or its last link."""
    for number, operator in enumerate(node.ops):
        if replacement := OFF_BY_ONE.get(type(operator)):
            change = f"off by one: operator {number + 1} of {ast.unparse(node)}"
            yield Mutation(node.lineno, change, partial(node.ops.__setitem__, number, replacement))
    if len(node.ops) > 1:
        shorter = ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])
        yield Mutation(node.lineno, f"{ast.unparse(shorter)} for {ast.unparse(node)}", partial(become, node, shorter))
        shorter = ast.Compare(node.left, node.ops[:-1], node.comparators[:-1])
        yield Mutation(node.lineno, f"{ast.unparse(shorter)} for {ast.unparse(node)}", partial(become, node, shorter))


def become(node: ast.Compare, replacement: ast.Compare) -> None:
    node.left, node.ops, node.comparators = replacement.left, replacement.ops, replacement.comparators
