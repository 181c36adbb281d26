"""The games that installed distributions offer: entry points in the group ``dealmill.games``.

An entry point ``NAME = PACKAGE:GAME`` offers the game NAME. Dealmill's own games are offered in the same way. Nothing
of a game is imported here.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, entry_points
from itertools import groupby
from typing import NamedTuple

GROUP = "dealmill.games"
OWN = "dealmill"
"""The name of Dealmill's own distribution."""
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
UNKNOWN = "unknown"
LONGEST_NAME = 40
BAD_NAME = f"its name is not valid: use up to {LONGEST_NAME} lower-case letters, digits and single hyphens"
EXCLUDED = "DEALMILL_PLUGINS does not name this package"


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
    """Return all offered games by name, each with a refusal if it is not used.

    Raises
    ------
    DealmillError
        If the settings cannot be read, which happens only if a distribution other than Dealmill offers a game.
    """
    found = sorted(_found(), key=lambda offer: (offer.name, offer.distribution))
    if any(offer.distribution != OWN for offer in found):
        from dealmill.pipeline.settings import settings  # slow to import, and often not needed

        found = _without_excluded(found, settings().plugins)
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


def _name_and_version(distribution: Distribution) -> tuple[str, str]:
    """Return the normalized name and the version; `UNKNOWN` for what a half-removed distribution has lost."""
    try:
        metadata = distribution.metadata
        return normalized(metadata["Name"] or UNKNOWN), metadata["Version"] or UNKNOWN
    except (OSError, KeyError, PackageNotFoundError):
        return UNKNOWN, UNKNOWN


def _without_excluded(offered: list[Offer], plugins: str | None) -> list[Offer]:
    """Refuse the offers that the setting ``DEALMILL_PLUGINS`` excludes."""
    if plugins is None:
        return offered
    allowed = {OWN, *map(normalized, plugins.split(","))}
    return [offer if offer.distribution in allowed else offer._replace(refusal=EXCLUDED) for offer in offered]


def _without_clashes(offered: Sequence[Offer]) -> Iterator[Offer]:
    """Yield the offers of one name. If there are several, only Dealmill's own game is used."""
    rivals = [offer for offer in offered if not offer.refusal]
    packages = " and ".join(offer.package for offer in rivals)
    clash = f"{packages} offer games of this name: uninstall all but one, or name those to load in DEALMILL_PLUGINS"
    for offer in offered:
        used = offer.refusal or offer.distribution == OWN or len(rivals) == 1
        yield offer if used else offer._replace(refusal=clash)
