"""Which tests `make test` runs, and which are left to `make test-slow`.

`make test` is what a newcomer types: it shows within minutes that everything works. Its budget is 450 times the
processor time of `import numba`, and 700 times while it compiles all kernels, besides installing. It shows each thing
once, end to end; a test that takes more than about half a second, or compiles a kernel of its own, belongs there only
if nothing else shows the same. `.ci/run` runs both, and all of it has 30 minutes; `MINUTES` in `tests/needs.py` says
how long each takes.

These kinds of tests take most of the processor time of `make test-slow`, in seconds of a whole run, compiled kernels
and child processes included, but not what processes from fork servers take
(`docs/decisions/0226-what-loading-cost-make-test-slow.md`, and the
mutants of `docs/decisions/0228-fewer-processes-and-plainer-copies.md`):

=============================================  ======  ======
kind of test                                   before  budget
=============================================  ======  ======
patiences, by random rules and small decks        670     650
commands, workers, programs and faults            294     290
mutants of referees                               279     290
checks of every game                              261     260
hostile texts for kernels, and compiling them     194     180
other games                                       185     185
pages, and the store                              167     165
damaged records, columns and tables               129     130
installations and the deployment                  120     100
the documentation site                             69      25
both storages, and imports                         69      70
new games and engines                              59      60
commands shown in the documentation                37      37
surveys of published rows                          28      28
all others                                        226     226
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
    *("tests/contract/test_storages.py", "tests/docs/test_docs.py", "tests/docs/test_guarantees.py"),
    *("tests/docs/test_names.py", "tests/docs/test_results.py", "tests/games/test_reading.py"),
    *("tests/programs/test_fc_solve.py", "tests/store/test_costs.py", "tests/store/test_parts.py"),
    "tests/survey/test_auditing.py",
    # the forms of evidence and the searches of patiences, with kernels that hardly any other test compiles
    *(f"tests/games/patience/test_{name}.py" for name in ("castles", "columns", "copies", "counting", "cut", "easier")),
    *(f"tests/games/patience/test_{name}.py" for name in ("orders", "pieces", "quotient", "relaxed_game", "replaying")),
    *(f"tests/games/patience/test_{name}.py" for name in ("safe", "singles", "swept", "table", "waits", "walks")),
    *("tests/checker/test_sizes.py", "tests/games/card_pairing/test_any_size.py", "tests/test_engine_bench.py"),
    # what a terminal, a reader of many formats, or another process sees
    *("tests/cli/test_tables.py", "tests/cli/test_terminal.py", "tests/test_charts.py", "tests/test_loading.py"),
    "tests/web/test_openapi.py",
)
"""The files and folders that `make test` leaves out as a whole, in addition to the tests that are marked as slow."""

SLOW_TESTS = (
    # random decks and long searches of patiences; klondike, freecell, spider-1-suit and golf are checked as all games
    "tests/games/patience/test_boards.py::test_texts_of_earlier_versions_have_no_pass_left",
    "tests/games/patience/test_chances.py::test_real_games_are_played_as_by_the_plain_player_and_as_before",
    "tests/games/patience/test_engine.py::test_a_win_of_254940_moves_becomes_short",
    "tests/games/patience/test_engine.py::test_games_whose_cards_come_back_are_searched_beyond_a_million_nodes",
    "tests/games/patience/test_notation.py::test_what_a_naive_player_writes_is_read_as_a_win",
    "tests/games/patience/test_referee.py::test_the_referee_counts_the_positions_of_the_easier_game_that_plain_code",
    "tests/games/patience/test_referee.py::test_the_referee_counts_the_positions_that_plain_code_reaches",
    "tests/games/patience/test_spider.py::test_a_layout_is_decided_with_its_nodes_and_not_with_one_less",
    "tests/games/patience/test_spider.py::test_a_position_of_a_game_is_solved_and_refereed",
    "tests/games/patience/test_spider.py::test_beams_with_other_weights_win_deals_that_the_first_ones_lose",
    "tests/games/patience/test_users_files.py::test_printed_rules_are_a_file_of_the_same_game",
    *(
        f"tests/games/test_playback.py::test_of_patiences[{name}]"
        for name in ("simple-simon", "spider-1-suit", "worm-hole")
    ),
    # plain code beside engines and referees of other games, after a first comparison, and kernels of few tests
    "tests/contract/test_games.py::test_every_game_meets_the_checks[card-pairing/winnable: the output is that of its",
    "tests/games/camelot/test_engine.py::test_close_decks_agree_with_the_search",
    "tests/games/camelot/test_engine.py::test_thousands_of_decks_agree_with_the_formula_written_again",
    "tests/games/card_pairing/test_certificates.py::test_every_loss_has_lemmas_that_are_accepted",
    "tests/games/card_pairing/test_jams.py::test_the_open_options_are_those_that_close_no_circle",
    "tests/games/card_pairing/test_random_play.py::test_the_referee_accepts_exactly_what_exhaustive_play_says",
    "tests/games/covering/test_player.py::test_positions_with_few_cards_are_played_alike",
    "tests/games/covering/test_player.py::test_the_engine_plays_as_the_plain_player",
    "tests/games/covering/test_referee.py::test_plain_code_says_the_same",
    "tests/games/tantrix/loop/test_rules.py::test_chains_are_those_of_plain_code_as_far_as_they_are_counted",
    "tests/games/test_engines.py::test_layouts_of_all_sizes_can_be_in_one_batch[card-pairing/",
    "tests/games/test_engines.py::test_no_nodes_allowed_leaves_all_layouts_undecided[card-pairing/odds]",
    # the careful player, which packs of a run show in one test
    "tests/test_pack.py::test_a_careful_player_grades_a_run_of_a_covering_game",
    "tests/test_pack.py::test_a_check_repeats_as_many_plays_as_it_has_time",
    "tests/test_winnable.py::test_a_careful_player_grades_the_wins_of_patiences_and_covering_games",
    "tests/test_winnable.py::test_the_command_prints_deals_that_others_read",
    "tests/web/test_deals.py::test_the_careful_player_grades_the_deals_of_a_store",
    # several commands with workers, where another test has a run
    "tests/api/test_commands.py::test_a_diff_fails_only_on_what_it_shall",
    "tests/api/test_commands.py::test_deal_answer_and_export_write_what_python_has",
    "tests/cli/test_archive.py::test_an_audit_is_added_to_an_archive",
    "tests/cli/test_completion.py::test_each_shell_gets_a_script_that_calls_the_command",
    "tests/cli/test_errors.py::test_wrong_usage_says_what_is_wrong_and_what_to_do",
    "tests/cli/test_ingest.py::test_nothing_is_stored_of_a_long_file_of_another_game_unless_it_is_wanted",
    "tests/cli/test_run.py::test_a_run_says_what_a_higher_limit_decides_and_by_which_command",
    "tests/cli/test_run.py::test_a_stopped_run_resumes_where_it_stopped",
    "tests/cli/test_run.py::test_verdicts_and_evidence_do_not_depend_on_workers_and_database",
    "tests/cli/test_survey.py::test_a_survey_says_that_it_has_whole_thousands_of_deals",
    "tests/survey/test_latex.py::test_a_table_has_the_counts_and_intervals_of_runs",
    "tests/web/test_check.py::test_a_page_whose_pictures_take_too_long_shows_the_layout",
    "tests/web/test_check.py::test_names_that_people_know_are_in_the_menu_and_selected_with_their_rules",
    "tests/web/test_deals.py::test_packs_that_are_served_have_the_deals_and_grades",
    # thousands of rows, every form, and what is damaged or interrupted
    "tests/audit/test_verdicts.py::test_a_flipped_bit_anywhere_in_a_trace_is_invalid",
    *(
        f"tests/checker/test_build.py::test_a_checker_has_the_rules_as_they_are_and_imports_only_the_standard_library[{game}"
        for game in ("bakers-game", "card-pairing")
    ),
    "tests/checker/test_build.py::test_checkers_pass_the_linter",
    "tests/checker/test_samples.py::test_a_checker_takes_the_same_sample_as_an_audit",
    *(
        f"tests/ingest/test_scanning.py::{test}[{game}"
        for test in (
            "test_a_scan_finds_what_the_reader_finds",
            "test_comments_are_skipped_in_every_format",
            "test_entries_can_be_skipped_and_joined",
        )
        for game in ("camelot", "hi-q", "memory", "tantrix")
    ),
    "tests/plugins/test_checks.py::test_a_check_finds_what_breaks_its_rule[no evidence takes too much memory]",
    "tests/programs/test_protocol.py::test_answers_do_not_depend_on_order_or_company",
    "tests/programs/test_runs.py::test_a_program_dies_with_its_worker",
    "tests/results/test_imports.py::test_a_damaged_parquet_file_is_read_or_refused",
    "tests/results/test_imports.py::test_what_engines_are_checked_as_survives_a_downgrade",
    "tests/results/test_skipping.py::test_jobs_that_cannot_match_are_not_read",
    "tests/results/test_skipping.py::test_searches_without_time_continue_where_they_stopped",
    "tests/store/test_migrations.py::test_distributions_are_counted_for_rows_and_compact_runs_are_solved_again",
    "tests/store/test_stored_surveys.py::test_a_stored_survey_and_a_compact_one_are_the_same",
    "tests/store/test_stored_surveys.py::test_surveys_share_the_deals_of_their_source",
    "tests/store/test_times.py::test_the_time_of_a_run_is_that_from_its_first_claim_to_its_last_result_and_that_of_its",
    "tests/survey/test_growth.py::test_a_survey_grows_until_its_interval_is_narrow_enough",
    "tests/test_archive.py::test_another_person_adds_an_audit_of_the_same_results",
    "tests/test_archive.py::test_every_change_of_an_archive_is_named",
    "tests/test_seal.py::test_a_change_of_the_record_with_all_its_digests_is_found_by_the_seal",
    "tests/test_structure.py::test_variables_are_named_by_what_they_hold",
)
"""Tests, by the beginnings of their names, that `make test` leaves out of files that it runs. A mark in the file would
also hide them from the mutants of their referee, on which `tests/mutation` tries all without a mark."""

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

    by_hand = True
    """Whether tests that are made by hand may be selected."""

    names_tests = False
    """Whether the command line names files, folders or tests."""

    def read(self, config: pytest.Config) -> None:
        """Read the command line."""
        self.quick = is_quick(config)
        self.by_hand = "not by_hand" not in config.option.markexpr
        self.names_tests = config.args != config.getini("testpaths")

    def leaves_out(self, path: str) -> bool:
        """Return whether no test of a file or folder is selected. Its path begins with ``tests/``."""
        return self.quick and path.startswith(SLOW)

    def parameters(
        self,
        values: Iterable[object],
        is_quick: Callable[[Any], bool],
        is_by_hand: Callable[[Any], bool] = lambda _value: False,
    ) -> list[object]:
        """Return values as parameters of a test: quick ones, then slow ones, then those that are tried by hand. Those
        that are not selected are left out, or marked if other tests of their kind may be."""
        selected, slow, by_hand = list[object](), list[object](), list[object]()
        for value in values:
            (by_hand if is_by_hand(value) else selected if is_quick(value) else slow).append(value)
        if not self.quick:
            selected += [pytest.param(value, marks=pytest.mark.slow) for value in slow]
        if self.by_hand:
            selected += [pytest.param(value, marks=pytest.mark.by_hand) for value in by_hand]
        return selected


SELECTION = Selection()


def parts_by_hand(numbers: range, slow: int) -> list[object]:
    """Return the parts of an attack, ranges of as many numbers as `numbers` has steps, as parameters of a slow test.
    The first `slow` numbers are tried by `make test-slow`; the whole attack is made by hand after each change of what
    it attacks, with ``pytest -m by_hand``."""
    parts = [range(first, first + numbers.step) for first in numbers]
    return SELECTION.parameters(parts, lambda _part: True, lambda part: part[0] >= numbers[0] + slow)
