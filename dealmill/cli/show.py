"""``show``: print or draw a layout and its evidence step by step."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from textwrap import wrap

import click

import dealmill
from dealmill.cli.options import WholeNumber, complete_engine, complete_game, notation_option
from dealmill.cli.output import called_as, json_option, no_pager_option, tell, write_json, write_text
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.names import with_known_name
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.measures import numbers_in_words

STDOUT = "-"
LINE = 78
"""The most characters of a line of explanation."""
SUFFIXES = (".svg", ".png")
"""The forms of pictures."""


@click.command()
@click.argument("item", shell_complete=complete_game)
@click.argument("layout", required=False)
@click.option(
    "--engine",
    metavar="GAME/ENGINE",
    shell_complete=complete_engine,
    help="Solve a numbered deal or a LAYOUT with this engine.",
)
@click.option("--retracted", is_flag=True, help="Show the verdict even if it was retracted.")
@click.option(
    "--svg",
    "file",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Write pictures of the layout and each step to FILE.svg (`-`: standard output) instead of printing text.",
)
@click.option(
    "--picture",
    type=click.Path(),
    metavar="FILE",
    help="The same, to FILE.svg or FILE.png. PNG needs the extra `pictures`.",
)
@click.option(
    "--step", type=WholeNumber(0), help="With --svg or --picture, write only the picture of this step; 0 is the layout."
)
@click.option(
    "--open",
    "open_cards",
    is_flag=True,
    help="With --svg or --picture, show the cards that lie face down and the stock instead of their backs.",
)
@no_pager_option
@click.option(
    "--moves",
    metavar="MOVES",
    help="Play these moves from the layout of a patience or covering game, and tell whether it can still be won.",
)
@notation_option
@json_option
def show(
    item: str,
    layout: str | None,
    engine: str | None,
    retracted: bool,
    file: str | None,
    picture: str | None,
    step: int | None,
    open_cards: bool,
    moves: str | None,
    notation: str | None,
    as_json: bool,
) -> None:
    """Print a layout and its evidence step by step, as text or as pictures.

    ITEM is RUN:POSITION, as in the first column of `dealmill query`; a numbered deal such as deal:camelot:seed=1:17; or
    the name of a game, followed by a LAYOUT: a line or, of a patience, a board. A line that begins with the name of its
    game, as those of patiences do, is enough. Deals and layouts are solved immediately, and nothing is stored.

    In pictures, cards that lie face down and the stock show their backs, unless --open; the proof of a loss shows them.

    With --moves "6H7S KHe", these moves are played, and the position is shown with its verdict. If it is lost and could
    be won before, the move that lost it is named. MOVES are written as in the evidence of a win, or in another
    --notation.

    With --json, `frames` has the boards, `playback` the moves as data (docs/play.md), and `referee`, `step` and
    `reason` are the judgement of the referee.
    """
    target = file if picture is None else picture
    if step is not None and target is None:
        raise UsageError("--step chooses a picture: name a file for it with --picture")
    if open_cards and target is None:
        raise UsageError("--open is for pictures, since text shows all cards: name a file with --picture")
    if as_json + (file is not None) + (picture is not None) > 1:
        raise UsageError("--json, --svg and --picture exclude each other")
    if file not in {None, STDOUT} and Path(str(file)).suffix.lower() != ".svg":
        raise UsageError(f"--svg writes SVG, and {file} does not end in .svg; for PNG, use --picture FILE.png")
    if picture is not None and Path(picture).suffix.lower() not in SUFFIXES:
        raise UsageError(f"{picture} must end in {' or '.join(SUFFIXES)}, which determines the format")
    if notation is not None and moves is None:
        raise UsageError("--notation says how moves are written: name some with --moves")
    if layout is None and " " in item:
        item, layout = item.partition(" ")[0], item
    after = None if moves is None else _after(item, layout, engine, moves, notation)
    result, status = _find(item, layout, engine, retracted) if after is None else (after.result, None)
    if target is not None:
        _write(result, step, open_cards, target)
    elif as_json:
        write_json(_row(result, status) | _row_of_moves(after))
    else:
        write_text(chain(_lines_of_moves(after), _lines(result, status)))


def _find(
    item: str, layout: str | None, engine: str | None, retracted: bool
) -> "tuple[dealmill.Result, dealmill.RunStatus | None]":
    """Return a result, with the status of its run if it is stored."""
    from dealmill.pipeline.games.deals import is_deal_range, parse_deal  # slow to import, not needed for the help text

    if layout is not None:
        try:
            return dealmill.solve(item, layout, engine=engine), None
        except dealmill.BadLayout as error:
            if is_deal_range(layout):
                raise UsageError(f"{layout} names its game: leave out {item!r}") from error
            if os.path.isfile(layout):  # noqa: PTH113 -- accepts texts too long for a path
                raise UsageError(
                    f"{layout} is a file: solve its layouts with: {called_as()} run {layout} --game {item}"
                ) from error
            raise
    if is_deal_range(item):
        deal = parse_deal(item)
        [result] = dealmill.solve(deal.game.name, deal, engine=engine)
        return result, None
    if ":" not in item:
        with suppress(dealmill.NotFoundError):
            game = dealmill.games(item)[item].name
            raise UsageError(f"{item} is a game: give a layout of it, too, or show a deal: deal:{game}:seed=1:5")
    with dealmill.open() as store:
        result = store.result(item, retracted=retracted)
        return result, store.status(result.run)[0].progress


def _after(item: str, layout: str | None, engine: str | None, moves: str, notation: str | None) -> "dealmill.After":
    """Return the position after some moves from a layout, which is named as for `_find`, but not solved for that."""
    from dealmill.pipeline.games.deals import is_deal_range, parse_deal  # slow to import, not needed for the help text

    if layout is not None:
        return dealmill.after(item, layout, moves, engine=engine, notation=notation)
    if is_deal_range(item):
        deal = parse_deal(item)
        return dealmill.after(deal.game.name, next(iter(deal)), moves, engine=engine, notation=notation)
    with dealmill.open() as store:
        result = store.result(item, retracted=True)
    return dealmill.after(result.engine.partition("/")[0], result, moves, engine=engine, notation=notation)


def _row_of_moves(after: "dealmill.After | None") -> dict[str, object]:
    if after is None:
        return {}
    return {"moves": after.moves, "won": after.won, "lost": after.lost, "losing_move": after.losing_move}


def _lines_of_moves(after: "dealmill.After | None") -> Iterator[str]:
    """Yield which move lost a game, if one did."""
    if after is None:
        return
    if after.losing_move is not None:
        yield f"move {after.losing_move}, {after.moves[after.losing_move - 1]}, lost it: it could be won before"
    elif after.won is not None:
        yield f"one of the moves {after.won + 1} to {after.lost} lost it: it could be won before them"


def _write(result: "dealmill.Result", step: int | None, open_cards: bool, file: str) -> None:
    if file == STDOUT:
        click.echo(result.svg(step, open_cards=open_cards))
        return
    result.write_picture(file, step, open_cards=open_cards)
    tell(f"picture written to {file}")


def _row(result: "dealmill.Result", status: "dealmill.RunStatus | None") -> dict[str, object]:
    judged, playback = result.check(), result.playback()
    return {
        **result.row,
        "unproved": result.unproved,
        "engine": result.engine,
        "source": None if status is None else status.source_name,
        "why_retracted": None if status is None else status.retracted,
        "referee": judged.outcome.word,
        "step": judged.step,
        "reason": judged.reason,
        "frames": list(result.frames()),
        "playback": playback and playback.row,
    }


def _lines(result: "dealmill.Result", status: "dealmill.RunStatus | None") -> Iterator[str]:
    """Yield a result with its evidence and its boards."""
    _, engine = result.game_and_engine
    if status is not None:
        where = f"{status.line_name} {result.line} of" if result.line else "a deal left out by"
        yield f"item {result.item}, {where} {status.source_name}"
        if status.retracted is not None:
            yield f"RETRACTED: {status.retracted}"
    worth = "" if result.value is None else f" with value {engine.words_of_value(result.value)}"
    yield f"{with_known_name(result.engine)}: {result.verdict}{worth} ({numbers_in_words(result)})"
    yield f"layout: {result.layout}"
    if result.verdict is Verdict.FAILED:
        yield f"error: {result.evidence}"
    elif result.evidence is not None:
        yield f"evidence: {result.evidence}"
        yield from wrap(f"notation: {engine.notation(result.verdict)}", LINE, subsequent_indent="    ")
        yield f"referee: {result.check()}"
    elif undecided := result.why_undecided(engine.max_nodes if status is None else status.max_nodes):
        yield f"why: {undecided}"
    elif result.unproved:  # a claim, or its evidence is lost
        yield f"not proved: there is no evidence; referee: {result.check()}"
    yield from chain.from_iterable(f"\n{frame}".split("\n") for frame in result.frames())
