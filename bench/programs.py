"""Benchmark of engines that are programs: one layout at a time through the protocol, against all of them at once."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import SEED, in_turn, rounded, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Texts, to_strings
from dealmill.pipeline.programs.bounds import environment
from dealmill.pipeline.programs.manifest import Program, read_program
from dealmill.pipeline.programs.solver import ProgramSolver

EXAMPLES = Path(__file__).parent.parent / "examples" / "engines"
MANY = 20_000
ROUNDS = 7


def against_at_once() -> str:
    """Return a table with a row per example program: layouts per second through the protocol, and by the same program
    with all layouts as its input, and the ratio of both."""
    layouts = find_game("memory").deal(SEED, 1, MANY)
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        subprocess.run(["cc", "-O2", "-o", "memory", "memory.c"], cwd=folder, check=True)
        for title, manifest in (("C", "memory-c.toml"), ("Python", "memory.toml")):
            program = read_program(folder / manifest)
            one_by_one = partial(ProgramSolver(program, program.version()), layouts)
            one_by_one()
            protocol, at_once, times = in_turn(one_by_one, partial(_at_once, program, layouts), ROUNDS)
            rows.append([title, rounded(MANY / protocol), rounded(MANY / at_once), f"{rounded(1 / times)} ×"])
    return table(["program", "protocol, layouts/s", "at once, layouts/s", "protocol / at once"], rows)


def _at_once(program: Program, layouts: Texts) -> None:
    """Run a program with all layouts as its input, and check that it has answered all of them."""
    first = json.dumps({"dealmill": 1, "game": program.manifest.game, "max_nodes": None})
    ran = subprocess.run(
        program.command,
        input="\n".join([first, *to_strings(layouts), ""]),
        cwd=program.path.parent,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = ran.stdout.splitlines()
    if len(answers) != len(layouts) + 1:
        raise ValueError(f"{program.full_name} gave {len(answers) - 1} answers to {len(layouts)} layouts")
