"""Migrations while commands are working: the commands exit with a one-line error, and can be resumed after an
upgrade."""

import subprocess
import time

from tests.faults.farm import UP_SECONDS, Farm
from tests.forks.slow import JOB_SECONDS, REST_SECONDS
from tests.servers import clean_environment, dealmill_command

OLDER = "0010"
RESTING = {JOB_SECONDS: "0.02", REST_SECONDS: "0.2"}
"""For workers that hold leases for a tenth of the time, so that there are moments without a lease."""


def downgrade(farm: Farm) -> None:
    """Try to downgrade until no worker holds a lease."""
    deadline = time.monotonic() + UP_SECONDS
    while (attempt := farm.command("db", "downgrade", "--yes", OLDER)).returncode != 0:
        assert "workers hold leases" in attempt.stderr or "deadlock detected" in attempt.stderr, attempt.stderr
        assert "Traceback" not in attempt.stderr, attempt.stderr
        assert time.monotonic() < deadline, attempt.stderr
    assert "Traceback" not in attempt.stderr, attempt.stderr


def test_a_downgrade_ends_running_commands_and_loses_nothing(farm: Farm) -> None:
    working = farm.start("work", env=RESTING)
    farm.until_solved(40)
    downgrade(farm)
    assert working.wait(UP_SECONDS) == 1, farm.output
    [last] = [line for line in farm.output.splitlines() if line.startswith("dealmill: ")]
    assert "dealmill db upgrade" in last, farm.output
    for command in (["status"], ["work", "--drain"], ["query", "1"]):
        refused = farm.command(*command)
        assert (refused.returncode, refused.stdout) == (1, ""), refused.stderr
        assert "is of an older version (0010); upgrade it with: dealmill db upgrade" in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert farm.command("db", "upgrade").returncode == 0
    assert farm.command("work", "--drain").returncode == 0
    farm.check()


def test_commands_that_start_during_a_downgrade_end_with_a_message(farm: Farm) -> None:
    working = farm.start("work", env=RESTING)
    farm.until_solved(40)
    working.terminate()
    assert working.wait(UP_SECONDS) in (0, 130)
    begun = [farm.start("work", "--drain", env=RESTING)]
    migrating = farm.start("db", "downgrade", "--yes", OLDER)
    for _ in range(3):
        begun.append(farm.start("work", "--drain", env=RESTING))
        time.sleep(0.2)
    if migrating.wait(UP_SECONDS):
        downgrade(farm)
    codes = [command.wait(UP_SECONDS) for command in begun]
    assert set(codes) <= {0, 1}, farm.output
    assert "Traceback" not in farm.output, farm.output
    assert farm.command("db", "upgrade").returncode == 0
    assert farm.command("work", "--drain").returncode == 0
    farm.check()


def test_a_query_whose_tables_are_migrated_ends_with_a_message(farm: Farm) -> None:
    farm.plan()  # a second run, which the query reads later
    assert farm.command("work", "--drain").returncode == 0
    reading = subprocess.Popen(
        dealmill_command(["query", "--game", "memory", "--nodes", "0..99", "--csv"]),
        cwd=farm.folder,
        env=clean_environment(farm.settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reading.stdout is not None
    assert reading.stdout.readline().startswith("item,")
    downgrade(farm)
    out, told = reading.communicate(timeout=UP_SECONDS)
    assert reading.returncode == 1, told
    assert 0 < out.count("\n") <= len(farm.layouts)
    assert told.count("\n") == 1, told
    assert "do not match this version of Dealmill" in told, told
    assert farm.command("db", "upgrade").returncode == 0
    assert farm.command("work", "--drain").returncode == 0  # the second run, which is compact, is solved again
    assert farm.command("query", "--game", "memory", "--csv").stdout.count("\n") == farm.planned + 1
