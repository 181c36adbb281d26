"""Checks of the reader of layouts, of numbered deals, and of the check before every engine that texts are canonical
layouts."""

import io

import numpy as np

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import Entries, Solved, Texts, lengths_to_starts, to_texts
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.reading import MAX_REASONS, MAX_RECORDED_CHARACTERS
from dealmill.pipeline.solving.answer import answer
from dealmill.pipeline.solving.loading import canonical_mask, guarded
from dealmill.testing.subject import CheckFailed, Subject, assumes, example, is_canonical, numbered, require

DEALS = 200
EXAMPLES, LEAST_EXAMPLES = 2_000, 100
HOSTILE = 2_000
MANY = 10_000
SEPARATORS = (b"", b"\n", b"A")
REFUSED = 500
NOISE = ["", "\0", "?", "1", "-1", "9" * 400, "A" * 10_000, "ä ö ü", "X/Y/Z", "<script>", "'; DROP TABLE layouts; --"]


def the_statement_is_read_without_rejects(subject: Subject) -> None:
    """``NAME-statement.txt`` has layouts only."""
    entries = list(subject.game.read(numbered(example(subject.game, "statement.txt").splitlines())))
    require(entries, "the statement has no layouts")
    for entry in entries:
        if isinstance(entry, Reject):
            raise CheckFailed(f"line {entry.line}: {'; '.join(entry.reasons)}")


def the_statement_gets_its_answer(subject: Subject) -> None:
    """The first engine answers ``NAME-statement.txt`` with ``NAME-statement.answer``."""
    game, output, complaints = subject.game, io.StringIO(), list[str]()
    entries = Entries.of(list(game.read(numbered(example(game, "statement.txt").splitlines()))))
    answer(game, game.engines[0], [entries], output, complaints.append)
    require(not complaints, "; ".join(complaints))
    expected = example(game, "statement.answer")
    require(output.getvalue() == expected, f"the answer is {output.getvalue()!r}, expected {expected!r}")


def canonical_texts_read_back_as_themselves(subject: Subject) -> None:
    """A canonical text is one line of ASCII."""
    texts = [text.decode() for text in subject.canonical_texts] + subject.deal(5, 1, DEALS)
    for text in texts:
        read = list(subject.game.read([(7, text)]))
        require(read == [Layout(7, text)], f"layout {text}: read as {read}")
        require(text.isascii() and text.isprintable() and text == text.strip(), f"layout {text!r}: not a line of ASCII")
    layouts = list(subject.game.read(numbered(texts)))
    require(layouts == [Layout(*line) for line in numbered(texts)], "a file of several layouts is read differently")


def forms_of_other_programs_read_back(subject: Subject) -> None:
    """What a function of `Game.writers` writes is read as the same layout, alone and in a file of several."""
    texts = subject.deal(5, 1, DEALS)
    for form, write in subject.game.writers.items():
        lines = "\n".join(map(write, texts)).split("\n")
        layouts = [entry.text for entry in subject.game.read(numbered(lines)) if isinstance(entry, Layout)]
        require(layouts == texts, f"{form}: {len(texts)} layouts are written, and {len(layouts)} read, or others")


def the_example_deals_are_the_first_of_seed_1(subject: Subject) -> None:
    """``NAME-deals.txt`` has 2,000 deals, or at least 100. A game that is a rules file needs none."""
    if subject.game.rules_text and not (subject.game.examples / f"{subject.game.name}-deals.txt").exists():
        return
    deals = example(subject.game, "deals.txt").splitlines()
    command = f"dealmill deal {subject.game.name} --count {EXAMPLES} --seed 1"
    require(len(deals) >= LEAST_EXAMPLES, f"the file has {len(deals)} deals; write it again with: {command}")
    require(deals == subject.deal(1, 1, len(deals)), f"write the file again with: {command}")


def a_deal_depends_only_on_its_seed_and_number(subject: Subject) -> None:
    """Any deal is generated without the deals before it."""
    require(subject.deal(7, 500, 3) == subject.deal(7, 1, 502)[499:], "deals 500 to 502 of seed 7 depend on the first")
    require(subject.deal(7, 500, 20) != subject.deal(8, 500, 20), "seeds 7 and 8 have the same deals")
    require(len(subject.deal(2**64 - 1, 2**63 - 5, 5)) == 5, "the last deals of the last seed are missing")


@assumes("texts such as '1', '?' and 'X/Y/Z' are not layouts")
def texts_of_no_game_are_rejected(subject: Subject) -> None:
    """A file of something else is recognised."""
    for text in NOISE:
        for entry in subject.game.read([(1, text)]):
            require(isinstance(entry, Reject), f"{text!r} is read as a layout")


def bad_lines_are_rejected_with_reasons(subject: Subject) -> None:
    """A reader raises nothing, whatever it reads, and cuts what it records."""
    lines = [text.decode("utf-8", "replace") for text in subject.hostile_texts(6, HOSTILE)]
    for line in [*NOISE, *lines]:
        for entry in subject.game.read([(1, line)]):
            if isinstance(entry, Reject):
                _require_reasons(entry)


def _require_reasons(reject: Reject) -> None:
    lengths = [len(reject.text), *map(len, reject.reasons)]
    require(reject.reasons and all(reject.reasons), f"{reject.text!r} is rejected without a reason")
    require(len(reject.reasons) <= MAX_REASONS + 1, f"{reject.text!r} is rejected with {len(reject.reasons)} reasons")
    require(max(lengths) <= MAX_RECORDED_CHARACTERS, f"more than 200 characters are recorded of {reject.text!r}")


def layouts_between_bad_lines_are_read(subject: Subject) -> None:
    """A bad line does not stop the reader."""
    good = subject.deal(9, 1, 3)
    lines = [good[0], "nonsense ?", good[1], "", good[2], "nonsense ?"]
    entries = list(subject.game.read(numbered(lines)))
    layouts = [(entry.line, entry.text) for entry in entries if isinstance(entry, Layout)]
    require(layouts == [(1, good[0]), (3, good[1]), (5, good[2])], f"of {lines}, these are read: {layouts}")
    rejects = [entry.line for entry in entries if isinstance(entry, Reject)]
    require(rejects == [2, 6], f"of {lines}, the lines {rejects} are rejected, expected 2 and 6")


@assumes("the text of a layout shows its game")
def no_other_game_reads_its_layouts(subject: Subject) -> None:
    """A layout is found by its text alone, see `dealmill find`."""
    for game in games().values():
        if game.name != subject.game.name:
            for entry in game.read(numbered(subject.deal(3, 1, 20))):
                if isinstance(entry, Layout):
                    raise CheckFailed(f"layout {entry.text} is also a layout of {game.name}")


def the_canonical_check_accepts_all_layouts(subject: Subject) -> None:
    """Also the texts of many deals; of fewer if the check is not compiled, but that of the reader."""
    texts = [text.decode() for text in subject.canonical_texts]
    texts += subject.deal(5, 1, MANY if subject.game.mask else DEALS)
    for text, accepted in zip(texts, canonical_mask(subject.game, to_texts(texts)).tolist(), strict=True):
        require(accepted, f"layout {text}: refused")
    require(len(canonical_mask(subject.game, to_texts([]))) == 0, "no texts give a mask that is not empty")


def the_canonical_check_agrees_with_the_reader(subject: Subject) -> None:
    """On altered layouts and random bytes, of which some are layouts; on fewer if the check is not compiled, but that
    of the reader."""
    texts = subject.hostile_texts(1, MANY if subject.game.mask else DEALS)
    expected = [is_canonical(subject.game, text) for text in texts]
    layouts = Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths_to_starts([len(text) for text in texts]))
    for text, by_reader, by_check in zip(texts, expected, canonical_mask(subject.game, layouts).tolist(), strict=True):
        require(by_reader == by_check, f"{text!r}: the reader says {by_reader}, the check {by_check}")


def the_canonical_check_reads_only_the_texts(subject: Subject) -> None:
    """The texts of a compiled check can be the lines of a block, whose last line ends with the block."""
    check = subject.game.mask
    if check is None:
        return
    texts = subject.hostile_texts(2, 1_000)
    expected = [is_canonical(subject.game, text) for text in texts]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    for separator in SEPARATORS:
        ends = np.cumsum(lengths + len(separator)) - len(separator)
        block = np.frombuffer(separator.join(texts), dtype=np.uint8)
        mask = check(block, ends - lengths, ends).tolist()
        require(mask == expected, f"the check depends on the bytes between texts, here {separator!r}")


def only_layouts_reach_an_engine(subject: Subject) -> None:
    """All other texts are refused with the reasons that the reader gives."""

    def engine(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        raise CheckFailed(f"{len(layouts)} texts, not all of them layouts, reached an engine (node limit {max_nodes})")

    solve = guarded(subject.game, engine)
    good = subject.canonical_texts[0].decode()
    for text in subject.bad_texts(4, MANY // 4)[:REFUSED]:
        try:
            solve(to_texts([good, text, good]))
        except BadLayout as error:
            require(error.reasons and all(error.reasons), f"{text!r} is refused without a reason")


STATEMENT_CHECKS = (the_statement_is_read_without_rejects, the_statement_gets_its_answer)
"""Those of games that have a problem statement."""
CHECKS = (
    canonical_texts_read_back_as_themselves,
    forms_of_other_programs_read_back,
    the_example_deals_are_the_first_of_seed_1,
    a_deal_depends_only_on_its_seed_and_number,
    texts_of_no_game_are_rejected,
    bad_lines_are_rejected_with_reasons,
    layouts_between_bad_lines_are_read,
    no_other_game_reads_its_layouts,
    the_canonical_check_accepts_all_layouts,
    the_canonical_check_agrees_with_the_reader,
    the_canonical_check_reads_only_the_texts,
    only_layouts_reach_an_engine,
)
