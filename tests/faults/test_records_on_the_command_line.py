"""The real command on damaged records: it prints the other results and a one-line error, and exits with 3."""

from pathlib import Path

import pytest

from tests.faults.records import DAMAGES, ITEM, ROWS, SQLITE
from tests.faults.test_records import file, inflict, url  # noqa: F401 -- fixtures
from tests.servers import dealmill

NAMES = ("evidence not UTF-8", "verdict 9", "item deleted", "run storage 7")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("database", [SQLITE])
def test_exit_codes_tell_of_damage(name: str, url: str, tmp_path: Path) -> None:  # noqa: F811
    [damage] = [one for one in DAMAGES if one.name == name and ROWS in one.storages]
    inflict(url, damage, ROWS)
    env = {"DEALMILL_DATABASE_URL": url}
    for command in (("query", "1", "--csv"), ("show", f"1:{ITEM}"), ("export", "1", "out.csv"), ("audit", "1")):
        ran = dealmill(*command, cwd=tmp_path, env=env)
        assert (ran.returncode, "Traceback" in ran.stderr) == (3, False), (command, ran.stderr)
        assert f"1:{ITEM}" in ran.stdout + ran.stderr or "run 1" in ran.stderr, (command, ran.stderr)
