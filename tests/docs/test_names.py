"""Every module, class and function that comments, docstrings and pages name exists."""

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.tables import metadata

ROOT = Path(__file__).parents[2]
FOLDERS = ("bench", "contrib", "dealmill", "docs", "examples", "migrations", "pipeline", "proofs", "tests", "workers")
FILES = [
    path
    for paths in (ROOT.glob("*"), *((ROOT / folder).rglob("*.*") for folder in FOLDERS))
    for path in paths
    if path.is_file()
]
PYTHON = [path for path in FILES if path.suffix in {".py", ".pyi"}]
PAGES = [path for path in FILES if path.suffix in {".md", ".rst"} and path.name != "CHANGELOG.md"]
OTHER_CODE = {".c", ".cpp", ".css", ".hpp", ".html", ".js", ".ml", ".toml", ".v", ".yaml"}
LINKED = {"pipeline", "workers", "migrations"}
"""Folders that are imported as packages of `dealmill`."""

FOREIGN = {
    *("CodeAbbey", "DuckDB", "GitHub", "JavaScript", "KiB", "MkDocs", "MyST", "NumPy", "PyArrow", "PyPI", "PySol"),
    *("PySolFC", "cp", "tmux", "xargs", "fish_source", "zsh_source", "auto_vacuum", "max_wal_size"),
    *("MemoryMax", "TasksMax", "fcs_user", "fcs_cl", "fcs_user.h", "fcs_cl.h", "fcs_move_t", "string_to_table"),
    *("celeryconfig.py", "pipeline.py", "SplitMix64", "ForeCell"),
}
"""Names of other projects."""
EXAMPLES = {
    *(
        "FILE.check.py",
        "night.jsonl.check.py",
        "data/1/results.jsonl.check.py",
        "levels.json.check.py",
        "two_pass.py",
        "test_nim.py",
        "test_nim",
        "test_memory",
    ),
    *("tests/test_my_game.py", "tests/golden/GAME.ENGINE.VERSION.jsonl", "Dealmill_Nim", "DEALMILL_METRICS_HOST"),
    *("dealmill_farm", "dealmill_database", "dealmill_kernels", "dealmill.families", "proofs/build/referee"),
}
"""Names that users choose, or of files that are made when they are used."""
TUTORIAL = "dealmill_nim/"
"""The folder that `docs/add-a-game.md` tells the reader to write."""

WHAT_TO_DO = """
No code has these names. Write the names of today. If a mechanism is gone, write "Replaced by decision N", with a link,
below the title of the page of its decision: what follows is not checked. A name of another project belongs in FOREIGN,
and one that users choose in EXAMPLES, in tests/docs/test_names.py."""

REPLACED = re.compile(r"^\W*replaced by \W*decision", re.MULTILINE | re.IGNORECASE)
"""The line of a decision below which it may name what is gone."""
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"[\w./-]*\w\.pyi?\b")
PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./*-]*\w/?")
DOTTED = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})(?:\.\w+)+(?![\w/])")
IDENTIFIER = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)*)(?:\(\))?`")
WORD = re.compile(r"(?<![\w./-])(_?[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z]\w*(?=\(\)))")
"""Words that only code has: with an underscore, with a capital inside, or with parentheses."""
DIGEST = re.compile(r"[0-9a-f]{64}|(?=[a-f]*[0-9])[0-9a-f]{12}")
"""A digest, or its beginning."""
DEFINED_IN = re.compile(r"`([A-Za-z]\w*)`\s+in\s+`([\w/]+\.pyi?)`")


@dataclass
class Contents:
    """The names and texts of a Python file."""

    bound: set[str] = field(default_factory=set)
    """The names that it binds, also within classes and functions."""
    words: set[str] = field(default_factory=set)
    """Other identifiers, and the words of string constants that are not docstrings."""
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    texts: list[tuple[int, str]] = field(default_factory=list)
    """Its comments and docstrings, each with its first line."""

    def add(self, tree: ast.AST) -> "Contents":
        """Add all nodes of a syntax tree."""
        docstrings = set()
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef(name=name):
                    self.bound.add(name)
                    self.classes[name] = node
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                    self.bound.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    self.bound.add(name)
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                    self.words.add(name)
                case ast.alias(name=name, asname=alias):
                    self.bound.add(alias or name)
                    self.words.update(name.split("."))
                case ast.Expr(value=ast.Constant(value=str(text)) as constant):
                    docstrings.add(constant)
                    self.texts.append((node.lineno, text))
                case ast.Constant(value=str(text)) if node not in docstrings:
                    self.words.update(re.findall(r"\w+", text))
        return self


@cache
def contents(path: Path) -> Contents:
    """Return the names and texts of a Python file."""
    contents = Contents().add(ast.parse(path.read_text()))
    with path.open("rb") as file:
        comments = [token for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT]
    contents.texts += [(token.start[0], token.string) for token in comments]
    return contents


@cache
def files_of(module: tuple[str, ...]) -> list[Path]:
    """Return the files of a module, given by the parts of its name: its source and its stub."""
    stems = (ROOT.joinpath(*module), ROOT.joinpath(*module, "__init__"))
    return [path for stem in stems for suffix in (".py", ".pyi") if (path := stem.with_suffix(suffix)).is_file()]


@cache
def definitions(name: str) -> list[tuple[set[str], list[str]]]:
    """Return the names that each class of this name binds, and the names of its bases."""
    classes = [contents(path).classes[name] for path in PYTHON if name in contents(path).classes]
    return [
        (Contents().add(node).bound, [re.sub(r"\[.*|.*\.", "", ast.unparse(base)) for base in node.bases])
        for node in classes
    ]


def has_member(name: str, member: str) -> bool:
    """Return whether a class has a member, or one of its bases. That of another project may have any."""
    if not definitions(name):
        return name not in {"ABC", "Generic", "NamedTuple", "Protocol"}
    return any(
        member in bound or any(base != name and has_member(base, member) for base in bases)
        for bound, bases in definitions(name)
    )


@cache
def words() -> set[str]:
    """Return all words of code, and the names of games."""
    words = FOREIGN | EXAMPLES | games().keys()
    for path in FILES:
        if path.suffix in OTHER_CODE or path.name in {"Makefile", "Dockerfile"}:
            words |= {path.name, path.stem, *re.findall(r"\w+", path.read_text())}
    for path in PYTHON:
        words |= {*path.relative_to(ROOT).with_suffix("").parts}
        if path != Path(__file__):
            words |= contents(path).bound | contents(path).words
    return words


def resolves(name: str) -> bool:
    """Return whether a dotted name can be imported."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def dotted_exists(name: str) -> bool:
    """Return whether a dotted name leads to a module of ours, or to what one defines."""
    parts = tuple(name.split("."))
    parts = parts[1:] if parts[0] == "dealmill" and parts[1] in LINKED else parts
    if name in EXAMPLES or ROOT.joinpath(*parts).is_dir() or files_of(parts):
        return True
    length = next((length for length in range(len(parts), 0, -1) if files_of(parts[:length])), 0)
    first, *rest = parts[length:]
    bound = {bound for path in files_of(parts[:length]) for bound in contents(path).bound}
    return (first in bound or ("*" in bound and resolves(name))) and (not rest or has_member(first, rest[0]))


def identifier_exists(name: str) -> bool:
    """Return whether code has a name: a member, if it begins with a class of ours, else any word."""
    first, *rest = name.split(".")
    if rest and first in FOLDERS:
        return dotted_exists(name)
    if rest and definitions(first):
        return has_member(first, rest[0])
    return name in words() or {first, *rest} <= words() or bool(DIGEST.fullmatch(name)) or resolves(name)


def path_exists(path: str) -> bool:
    """Return whether a path from the root exists; GAME stands for the folder of any game."""
    return path in EXAMPLES or any(ROOT.glob(path.replace("GAME", "*").rstrip("/")))


def file_exists(name: str) -> bool:
    """Return whether a Python file has this name, or ends with this path."""
    tail = name.replace("GAME", "memory").lstrip("./")
    known = name in FOREIGN | EXAMPLES or tail.startswith(TUTORIAL) or (ROOT / tail).exists()
    return known or any(path.as_posix().endswith(f"/{tail}") for path in PYTHON)


def missing_names(text: str, *, page: bool = False) -> Iterator[tuple[int, str]]:
    """Yield each name in a text that does not exist, with its offset. Blocks of code on a page are searched for paths
    only, because other tests run what they show."""
    prose = BLOCK.sub(lambda block: re.sub(r"\S", " ", block[0]), text) if page else text
    coded = [(code.start(), code[0]) for code in CODE.finditer(text)] if page else [(0, text)]
    for match in FILE.finditer(prose):
        if not file_exists(match[0]):
            yield match.start(), match[0]
    for start, code in coded:
        for match in PATH.finditer(code):
            if not path_exists(match[0]):
                yield start + match.start(), match[0]
    for pattern in (DOTTED, IDENTIFIER, WORD):
        for match in pattern.finditer(prose):
            name = match[pattern.groups]
            if not FILE.fullmatch(name) and not identifier_exists(name):
                yield match.start(), name
    for match in DEFINED_IN.finditer(prose):
        name, path = match[1], ROOT / match[2]
        if path.is_file() and name not in contents(path).bound:
            yield match.start(), f"{name} in {match[2]}"


def texts_of(path: Path) -> list[tuple[int, str]]:
    """Return the comments and docstrings of a file, each with its first line; of a page, all up to the line that says
    what has replaced it."""
    if path in PYTHON:
        return contents(path).texts
    return [(1, REPLACED.split(path.read_text())[0])]


def test_names_in_comments_docstrings_and_pages_exist() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line + text[:offset].count(chr(10))}: {name}"
        for path in (*PYTHON, *PAGES)
        for line, text in texts_of(path)
        for offset, name in missing_names(text, page=path in PAGES)
    ]
    assert not wrong, "\n".join([*wrong, WHAT_TO_DO])


@pytest.mark.parametrize(
    "wrong",
    [
        "decode.py",
        "store/decode.py",
        "`pipeline/decode/`",
        "dealmill.pipeline.decode",
        "dealmill.pipeline.store.database.connections.decode_texts",
        "dealmill.pipeline.store.database.connections.Database.decode_texts",
        "`Database.decode_texts`",
        "`numpy.decode_texts`",
        "decode_texts",
        "decode_texts()",
        "`TextDecoder`",
        "`Database` in `pipeline/store/database/tables.py`",
    ],
)
@pytest.mark.parametrize("page", [False, True])
def test_wrong_names_are_reported(wrong: str, page: bool) -> None:
    reported = [name for _, name in missing_names(f"what {wrong} does", page=page)]
    assert reported
    assert all(name in wrong.replace("`", "") for name in reported)


def test_right_names_are_not_reported() -> None:
    right = (
        "connections.py, `pipeline/store/`, `pipeline/games/GAME/rules.py`, dealmill.Store.query, dealmill.db, `rows`, "
        "`Database.writing`, `dealmill.progress.silent`, `numpy.ndarray`, SQLite, `ReplacedError` in "
        "`pipeline/errors.py`"
    )
    assert [*missing_names(right), *missing_names(right, page=True)] == []


def test_comments_of_columns_name_no_code() -> None:
    """A database keeps them, whatever becomes of the code."""
    comments = [str(column.comment) for table in metadata.sorted_tables for column in table.columns]
    assert not [comment for comment in comments if re.search(r"\w\.\w|\w\(\)", comment)]
