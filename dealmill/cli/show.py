"""``show``: one layout, and its evidence step by step."""

import re

import click

from dealmill.cli.output import counted
from dealmill.cli.sources import open_configured_store
from dealmill.pipeline.deals import is_deal_range, parse_deal_range
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import Engine, Game, Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import judge


@click.command()
@click.argument("item")
@click.argument("layout", required=False)
@click.option("--engine", metavar="GAME/ENGINE", help="For a layout that is solved on the spot.")
@click.option("--retracted", is_flag=True, help="Even if the verdict was retracted.")
def show(item: str, layout: str | None, engine: str | None, retracted: bool) -> None:
    """Print a layout and walk through its evidence as text boards.

    ITEM is RUN:POSITION as the first column of `dealmill query` shows it; or a numbered deal such as
    deal:camelot:seed=1:17; or the name of a game, followed by a LAYOUT in its canonical text. The last two are solved
    on the spot, and nothing is stored.
    """
    if layout is not None:
        game, used = find_engine(engine or item, find_engine(item)[0])
        _show_solved(game, used, _parsed(game, layout))
    elif is_deal_range(item):
        deals = parse_deal_range(item)
        game, used = find_engine(engine or deals.game.name, deals.game)
        if len(deals) != 1 or game is not deals.game:
            raise NotFoundError(f"show takes one deal and an engine of its game, not {item} with {engine or 'any'}")
        _show_solved(game, used, next(iter(deals)).text)
    else:
        _show_stored(item, retracted)


def _parsed(game: Game, layout: str) -> str:
    entries = list(game.layout.read([(1, layout)]))
    if len(entries) != 1:
        raise NotFoundError(f"that is not one layout of {game.name}")
    if not isinstance(entries[0], Layout):
        raise NotFoundError(f"that is no layout of {game.name}: {'; '.join(entries[0].reasons)}")
    return entries[0].text


def _show_solved(game: Game, engine: Engine, layout: str) -> None:
    from dealmill.pipeline.solve import solve

    solved = solve(game.full_name(engine), [layout])
    _show(game, engine, layout, solved.verdicts[0], solved.values[0], solved.nodes[0], solved.evidence[0])


def _show_stored(item: str, retracted: bool) -> None:
    from dealmill.pipeline.query import answers_of, find_result
    from dealmill.pipeline.store.runs import find_run

    match = re.fullmatch(r"(\d{1,9}|last):(\d{1,18})", item, re.ASCII)
    if not match:
        raise NotFoundError(f"{item!r} is no item; write RUN:POSITION, as in 3:17, or deal:GAME:seed=S:NUMBER")
    store = open_configured_store()
    run = answers_of(find_run(store, match[1]), retracted=retracted)
    result = find_result(store, run, int(match[2]))
    game, engine = find_engine(run.engine)
    click.echo(f"item {run.id}:{result.position}, line {result.line} of {run.source_name}")
    if run.retracted is not None:
        click.echo(f"RETRACTED: {run.retracted}")
    _show(game, engine, result.layout, result.verdict, result.value, result.nodes, result.evidence)


def _show(
    game: Game, engine: Engine, layout: str, verdict: Verdict, value: int | None, nodes: int, evidence: str | None
) -> None:
    worth = "" if value is None else f" with value {value}"
    click.echo(f"{game.full_name(engine)} says: {verdict.word}{worth} ({counted(nodes, 'node')})")
    click.echo(f"layout: {layout}")
    if verdict is Verdict.FAILED:
        click.echo(f"error: {evidence}")
    elif evidence is not None:
        click.echo(f"evidence ({engine.evidence}): {evidence}")
        click.echo(f"referee: {judge(game.full_name(engine), layout, verdict, value, evidence)}")
    for frame in game.picture.frames(layout, verdict, evidence):
        click.echo(f"\n{frame}")
