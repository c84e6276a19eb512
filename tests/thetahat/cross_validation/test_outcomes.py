from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.cautions import Caution
from thetahat.cross_validation import Outcomes, SplitOutcome, as_outcomes, join_outcomes


def outcome(
    block: int, rows: list[int], *, keeps: bool = True, why: str | None = None
) -> SplitOutcome:
    test = np.array(rows)
    return SplitOutcome(
        repeat=1,
        block=block,
        label=f"s{block}",
        n_train=10 + block,
        test=test,
        losses=test / 2,
        output=test * 3.0 if keeps else None,
        cautions=(Caution("odd", f"{block}"),) if why else (),
        fit_reason=why,
    )


SOME = [outcome(0, [4, 5]), outcome(1, [1], why="far"), outcome(2, [2, 7, 9])]


def same(ours: SplitOutcome, other: SplitOutcome) -> None:
    for field in fields(SplitOutcome):
        assert_array_equal(getattr(ours, field.name), getattr(other, field.name))


def test_exact_arrays_give_back_the_outcomes() -> None:
    arrays = as_outcomes(SOME)

    assert isinstance(arrays, Outcomes)
    assert as_outcomes(arrays) is arrays
    assert arrays.reasons == [None, "far", None]
    for first, other in zip(arrays, SOME, strict=True):
        same(first, other)
    same(arrays[-1], SOME[-1])
    for first, other in zip(arrays[1:], SOME[1:], strict=True):
        same(first, other)
    with pytest.raises(IndexError):
        arrays[3]


@pytest.mark.parametrize("cuts", [[0, 3], [0, 1, 3], [0, 0, 1, 2, 3]])
def test_exact_stretches_are_joined(cuts: list[int]) -> None:
    parts = [SOME[a:b] for a, b in pairwise(cuts)]

    joined = join_outcomes(parts)

    assert len(joined) == 3
    for first, other in zip(joined, SOME, strict=True):
        same(first, other)


def test_degenerate_predictions_that_one_stretch_lacks_are_dropped() -> None:
    joined = join_outcomes([SOME[:1], [outcome(1, [1], keeps=False)]])

    assert joined.output is None
    assert_array_equal(joined.losses, [2, 2.5, 0.5])


def test_degenerate_nothing_to_join() -> None:
    assert list(join_outcomes([])) == []
