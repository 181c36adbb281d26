"""Which tests `make test` runs, and which are left to `make test-slow`.

`make test` is what a newcomer types: it shows within minutes that everything works. Its budget is 150 seconds of
processor time on a machine that imports numba within a third of a second, besides installing and compiling. It has one
cheap test of each behaviour; a test that takes more than about half a second belongs there only if nothing else shows
the same. `.ci/run` runs both; all of it has 30 minutes:

======================================  =======
kind of test                            minutes
======================================  =======
`make test`                                   4
`make test-slow`, 42 minutes before          22
proofs, an ordinary user's tests, lint        3
======================================  =======

These kinds of tests take most of the processor time of `make test-slow`, in seconds, estimated from samples of each on
a busy machine (`docs/decisions/0182-what-one-game-shows-of-all.md`):

=============================================  ======  ======
kind of test                                   before  budget
=============================================  ======  ======
random rules and small decks of patiences         620     410
mutants of referees                               255     240
checks of every game                              550     210
hostile texts for kernels, and compiling them     120     120
damaged records, columns and tables               160     110
commands shown in the documentation, its site      90      90
both storages, and imports                         65      40
surveys of published rows                          80      40
=============================================  ======  ======
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

ON_BOTH_DATABASES = (
    *("tests/contract/", "tests/docs/test_sql.py", "tests/faults/", "tests/results/", "tests/store/", "tests/workers/"),
    *("tests/api/test_opening.py", "tests/cli/test_db.py", "tests/cli/test_doctor.py", "tests/cli/test_interrupt.py"),
    *("tests/test_fingerprint.py", "tests/test_rerun.py", "tests/test_whole_way.py"),
    *("tests/web/test_safety.py", "tests/web/test_searches.py"),
)
"""The tests that use PostgreSQL as well as SQLite. All others are about what stands on the store, which is the same on
both."""
QUICK_ON_POSTGRESQL = "tests/test_whole_way.py"
"""The test that `make test` runs on PostgreSQL, too."""

SLOW = (
    # what is damaged, hostile or altered by hand
    *("tests/checker/test_altered.py", "tests/checker/test_programs.py", "tests/cli/test_damage.py", "tests/fuzz/"),
    *("tests/contract/test_damaged_columns.py", "tests/contract/test_damaged_storages.py"),
    *("tests/contract/test_damages.py", "tests/contract/test_every_column.py", "tests/mutation/"),
    *("tests/store/embedded/", "tests/test_hostile_records.py", "tests/workers/test_deadly_layouts.py"),
    # what is interrupted, killed, waited for, or from another version
    *("tests/api/test_interrupts.py", "tests/cli/test_controls.py", "tests/cli/test_interrupt.py", "tests/faults/"),
    *("tests/programs/test_commands.py", "tests/programs/test_faults.py", "tests/store/test_upgrade.py"),
    *("tests/test_waiting.py", "tests/workers/test_database_away.py", "tests/workers/test_foreign_broker.py"),
    *("tests/workers/test_local_broker.py", "tests/workers/test_logs.py", "tests/workers/test_metrics.py"),
    *("tests/workers/test_outages.py", "tests/workers/test_retries.py", "tests/workers/test_versions.py"),
    # surroundings: installations, streams, folders, processes, browsers
    *("tests/cli/test_cache_folder.py", "tests/cli/test_edges.py", "tests/cli/test_streams.py", "tests/install/"),
    *("tests/deploy/test_native_start.py", "tests/deploy/test_passwords.py", "tests/plugins/test_farm.py"),
    "tests/plugins/test_kernels.py",
    *("tests/test_bounded.py", "tests/web/test_browser.py", "tests/web/test_compare.py", "tests/web/test_report.py"),
    "tests/web/test_searches.py",
    # every output, figure and lemma
    *("tests/games/camelot/test_exact.py", "tests/games/camelot/test_lemmas.py", "tests/golden/"),
    *("tests/games/card_pairing/test_figures.py", "tests/games/card_pairing/test_lemmas.py"),
    *("tests/games/card_pairing/test_odds.py", "tests/games/card_pairing/test_proofs.py"),
    *("tests/games/memory/test_figures.py", "tests/games/patience/test_player.py", "tests/test_public_figures.py"),
    # large inputs, other programs, and the text of the whole repository
    *("tests/contract/test_storages.py", "tests/docs/test_names.py", "tests/games/test_reading.py"),
    *("tests/programs/test_fc_solve.py", "tests/store/test_costs.py", "tests/store/test_parts.py"),
    "tests/survey/test_auditing.py",
)
"""The files and folders that `make test` leaves out as a whole, in addition to the tests that are marked as slow."""

NOT_SLOW = "not slow and not by_hand"
"""The marker expression of `make test`, the default of pytest here (`addopts`)."""


def is_quick(config: pytest.Config) -> bool:
    """Return whether a command line selects only the tests of `make test`."""
    return bool(config.option.markexpr == NOT_SLOW)


class Selection:
    """What the command line of pytest selects. It is read before the first test file is imported, so that tests that
    are left out are not even collected."""

    quick = False
    """Whether only the tests of `make test` are selected."""

    def read(self, config: pytest.Config) -> None:
        """Read the command line."""
        self.quick = is_quick(config)

    def leaves_out(self, path: str) -> bool:
        """Return whether no test of a file or folder is selected. Its path begins with ``tests/``."""
        return self.quick and path.startswith(SLOW)

    def parameters(self, values: Iterable[object], is_quick: Callable[[Any], bool]) -> list[object]:
        """Return values as parameters of a test. Those that are not quick are marked as slow, and left out if no slow
        test is selected."""
        quick, slow = list[object](), list[object]()
        for value in values:
            (quick if is_quick(value) else slow).append(value)
        return quick if self.quick else [*quick, *(pytest.param(value, marks=pytest.mark.slow) for value in slow)]


SELECTION = Selection()


def parts_by_hand(numbers: range, slow: int) -> list[object]:
    """Return the parts of an attack, ranges of as many numbers as `numbers` has steps, as parameters of a slow test.
    The first `slow` numbers are tried by `make test-slow`; the whole attack is made by hand after each change of what
    it attacks, with ``pytest -m by_hand``."""
    parts = [range(first, first + numbers.step) for first in numbers]
    return [part if part[0] < numbers[0] + slow else pytest.param(part, marks=pytest.mark.by_hand) for part in parts]
