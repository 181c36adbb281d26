"""Seals: other fields have another digest, wherever one field ends and the next begins."""

from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.evidence.digests import columns_digest, digests, numbers, seal, texts, values

FIELDS = st.lists(
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.floats(allow_nan=False)
    | st.dictionaries(st.text(max_size=2), st.integers() | st.none(), max_size=2),
    max_size=4,
)
NUMBERS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)
TEXTS = st.lists(st.none() | st.text(max_size=3), max_size=4)


def typed(fields: list[object]) -> list[tuple[type, str]]:
    """Fields with their types, for 1 and 1.0 are equal in Python."""
    return [(type(field), repr(sorted(field.items()) if isinstance(field, dict) else field)) for field in fields]


@given(FIELDS, FIELDS)
def test_other_fields_have_another_seal(left: list[object], right: list[object]) -> None:
    assert (seal("run", *left) == seal("run", *right)) == (typed(left) == typed(right))


@given(st.text(max_size=9), st.integers(0, 9), st.integers(0, 9))
def test_shifted_fields_have_another_seal(text: str, left: int, right: int) -> None:
    left, right = min(left, len(text)), min(right, len(text))
    assert (seal("run", text[:left], text[left:]) == seal("run", text[:right], text[right:])) == (left == right)
    assert texts([text[:left], text[left:]]) != texts([text[:right], text[right:]]) or left == right
    assert seal("run", text) != seal("audit", text)
    assert columns_digest("a", texts([text]), texts([])) != columns_digest("a", texts([]), texts([text]))


@given(NUMBERS, NUMBERS, TEXTS, TEXTS)
def test_other_columns_are_written_otherwise(
    left: list[int], right: list[int], some: list[str | None], others: list[str | None]
) -> None:
    assert (numbers(left) == numbers(right)) == (left == right)
    assert (texts(some) == texts(others)) == (some == others)


@given(FIELDS, FIELDS)
def test_whatever_a_damaged_column_holds_is_written(left: list[object], right: list[object]) -> None:
    for write in (numbers, texts, digests):
        assert (write(left) == write(right)) == (typed(left) == typed(right))
    assert numbers([2**70]) == values([2**70]) and texts([b"a"]) == values([b"a"]) and digests(["a"]) == values(["a"])


def test_columns_are_written_as_the_documentation_says() -> None:
    assert numbers([1, -1]) == b"q" + bytes([1]) + bytes(7) + b"\xff" * 8
    assert digests([b"\1\2", b""]) == b"b" + bytes([2, 0, 0, 0]) + bytes(4) + b"\1\2"
    assert texts(["é", None, ""]) == b"t" + bytes([2, 0, 0, 0]) + b"\xff" * 4 + bytes(4) + "é".encode()
    parts = (b"-", b"i-7", "té".encode(), b"b\1", b"f1.5", b'j{"a":null,"b":1}')
    written = b"".join(bytes([len(part)]) + bytes(7) + part for part in parts)
    assert values([None, -7, "é", b"\1", 1.5, {"b": 1, "a": None}]) == b"*" + written
    whole = bytes([3]) + bytes(7) + b"run" + bytes([1]) + bytes(7) + b"q"
    assert columns_digest("run", numbers([])) == blake3(whole).digest()
