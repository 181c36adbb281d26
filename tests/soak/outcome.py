"""What a target says when its time is over."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Outcome:
    """How much was tried, how many branches of our code that reached (where it was counted), and what went wrong."""

    tried: int
    coverage: int | None = None
    failures: list[str] = field(default_factory=list)
