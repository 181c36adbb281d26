"""Commands that are refused: each prints what is wrong and what to do, and leaves its folder as it was."""

from pathlib import Path
from shutil import copytree

import pytest

from dealmill.cli import COMMANDS, GUESSES
from tests.servers import dealmill

HUGE = "9" * 20
"""More than any number of layouts or nodes."""
DEAL = "deal memory --count 1 --seed 1"
RETRACT = "retract --version 1 --why x --engine"
TEN = "deal:memory:seed=1:1-10"

USAGE_ERRORS = {
    "run": "missing argument 'FILE…'; see: dealmill run --help",
    "run deal:memory:seed=1:1-9 --engine memory/none": "memory has: memory/two-pass",
    "run deal:hi-q:seed=1:1-9 --engine memory/two-pass": "memory/two-pass cannot solve deal:hi-q:seed=1:1-9",
    "run deal:hi-q:seed=1:1-9 --engine two-pass": "hi-q has: hi-q/greedy",
    "run x.txt --game backgammon": "there is no game 'backgammon'; dealmill games lists all",
    f"run {TEN} --max-nodes {HUGE}": "it must be a whole number from 1 to ",
    f"run {TEN} --packed": "--packed is gone: leave it out, and each verdict is stored with its evidence",
    "queue deal:memory:seed=9:1-9 --engine memory/none": "memory has: memory/two-pass",
    "queue deal:memory:seed=9:1-9 --engine hi-q/greedy": "hi-q/greedy cannot solve deal:memory:seed=9:1-9",
    f"queue {TEN} --packed": "--packed is gone: leave it out",
    "stauts": "there is no command 'stauts' (did you mean status?); see: dealmill --help",
    "nonsense all": "there is no command 'nonsense'; see: dealmill --help",
    **{word: f"there is no command '{word}'; use: {command}" for word, command in GUESSES.items()},
    "query --rejected": "name a run or a source whose rejects you mean; sources with rejects: none",
    "query 1 --source 1 --rejected": "name a run or a source whose rejects you mean, but not both",
    "show card-pairing letters.txt": "letters.txt is a file: solve its layouts with: dealmill run letters.txt --game",
    "find deal:memory:seed=1:1-5": "deal:memory:seed=1:1-5 is a range of deals: name a single one",
    "survey card-pairing --ranks 20": "no such option '--ranks'; set this parameter of the deals with --param ranks=N",
    "run memory.txt --jobs 2": "no such option '--jobs'",
    "run memory.txt --workers 0": "it must be a whole number from 1 to 1,024, not 0",
    "deal nogame": "there is no game 'nogame'",
    "query --rejects": "no such option '--rejects'",
    "query --value x": "'x' is not a range",
    "query --verdict lost": "invalid value for '--verdict'",
    "query --source typo.txt": "the store has no source 'typo.txt'; add it with: dealmill ingest typo.txt",
    "find nosuch.txt": "'nosuch.txt' is neither a file nor exactly one layout of any game; name its game with --game",
    "show memory AAB": "'AAB' is not a layout of memory: letter B occurs only once",
    "audit 1 --sample 4000": "run 1 has 20 items, too few for a sample of 4,000",
    "diff 1 2": "compare runs of the same game",
    "diff 1 1 --ignore lost --fail-on lost": "lost is left out, but in --fail-on",
    "diff 1 1 --only gained --fail-on lost": "lost is left out, but in --fail-on",
    "diff 1 1 --only gained --ignore lost": "--only and --ignore exclude each other",
    "games tarot": "there is no game 'tarot'; dealmill games lists all",
    "show Golf deal:golf:seed=1:4": "deal:golf:seed=1:4 names its game: leave out 'Golf'",
    "show Putt-Putt": "Putt-Putt is a game: give a layout of it, too, or show a deal: deal:golf:hole.wrap=true:seed=1",
    "show klondike": "klondike is a game: give a layout of it, too, or show a deal: deal:klondike:seed=1:5",
    "show freecell 617": "deal 617 of seed 0 is named deal:freecell:seed=0:617",
    "show freecell 617 --moves ASf": "deal 617 of seed 0 is named deal:freecell:seed=0:617",
    "pause klondike": "klondike is a game: select its runs with --game klondike",
    "status 1 --histogram nodes --json": "--histogram prints a text: give no --watch and no other format with it",
    "status --histogram nodes": "--histogram shows a single run: name one",
    "diff 1 1 --fail-on worse": "'worse' is not a limit; choose from: contradicted, question, lost, gained",
    "diff 1 1 --fail-on lost,nodes=x": "'nodes=x' is not a limit; write the factor by which it may grow: nodes=1.05",
    "diff 1 1 --fail-on time": "'time' is not a limit; write the factor by which it may grow: time=1.05",
    "bench-engine memory --fail-on time=2": "time in --fail-on is compared with that of a baseline: add --baseline",
    **{
        f"diff 1 1 --fail-on nodes={factor}": f"'nodes={factor}' is not a limit; write the factor"
        for factor in ("nan", "inf", "-inf", "1e999", "1e3", "1_05", "0", "-1", "+1", "")
    },
    "diff 1 1 --fail-on nodes=9,nodes=1": "the limit nodes is named twice in 'nodes=9,nodes=1': name it once",
    "diff 1 1 --fail-on lost,lost": "the limit lost is named twice",
    "retract --engine x/y --version 1": "missing option '--why'",
    f"{RETRACT} x/y": "it has runs of versions: none",
    f"{RETRACT} card-pairing/winnable --undo --requeue": "cannot be combined",
    f"{DEAL} --param x": "is malformed: write NAME=NUMBER",
    f"{DEAL} --param pairs=2 --param pairs=3": "--param pairs is given twice",
    "export 1 a.jsonl --excel": "a.jsonl must end in .csv: only CSV files are written for spreadsheets",
    "export 1 a.csv --excel --with-checker": "a checker reads the original text",
    "pack --check a.json --each 3": "--check takes one file and nothing else",
    "pack 1 a.csv --excel": "a pack is not written for spreadsheets",
    "pack 1 a.json --calendar 2027-01-01..2027-01-02 --grades 6": "--calendar without --by-weekday says nothing",
    "deal klondike --rule stock.draw=1 --rule stock.draw=2": "the rule stock.draw is changed twice",
    "ingest deal:": "write deal:GAME:seed=S:FIRST-LAST",
    "ingest deal:memory:1-5": "write deal:GAME:seed=S:FIRST-LAST",
    "ingest deal:nothing:seed=1:1-5": "there is no game 'nothing'",
    "ingest deal:memory:seed=1:5-1": "5-1 is not a range",
    "ingest deal:memory:seed=1:0-5": "the first deal must be a whole number from 1",
    f"ingest deal:memory:seed=1:9-{2**63 - 1}": "the last deal must be a whole number from 1 to 2⁶³ − 2, not 9",
    f"ingest deal:memory:seed=1:{2**63 - 1}": "the last deal must be a whole number from 1 to 2⁶³ − 2",
    "ingest deal:memory:seed=1:pegs=3:1-5": "have no parameter 'pegs'; available: pairs",
    "ingest deal:memory:seed=1:pairs=99:1-5": "must be a whole number from 1 to 52, not 99",
    f"ingest deal:memory:seed={HUGE}:1-5": "the seed must be a whole number from 0",
    "ingest deal:card-pairing:seed=1:suits=3:1-5": "suits is 3, expected an even number",
}
"""By command, the message of an error with exit code 2."""
OTHER_ERRORS = {
    "answer memory none.txt": "there is no file none.txt",
    "answer memory .": ". is a folder",
    "ingest letters.txt": "the name of letters.txt contains no game; choose one with --game",
    "ingest memory-or-camelot.txt": "contains several games",
    "export 1 no/a.csv": "no/a.csv cannot be written: there is no folder no",
    "db downgrade 3": "a database cannot be downgraded to 3; the oldest revision is 0010",
    "queue letters.txt": "the name of letters.txt contains no game; choose one with --game",
}
"""By command, the message of an error with exit code 1."""
URL, BROKER = "DEALMILL_DATABASE_URL", "DEALMILL_BROKER_URL"
WRONG_SETTINGS = {
    f"{URL}=mysql://u:secret@h/d": "the database URL starts with mysql",
    f"{URL}=postgresql://u:secret@127.0.0.1:1/d": "is the server running",
    "DEALMILL_WORKERS=secret": "WORKERS must be a whole number from 1 to 1,024",
    "DEALMILL_WORKERS=1_0": "WORKERS must be a whole number from 1 to 1,024",
    "DEALMILL_WORKERS=0": "WORKERS must be a whole number from 1 to 1,024",
    "DEALMILL_LEASE_SECONDS=nan": "LEASE_SECONDS must be a number of seconds, more than 0 and at most 86,400",
    "DEALMILL_LEASE_SECONDS=1_0": "LEASE_SECONDS must be a number of seconds, more than 0 and at most 86,400",
    "DEALMILL_METRICS_PORT=-1": "METRICS_PORT must be a port number, a whole number from 1 to 65,535",
    "DEALMILL_LOG_FORMAT=xml": "LOG_FORMAT must be console or json",
}
NUMBERS = ["0", "-1", "x", "1.5", "9" * 5_000, "1_0", "+1", " 1", "٣"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two runs and a file."""
    folder = tmp_path_factory.mktemp("original")
    (folder / "memory.txt").write_text("AABB\n")
    assert dealmill("run", "deal:card-pairing:seed=1:1-20", "memory.txt", cwd=folder).returncode == 0
    for name in ("letters.txt", "memory-or-camelot.txt"):
        (folder / name).write_text("AABB\n")
    return folder


def refused(*arguments: str, cwd: Path, code: int, env: dict[str, str] | None = None) -> str:
    """Return the error message of a command, after checking that the command has left its folder as it was."""
    before = {path.name: path.read_bytes() for path in cwd.iterdir() if not path.name.endswith("-shm")}
    ran = dealmill(*arguments, cwd=cwd, env=env)
    assert (ran.returncode, ran.stdout) == (code, ""), ran.stderr
    assert "Traceback" not in ran.stderr and "secret" not in ran.stderr
    after = {path.name: path.read_bytes() for path in cwd.iterdir() if not path.name.endswith("-shm")}
    assert after == before
    return ran.stderr


@pytest.mark.parametrize(("words", "message"), USAGE_ERRORS.items())
def test_wrong_usage_says_what_is_wrong_and_what_to_do(words: str, message: str, original: Path) -> None:
    assert message in refused(*words.split(), cwd=original, code=2)


@pytest.mark.parametrize(("words", "message"), OTHER_ERRORS.items())
def test_errors_say_what_is_wrong_and_what_to_do(words: str, message: str, original: Path) -> None:
    assert message in refused(*words.split(), cwd=original, code=1)


def test_no_guess_is_a_command() -> None:
    assert not GUESSES.keys() & COMMANDS.keys()
    used = [command.split()[1] for command in GUESSES.values() if command.startswith("dealmill ")]
    assert {word for word in used if not word.startswith("--")} <= COMMANDS.keys()


@pytest.mark.parametrize("setting", WRONG_SETTINGS)
def test_an_invalid_setting_says_what_is_allowed(setting: str, original: Path) -> None:
    name, _, value = setting.partition("=")
    assert WRONG_SETTINGS[setting] in refused("status", cwd=original, code=1, env={name: value})


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_not_allowed_says_what_is(number: str, original: Path) -> None:
    message = refused("query", f"--limit={number}", cwd=original, code=2)
    assert "invalid value for '--limit': it must be a whole number from 1 to 1,000,000,000,000,000,000" in message


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("ingest memory.txt letters.txt", 1),
        ("run memory-missing none", 1),
        ("run deal:card-pairing:seed=1:suits=3:1-5", 2),
        ("run deal:memory:seed=1:1-9 deal:hi-q:seed=1:1-9 --engine memory/two-pass", 2),
        ("queue deal:memory:seed=1:1-9 --engine memory/none", 2),
    ],
)
def test_everything_is_checked_before_a_store_is_created(words: str, code: int, original: Path, tmp_path: Path) -> None:
    copytree(original, tmp_path, dirs_exist_ok=True)
    for part in tmp_path.glob("dealmill.db*"):
        part.unlink()
    refused(*words.split(), cwd=tmp_path, code=code)


def test_an_unavailable_broker_is_reported_without_its_password(tmp_path: Path) -> None:
    ran = dealmill("run", TEN, cwd=tmp_path, env={BROKER: "redis://:secret@127.0.0.1:1/0"})
    assert ran.returncode == 1
    assert "dealmill: the broker redis://" in ran.stderr and BROKER in ran.stderr
    assert "secret" not in ran.stderr + ran.stdout and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "card-pairing --max-nodes 6 --half-width 0.5%",
            "undecided or failed take all of it: leave out --max-nodes 6, by default there is no limit",
        ),
        ("camelot --count 1 --report file/night", "the report cannot be written into file/night"),
    ],
)
def test_a_survey_that_cannot_end_as_asked_says_why(words: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = dealmill("survey", *words.split(), cwd=tmp_path)
    assert (ran.returncode, message in ran.stderr) == (1, True), ran.stderr
