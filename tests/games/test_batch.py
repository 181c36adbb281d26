"""Texts and results as flat arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill import kernels
from dealmill.pipeline.games.batch import Batch, Numbers, Solved, Texts, to_batch, to_solved, to_strings, to_texts
from dealmill.pipeline.games.verdict import Verdict

texts = st.lists(st.text(st.characters(categories=None), max_size=8), max_size=8)
encodable = st.lists(st.text(max_size=8), max_size=8)


@given(texts)
def test_any_texts_come_out_as_they_went_in(given_texts: list[str]) -> None:
    arrays = to_texts(given_texts)
    assert to_strings(arrays) == given_texts
    assert arrays.lengths.tolist() == [len(text.encode("utf-8", "surrogatepass")) for text in given_texts]


@given(encodable)
def test_texts_are_encoded_as_utf_8(given_texts: list[str]) -> None:
    assert to_texts(given_texts).concatenated_text.tobytes() == "".join(given_texts).encode()


@pytest.mark.parametrize("text", [b"\xff", b"AA\xe4BB", b"\xc3", b"\xf4\x90\x80\x80"])
def test_bytes_that_are_no_text_are_replaced(text: bytes) -> None:
    [replaced] = to_strings(Texts(np.frombuffer(text, dtype=np.uint8), np.array([0, len(text)])))
    assert replaced == text.decode("utf-8", "replace")


@given(texts, st.randoms(use_true_random=False))
def test_chosen_texts_come_in_the_order_asked_for(given_texts: list[str], random: np.random.Generator) -> None:
    numbers = [number for number in range(len(given_texts)) for _ in range(2)]
    random.shuffle(numbers)
    chosen = to_texts([*given_texts, "more"]).part(0, len(given_texts)).take(np.array(numbers, dtype=np.int64))
    assert to_strings(chosen) == [given_texts[number] for number in numbers]


def test_chosen_results_come_in_the_order_asked_for() -> None:
    solved = _solved(["a", "", "ccc"])
    chosen = to_batch(solved.take(np.array([2, 0])))
    assert (chosen.values, chosen.nodes, chosen.evidence) == ([12, 10], [2, 0], ["ccc", "a"])


def test_lists_become_the_same_lists_again_also_with_claims() -> None:
    answers = [
        (Verdict.WINNABLE, None, 3, "a"),
        (Verdict.WINNABLE, None, 0, ""),
        (Verdict.UNDECIDED, None, 5, None),
        (Verdict.UNWINNABLE, None, 2, None),
        (Verdict.SCORED, 7, 1, "b"),
    ]
    for part in (answers, answers[:2], []):
        batch = Batch.of(part)
        assert len(batch) == len(part) and to_batch(to_solved(batch)) == batch
    assert to_solved(Batch.of(answers)).claims == 1


def _solved(evidence: list[str]) -> Solved:
    numbers: Numbers = np.arange(len(evidence))
    return Solved(np.full(len(evidence), int(Verdict.SCORED), dtype=np.int8), numbers + 10, numbers, to_texts(evidence))


@pytest.mark.parametrize(("old", "new"), [("pack", to_texts), ("unpack", to_strings)])
def test_earlier_names_of_kernels_warn(old: str, new: object) -> None:
    with pytest.warns(DeprecationWarning, match=rf"dealmill\.kernels\.{old} was renamed"):
        assert getattr(kernels, old) is new
    with pytest.raises(AttributeError, match="has no attribute 'packed'"):
        _ = kernels.packed
