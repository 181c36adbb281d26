"""A broken game from outside is reported with its error and stops nothing else."""

import importlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import dealmill
from dealmill.cli.games import games
from dealmill.cli.operate import doctor
from dealmill.pipeline.errors import DealmillError, InputError, NotFoundError
from dealmill.pipeline.games import broken_games, find_game, installed
from dealmill.pipeline.ingest.sources import game_of_file
from dealmill.pipeline.store.planning.installation import Installation
from tests.games.covering.files import TEXTS as COVERING_GAMES
from tests.games.patience.files import TEXTS
from tests.plugins.sites import PEG_ROW, install, install_peg_row

OURS = sorted(["camelot", "card-pairing", "hi-q", "memory", "tantrix", "tantrix-loop", *TEXTS, *COVERING_GAMES])
GAME = (PEG_ROW / "__init__.py").read_text()
MODULES = ("layout", "deal", "engine", "rules", "picture")


POLO = GAME.replace('name = "peg-row"', 'name = "polo"')


def write(site: Path, package: str, code: str) -> None:
    """Write a package with a game, and modules that must not be imported."""
    (site / package).mkdir()
    (site / package / "__init__.py").write_text(code)
    for module in MODULES:
        (site / package / f"{module}.py").write_text("raise RuntimeError('imported before it was needed')\n")


def install_polo(site: Path, code: str, version: str = "0.1") -> None:
    """Install a distribution with the game polo."""
    write(site, "polo", code)
    install(site, "dealmill-polo", {"polo": "polo:GAME"}, version)


BROKEN = {
    "raises": ("1 / 0", r"ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit('bye')", r"SystemExit: bye"),
    "does not parse": ("def", r"SyntaxError: invalid syntax"),
    "misses a module": ("import no_such_module", r"ModuleNotFoundError: No module named 'no_such_module'"),
    "has no GAME": ("", r"AttributeError: module 'polo' has no attribute 'GAME'"),
    "offers a dict": ("GAME = {}", r"polo:GAME is a dict, not a Game$"),
    "has another name": (GAME, r"its Game has the name 'peg-row', and its entry point 'polo': use the same name$"),
    "has no engines": (re.sub(r"    engines = \(.*?\n    \)\n", "", GAME, flags=re.DOTALL), r"it has no engine$"),
    "has an old contract": (
        'from dealmill.game import Game\n\nGAME = Game(name = "peg-row", package=__name__)',
        r"TypeError: Game\(\) takes no arguments",
    ),
    "misses an attribute": (GAME.replace("title =", "name_of_game ="), r"AttributeError: .* no attribute 'title'"),
    "has a number for a version": (
        GAME.replace('"1",\n', "1,\n", 1),
        r"version of an engine is of type int, expected str$",
    ),
    "has a list of engines": (
        GAME.replace("engines = (", "engines = [").replace("    )\n    deals", "    ]\n    deals"),
        r"engines is of type list, expected tuple$",
    ),
    "has an engine with a bad name": (GAME.replace('"winnable"', '"Winnable!"'), r"engine 'Winnable!' is not valid"),
    "raises many lines": (r"raise ValueError('one\ntwo\x1b')", r"ValueError: one two"),
}
"""Packages that cannot be used, with the error."""


@pytest.mark.parametrize(("code", "error"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_reported_and_stops_nothing_else(code: str, error: str, site: Path) -> None:
    named = code if "another name" in error or "'polo'" in error else code.replace('name = "peg-row"', 'name = "polo"')
    install_polo(site, named)
    install_peg_row(site)
    assert list(dealmill.games()) == sorted([*OURS, "peg-row"])
    [broken] = broken_games()
    assert (broken.name, broken.package, broken.entry_point) == (
        "polo",
        "dealmill-polo 0.1",
        "polo = polo:GAME",
    )
    assert re.search(error, broken.error)
    assert "\n" not in str(broken)
    assert bool(broken.traceback) == bool(re.match(r"\w+(Error|Exit): ", broken.error))
    with pytest.raises(NotFoundError, match=r"dealmill-polo 0\.1 offers the game polo = polo:GAME, which cannot"):
        find_game("polo")
    assert dealmill.solve("memory", "ABBA").value == 8


def test_a_game_without_a_module_of_its_functions_is_broken(site: Path) -> None:
    install_polo(site, POLO)
    (site / "polo" / "rules.py").unlink()
    [broken] = broken_games()
    assert broken.error == "its package polo has no module 'rules'"


def test_the_commands_report_broken_games(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site)
    install_polo(site, "1 / 0", version="1.2")
    ran = CliRunner().invoke(games, ["--nl"])
    assert ran.exit_code == 0
    assert {json.loads(line)["engine"].partition("/")[0] for line in ran.stdout.splitlines()} == set(OURS)
    assert ran.stderr == (
        "dealmill-polo 1.2 offers the game polo = polo:GAME, which cannot be used: "
        "ZeroDivisionError: division by zero; show the traceback with: dealmill check-game polo\n"
    )
    ran = CliRunner().invoke(doctor, ["--json"])
    [row] = [row for row in json.loads(ran.stdout) if row["state"] == "failed"]
    assert (ran.exit_code, row["check"]) == (1, "games")
    assert (
        "dealmill-polo 1.2 offers the game polo = polo:GAME, which cannot be used: ZeroDivisionError" in row["details"]
    )
    assert row["details"].endswith("upgrade or uninstall the package, or exclude it with DEALMILL_PLUGINS")


@pytest.mark.parametrize("name", ["Polo", "polo/nine", "polo nine", "-polo", "polo--nine", "gölf", "g" * 41, "9polo"])
def test_a_name_that_is_not_valid_is_refused(name: str, site: Path) -> None:
    install(site, "dealmill-polo", {name: "polo:GAME"})
    [broken] = broken_games()
    assert broken.name == name
    assert broken.error == installed.BAD_NAME


def test_a_game_of_dealmill_wins_over_others_of_its_name(site: Path) -> None:
    install(site, "dealmill-polo", {"memory": "polo:GAME"})
    [broken] = broken_games()
    assert re.match(r"dealmill \S+ and dealmill-polo 0.1 offer games of this name: uninstall all but one", broken.error)
    assert find_game("memory").package == "dealmill.pipeline.games.memory"
    assert list(dealmill.games()) == OURS


def test_none_of_several_games_of_others_wins(site: Path) -> None:
    install_peg_row(site)
    install(site, "another-row", {"peg-row": "dealmill_peg_row:GAME"})
    assert list(dealmill.games()) == OURS
    assert {broken.package for broken in broken_games()} == {"another-row 0.1", "dealmill-peg-row 0.1"}
    for broken in broken_games():
        assert broken.error.startswith("another-row 0.1 and dealmill-peg-row 0.1 offer games of this name")


@pytest.mark.parametrize(
    ("plugins", "loaded"),
    [
        (None, ["polo", "peg-row"]),
        ("", []),
        ("dealmill-peg-row", ["peg-row"]),
        (" Dealmill_Polo , dealmill.peg.row", ["polo", "peg-row"]),
        ("dealmill", []),
        ("other", []),
    ],
)
def test_the_setting_names_the_distributions_that_are_loaded(
    plugins: str | None, loaded: list[str], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if plugins is None:
        monkeypatch.delenv("DEALMILL_PLUGINS", raising=False)
    else:
        monkeypatch.setenv("DEALMILL_PLUGINS", plugins)
    install_peg_row(site)
    imported = site / "imported"
    install_polo(site, f"{POLO}\nfrom pathlib import Path\nPath({str(imported)!r}).touch()")
    assert list(dealmill.games()) == sorted([*OURS, *loaded])
    assert broken_games() == []
    for name in {"polo", "peg-row"} - set(loaded):
        with pytest.raises(NotFoundError, match=f"the game {name} = .* DEALMILL_PLUGINS does not name this package$"):
            find_game(name)
        assert str(Installation().mismatch(f"{name}/winnable", "1")).endswith(
            "DEALMILL_PLUGINS does not name this package"
        )
    monkeypatch.chdir(site)
    [text] = [check.details for check in dealmill.doctor() if check.name == "games"]
    assert text.count(", excluded by DEALMILL_PLUGINS: ") == 2 - len(loaded)
    assert imported.exists() == ("polo" in loaded), "a package that is excluded is not imported"


def test_only_the_game_that_is_asked_for_is_imported(site: Path) -> None:
    install_polo(site, "raise RuntimeError('imported')")
    install_peg_row(site)
    assert find_game("peg-row").title == "Peg row"
    assert find_game("memory").title == "Memory"
    assert "polo" not in sys.modules


def test_a_file_is_named_after_the_longest_name_of_a_game(site: Path) -> None:
    for name in ("row", "peg-row-two"):
        write(site, name.replace("-", "_"), GAME.replace('name = "peg-row"', f'name = "{name}"'))
        install(site, f"dealmill-{name}", {name: f"{name.replace('-', '_')}:GAME"})
    install_peg_row(site)
    for file, name in {"row.txt": "row", "my-peg-row_9.txt.gz": "peg-row", "pegrowtwo": "peg-row-two"}.items():
        assert game_of_file(file).name == name
    with pytest.raises(InputError, match="contains several games"):
        game_of_file("memory-and-peg-row.txt")


def test_functions_that_cannot_be_imported_are_named_when_they_are_needed(site: Path) -> None:
    install_polo(site, POLO)
    (site / "polo" / "rules.py").write_text("")
    game = find_game("polo")
    with pytest.raises(DealmillError, match=r"^polo\.deal\.deal cannot be imported: RuntimeError: imported before"):
        _ = game.deal
    with pytest.raises(DealmillError, match=r"^polo\.rules\.check cannot be imported: AttributeError: "):
        _ = game.check


def test_a_distribution_without_metadata_stops_nothing(site: Path) -> None:
    install(site, "dealmill-polo", {"polo": "polo:GAME"})
    (site / "dealmill_polo-0.1.dist-info" / "METADATA").unlink()
    [broken] = broken_games()
    assert broken.package == "unknown unknown"
    assert broken.error == "ModuleNotFoundError: No module named 'polo'"
    assert list(dealmill.games()) == OURS


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("rules.py", "def check(", r"polo\.rules\.check cannot be imported: SyntaxError: "),
        ("picture.py", "raise SystemExit('bye')", r"polo\.picture\.frames cannot be imported: SystemExit: bye"),
        (
            "engine.py",
            "",
            r"polo\.engine\.winnable cannot be imported: AttributeError: ",
        ),
        ("examples/polo-deals.txt", None, r"there is no \S+polo-deals\.txt"),
        ("examples/polo-statement.answer", None, r"there is no \S+polo-statement\.answer"),
    ],
)
def test_doctor_imports_the_functions_of_other_packages_and_looks_for_their_examples(
    file: str, text: str | None, message: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site)
    shutil.copytree(PEG_ROW, site / "polo", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "polo" / "__init__.py").write_text(POLO)
    (site / "polo" / "picture.py").write_text("def frames(): ...\ndef scenes(): ...\n")
    for example in list((site / "polo" / "examples").iterdir()):
        example.rename(example.with_name(example.name.replace("peg-row", "polo")))
    install(site, "dealmill-polo", {"polo": "polo:GAME"})
    [check] = [each for each in dealmill.doctor() if each.name == "games"]
    assert check.passed, check.details
    if text is None:
        (site / "polo" / file).unlink()
    else:
        (site / "polo" / file).write_text(text)
    for module in [name for name in sys.modules if name.startswith("polo.")]:
        del sys.modules[module]
    importlib.invalidate_caches()
    [check] = [each for each in dealmill.doctor() if each.name == "games"]
    assert not check.passed
    assert re.match(rf"dealmill-polo 0\.1: {message}.*; if the package is yours, fix it; otherwise, ", check.details)
