"""Parts of a program in one file: the source of modules, without their imports."""

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from importlib.util import resolve_name
from inspect import getsource
from symtable import symtable
from types import ModuleType
from typing import NamedTuple

from dealmill.pipeline.errors import UsageError

DEALMILL = "dealmill"
REFEREES = "dealmill.referees"
SHARED = ("dealmill.pipeline.games.referee", "dealmill.pipeline.games.player")
"""The modules of Dealmill that referees share, and what names them for games. A checker takes them along."""


class Import(NamedTuple):
    """The import of one name: ``from module import name``, or ``import name`` if the module is empty."""

    module: str
    name: str
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name that it defines."""
        return self.alias or self.name.partition(".")[0]

    @property
    def package(self) -> str:
        """The name of the package that is imported; empty if the import is relative."""
        return (self.module or self.name).partition(".")[0]

    def absolute(self, package: str) -> "Import":
        """Return the import without leading dots, if it is in a module of a package."""
        return self._replace(module=resolve_name(self.module, package)) if self.module else self

    def __str__(self) -> str:
        return f"{self.module}.{self.name}".removeprefix(".") + (f" as {self.alias}" if self.alias else "")


class Part(NamedTuple):
    """The source of a module, or of some of its definitions, without imports.

    `defined` are the names that it defines, and `imports` what it imports from the standard library. What it imports
    from Dealmill and from other modules of its package, `taken`, must be defined by other parts of the program.
    """

    module: str
    source: str
    defined: frozenset[str]
    taken: frozenset[Import]
    imports: frozenset[Import]


def part_of(module: ModuleType, only: Collection[str] = ()) -> Part:
    """Return the source of a module as a part of a program; only these definitions, if any are given.

    Raises
    ------
    UsageError
        If the module has no source, or imports anything but the standard library and names of Dealmill or its package.
    """
    try:
        text = getsource(module)
    except (OSError, TypeError) as error:
        raise UsageError(f"the source of {module.__name__} is not installed, so it cannot be in a checker") from error
    tree, package = ast.parse(text), module.__package__ or ""
    source = _without_imports(text, tree, only)
    imports = {dependency.absolute(package) for node in tree.body for dependency in _imports_in(node)}
    if only:
        imports = {dependency for dependency in imports if re.search(rf"\b{dependency.bound}\b", source)}
    taken = {
        dependency
        for dependency in imports
        if f"{dependency.module}.".startswith(f"{DEALMILL}.") or dependency.module.startswith(f"{package}.")
        if dependency.name != "*" and not dependency.alias
    }
    nested = {dependency for node in ast.walk(ast.parse(source)) for dependency in _imports_in(node)}
    for dependency in (imports - taken) | nested:
        if dependency.package not in sys.stdlib_module_names or dependency.name == "*":
            raise UsageError(
                f"{module.__name__} imports {dependency}, but a checker can only contain code that imports the "
                "standard library and names of Dealmill or its own package"
            )
    symbols = symtable(source, module.__name__, "exec").get_symbols()
    defined = {symbol.get_name() for symbol in symbols if symbol.is_assigned()} - {"__all__"}
    return Part(
        module.__name__,
        source,
        frozenset(defined),
        frozenset(taken),
        frozenset(imports - taken),
    )


def parts_of(module: ModuleType) -> list[Part]:
    """Return a module as the last of these parts of a program, after all modules that it needs: those of its package,
    and those that referees share.

    Raises
    ------
    UsageError
        As `part_of` does.
    """
    parts, package = dict[str, Part](), module.__package__ or ""

    def add(module: ModuleType) -> None:
        part = part_of(module)
        for name in sorted(map(home_of, part.taken)):
            if name.startswith((f"{package}.", *SHARED)) and name not in parts:
                add(sys.modules[name])
        parts[part.module] = part

    add(module)
    return list(parts.values())


def home_of(dependency: Import) -> str:
    """Return the name of the module that defines what is imported: `REFEREES` only names what is in others."""
    if dependency.module != REFEREES:
        return dependency.module
    return next(name for name in SHARED if hasattr(sys.modules[name], dependency.name))


def _imports_in(node: ast.AST) -> Iterator[Import]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield Import("", alias.name, alias.asname)
        case ast.ImportFrom():
            for alias in node.names:
                yield Import("." * node.level + (node.module or ""), alias.name, alias.asname)


def _without_imports(source: str, tree: ast.Module, only: Collection[str]) -> str:
    """Return the source without imports at its top level, ``__all__`` and code for running it; or only some of its
    definitions. Each statement keeps the comments above it and the string below it."""
    lines, end, remaining = source.split("\n"), 0, list[str]()
    keep = not only
    for node in tree.body:
        if not _is_string(node):
            names = _names(node)
            keep = not names.isdisjoint(only) if only else not (_is_of_module(node) or "__all__" in names)
        if keep:
            remaining += lines[end : node.end_lineno]
        end = node.end_lineno or end
    return "\n".join(remaining).strip("\n") + "\n"


def _is_of_module(node: ast.stmt) -> bool:
    """Return whether a statement is an import, or what a module does when it is run itself."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
    )


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _names(node: ast.stmt) -> set[str]:
    """Return the names that a definition or an assignment defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def import_lines(imports: Iterable[Import]) -> str:
    """Return the statements for these imports, in alphabetical order."""
    plain = sorted({dependency for dependency in imports if not dependency.module})
    of_modules: dict[str, set[Import]] = {}
    for dependency in imports:
        if dependency.module:
            of_modules.setdefault(dependency.module, set()).add(dependency)
    lines = [f"import {_written(dependency)}" for dependency in plain]
    for module in sorted(of_modules):
        lines.append(f"from {module} import {', '.join(map(_written, sorted(of_modules[module], key=_order)))}")
    return "".join(f"{line}\n" for line in lines)


def _written(dependency: Import) -> str:
    return f"{dependency.name} as {dependency.alias}" if dependency.alias else dependency.name


def _order(dependency: Import) -> tuple[bool, bool, str]:
    """Return a key that sorts constants before classes, and these before functions, as formatters do."""
    return not (dependency.name.isupper() and len(dependency.name) > 1), dependency.name[0].islower(), dependency.name


def check_names(parts: Iterable[Part], reserved: Collection[str]) -> None:
    """Check that each name has one meaning in a program of these parts, and that none is built in or `reserved`.

    Raises
    ------
    UsageError
        If not; it names the later one of two parts that define a name.
    """
    meanings: dict[str, object] = dict.fromkeys([*dir(builtins), *reserved], "")
    for part in parts:
        bindings = dict.fromkeys(part.defined, part.module) | {each.bound: each for each in part.imports}
        for name, meaning in bindings.items():
            if meanings.setdefault(name, meaning) != meaning:
                raise UsageError(f"{part.module} defines {name}, which means something else in a checker: rename it")
