"""The figures of a survey as text."""

from collections.abc import Mapping

WINNABILITY, MEAN = "winnability", "mean value"


def format_figure(facts: Mapping[str, object], key: str) -> str:
    """Return a figure (`value`, `low`, `high`, `theory`) with one digit more than the interval makes significant."""
    number, half = facts[key], facts["half_width"]
    assert isinstance(number, float) and isinstance(half, float)  # noqa: S101 -- `survey_facts` made them
    share = facts["estimate"] == WINNABILITY
    scale, unit = (100, " %") if share else (1, "")
    places = 2
    while places < 12 and 0 < half * scale * 10 ** (places - 1) < 1:
        places += 1
    return f"{number * scale:,.{places}f}{unit}"
