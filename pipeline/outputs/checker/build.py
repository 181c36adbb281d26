"""The text of a checker: the rules of a game, the referee and a reader of exports as one program."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from dealmill.pipeline import errors, printable
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.evidence import referee
from dealmill.pipeline.games import sampling, verdict
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.outputs.checker import csv_rows, facts, json_lines, json_pack, program
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.outputs.checker.parts import Import, Part, check_names, home_of, import_lines, part_of, parts_of
from dealmill.pipeline.printable import printable as on_one_line
from dealmill.pipeline.results import record

SUFFIX = ".check.py"
"""Appended to the name of an export to name its checker."""
READERS = {".csv": csv_rows, ".jsonl": json_lines}
"""The modules that read exports, by the suffix of the file."""
PACK_READERS = {".csv": csv_rows, ".json": json_pack}
"""The modules that read packs."""
ERRORS = ("DealmillError", "UsageError", "InvalidEvidence", "IllegalMove", "Unchecked")
TAKEN = ("IllegalMove", "InvalidEvidence", "Unchecked", "Verdict", "check_positions")
"""The names of Dealmill that the rules of a game may import."""
RECORD = ("Fact", "RecordField", "ResultRow", "fields_of", "RESULT", "UNFINISHED")
REFEREE = (
    *("LONGEST_TEXT", "Check", "Outcome", "Judgement", "VERDICTS", "VALID", "NO_EVIDENCE"),
    *("judge_by", "too_long", "_wrong_claim"),
)

TOP = """\
Check {file} with nothing but Python.

    python3 -I -S {command}

Dealmill wrote {file} and this program together:

{about}
The program needs Python 3.11 or newer and no packages; with -I -S, Python
ignores those that are installed. It ends with exit code 0 if every row is
proved, with 1 at the first row that is not, and with 3 if all are proved but
those whose evidence is too long for plain Python. It checks:

- The file is the one that was exported: it has the SHA-256 above.
- It has all results: the run was finished, and each result could be read. If
  not, a line above says why it is incomplete, and the exit code is 1.
- Every row has valid columns, and none is missing, doubled or moved.
- The evidence of each row proves its verdict and its value, by the rules of
  the game. They are below, as Dealmill itself uses them.

It does not check:

- Verdicts that claim nothing: undecided (the node limit was reached) and
  failed (the engine raised an error).
- That the layouts and lines are those of the source. If the source is a text
  file with one layout per line, --source compares them; unpack a gzipped one
  first.
- Node counts, which no evidence proves, and the fingerprint of the run, which
  needs BLAKE3.
- Layouts of the run that are not in the file.
- Itself: whoever can change the file can change this program. To be sure, read
  it, or have Dealmill write it again from the same version.

--sample N proves only N rows, spread evenly, and reads all others; --seed S
selects another sample. The same N and S select the same rows everywhere.
--show ROW proves only that row, or also a sample, and prints it, and what
proves it if it is the loss of a patience or covering game. --limit N proves
such losses of up to N positions; for more, exit code 3 says that they were left
out.
"""

START = """\
import sys

if sys.version_info < (3, 11):
    sys.stderr.write("this program needs Python 3.11 or newer\\n")
    sys.exit(2)

"""

LINE = "-" * 80
SYS = Import("", "sys")
PROGRAM_END = """\
if __name__ == "__main__":
    sys.exit(main(EXPORT, check, read_rows))
"""


class Section(NamedTuple):
    """A part of a checker with its title."""

    title: str
    part: Part

    def __str__(self) -> str:
        return f"# {LINE}\n# {self.title} ({self.part.module})\n# {LINE}\n{self.part.source}"


def sections_of(game: Game, path: Path, readers: Mapping[str, ModuleType] = READERS) -> list[Section]:
    """Return the sections of a checker for an export of a game to this path, or for another file that has `readers`.

    Raises
    ------
    UsageError
        If there is no reader for the suffix of the path, or the rules of the game import or define something that a
        checker cannot have.
    """
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path} cannot have a checker: Python alone reads only {' and '.join(readers)}")
    rules = [Section(f"The rules: {game.full_title}", part) for part in parts_of_referee(game)]
    before = [
        Section("The export", part_of(facts)),
        Section("The fields of its rows", part_of(record, RECORD)),
        Section("Errors", part_of(errors, ERRORS)),
        Section("Verdicts", part_of(verdict)),
    ]
    after = [
        Section("The referee", part_of(referee, REFEREE)),
        Section("Samples", part_of(sampling)),
        Section("Reading of the export", part_of(reader)),
        Section("Text for terminals", part_of(printable)),
        Section("The main program", part_of(program)),
    ]
    check_names([section.part for section in (*before, *after, *rules)], ["EXPORT"])
    return [*before, *rules, *after]


def parts_of_referee(game: Game) -> list[Part]:
    """Return the modules of the referee, each after those that it imports. If the referee is not a function but a
    dataclass, the last part ends with the expression that makes it.

    Raises
    ------
    UsageError
        If a module imports anything but the standard library, a few names of Dealmill, what referees share, and its own
        package.
    """
    parts = parts_of(sys.modules[game.check.__module__])
    modules = {part.module for part in parts}
    for part in parts:
        if unknown := {each.name for each in part.taken if home_of(each) not in modules} - set(TAKEN):
            raise UsageError(
                f"{part.module} imports {', '.join(sorted(unknown))} from Dealmill, but the rules of a game can only "
                f"import {', '.join(TAKEN)}"
            )
    if is_dataclass(game.check):
        source = f"{parts[-1].source}\n\ncheck = {_constructed(game.check)}\n"
        parts[-1] = parts[-1]._replace(source=source, defined=parts[-1].defined | {"check"})
    return parts


def _constructed(instance: object, indent: str = "") -> str:
    """Return the expression that makes an instance of a dataclass, with a line for each field."""
    inner = f"{indent}    "
    values = {each.name: getattr(instance, each.name) for each in fields(instance)}  # type: ignore[arg-type]
    lines = [
        f"{inner}{name}={_constructed(value, inner) if is_dataclass(value) else _literal(value)},\n"
        for name, value in values.items()
    ]
    return f"{type(instance).__name__}(\n{''.join(lines)}{indent})"


def checker(sections: Sequence[Section], export: Export, about: Mapping[str, str]) -> str:
    """Return the text of a checker for an export, which `about` describes to people."""
    imports = {each for section in sections for each in section.part.imports}
    future = {each for each in imports if each.module == "__future__"}
    first, *others = map(str, sections)
    top = _top(export, about) + import_lines(future) + START + import_lines(imports - future - {SYS})
    return top + "\n" + "\n\n".join([first, _written(export), *others, PROGRAM_END])


def _top(export: Export, about: Mapping[str, str]) -> str:
    lines = {"rows": f"{export.rows:,} of {export.layouts:,} layouts", "SHA-256": export.sha256, **about}
    if export.incomplete:
        lines["incomplete"] = export.incomplete
    text = TOP.format(
        file=export.file,
        command=shlex.join([export.file + SUFFIX, export.file]),
        about="".join(f"  {name:13} {on_one_line(fact)}\n" for name, fact in lines.items()),
    )
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'#!/usr/bin/env python3\n"""{escaped}"""\n\n'


def _written(export: Export) -> str:
    """Return the statement that defines the export."""
    fields = "".join(f"    {name}={_literal(value)},\n" for name, value in export._asdict().items())
    return f"EXPORT = Export(\n{fields})\n"


def _literal(value: object) -> str:
    """Return a value as Python code, with double quotes if possible."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' * (len(value) == 1)})"
    code = repr(value)
    return f'"{code[1:-1]}"' if code[0] == "'" and '"' not in code else code
