"""The games that installed distributions offer: entry points in the group ``dealmill.games``.

An entry point ``NAME = PACKAGE:GAME`` offers the game NAME. Dealmill's own games are offered in the same way. Nothing
of a game is imported here.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from itertools import groupby
from typing import NamedTuple

GROUP = "dealmill.games"
OWN = "dealmill"
"""The name of Dealmill's own distribution."""
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
LONGEST_NAME = 40


class Offer(NamedTuple):
    """A game that a distribution offers; `refusal` says why it is not used, or is None."""

    name: str
    distribution: str
    version: str
    entry: EntryPoint
    refusal: str | None = None

    @property
    def package(self) -> str:
        """The name and version of the distribution."""
        return f"{self.distribution} {self.version}"


@cache
def all_offers() -> tuple[Offer, ...]:
    """Return all offered games that the setting ``DEALMILL_PLUGINS`` allows, by name, each with a refusal if its name
    cannot be used.

    Raises
    ------
    DealmillError
        If the settings cannot be read, which happens only if a distribution other than Dealmill offers a game.
    """
    found = list(_found())
    if any(offer.distribution != OWN for offer in found):
        from dealmill.pipeline.settings import settings  # slow to import, and often not needed

        if (allowed := settings().plugins) is not None:
            found = [offer for offer in found if offer.distribution in {OWN, *map(normalized, allowed.split(","))}]
    found.sort(key=lambda offer: (offer.name, offer.distribution))
    names = groupby(found, lambda offer: offer.name)
    return tuple(offer for _, of_name in names for offer in _without_clashes(list(of_name)))


def normalized(distribution: str) -> str:
    """Return the normalized form of a distribution's name: ``Dealmill_Nim`` is ``dealmill-nim``."""
    return re.sub(r"[-_.]+", "-", distribution).strip().lower()


def _found() -> Iterator[Offer]:
    known: dict[int, tuple[str, str]] = {}  # reading the name of a distribution parses its metadata each time
    for entry in entry_points(group=GROUP):
        assert entry.dist is not None  # noqa: S101 -- it is known for all installed distributions
        if id(entry.dist) not in known:
            known[id(entry.dist)] = _name_and_version(entry.dist)
        refusal = None if NAME.fullmatch(entry.name) and len(entry.name) <= LONGEST_NAME else BAD_NAME
        yield Offer(entry.name, *known[id(entry.dist)], entry, refusal)


BAD_NAME = f"its name is not valid: use up to {LONGEST_NAME} lower-case letters, digits and single hyphens"


def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    return normalized(distribution.metadata["Name"]), distribution.metadata["Version"]


def _without_clashes(offered: Collection[Offer]) -> Iterator[Offer]:
    """Yield the offers of one name. If there are several, only Dealmill's own game is used."""
    packages = " and ".join(offer.package for offer in offered)
    clash = f"{packages} offer games of this name: uninstall all but one, or name those to load in DEALMILL_PLUGINS"
    for offer in offered:
        yield offer if len(offered) == 1 or offer.distribution == OWN else offer._replace(refusal=clash)
