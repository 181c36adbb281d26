"""Checkers that are loaded into this process, which is faster than starting them."""

from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from dealmill.pipeline.outputs.checker.build import READERS
from dealmill.pipeline.outputs.checker.writing import checker_path
from tests.doing import ENGINES as ALL
from tests.doing import QUICK_GAMES

ENGINES = [game.full_name(engine) for game, engine in ALL]
FORMS = [(engine, suffix) for engine in ENGINES for suffix in READERS]
FORMS_OF_GAMES = [(game.full_name(game.engines[0]), suffix) for game in QUICK_GAMES for suffix in READERS]
"""A checker differs between games and formats, but not between engines of a game."""


class Checked(NamedTuple):
    """What a checker printed, and its exit code."""

    code: int
    out: str
    err: str


class Checker:
    """A checker in a namespace of its own, as the file has it: nothing in it is shared with Dealmill."""

    def __init__(self, export: Path) -> None:
        self.names: dict[str, Any] = {"__name__": "checker"}
        exec(compile(checker_path(export).read_text(), "checker", "exec"), self.names)  # noqa: S102

    def check(self, export: Path, *options: str, believed: bool = False, **facts: object) -> Checked:
        """Run it on a file. If the file is `believed`, it is taken for the one that was exported; other `facts` of the
        export can be replaced too."""
        if believed:
            facts["sha256"] = sha256(export.read_bytes()).hexdigest()
        recorded = self.names["EXPORT"]._replace(**facts)
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = self.names["main"](
                    recorded, self.names["check"], self.names["read_rows"], [str(export), *options]
                )
            except SystemExit as ended:
                code = ended.code
        return Checked(code, out.getvalue(), err.getvalue())
