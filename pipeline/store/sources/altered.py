"""Detect stored layouts whose text was changed after they were read."""

from collections.abc import Mapping

from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items
from dealmill.pipeline.store.sources.digests import layout_digest


def altered_layouts(store: Database, source: int, game: str, layouts: Mapping[int, str]) -> list[int]:
    """Return the positions at which the source has another digest than that of the given layout, or no item."""
    query = select(items.c.position, items.c.digest).where(
        items.c.source_id == source, items.c.position.in_(list(layouts))
    )
    with store.reading() as connection:
        recorded = dict(connection.execute(query).all())
    return [place for place, layout in layouts.items() if recorded.get(place) != layout_digest(game, layout)]
