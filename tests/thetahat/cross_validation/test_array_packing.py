from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.cross_validation.learners_at_fault import some_data
from thetahat.cautions import Caution
from thetahat.cross_validation import SplitOutcome, build_rows, pack, run_splits, unpack
from thetahat.learners.majority import Majority
from thetahat.losses.log import Log
from thetahat.schemes import SCHEMES


def done(scheme: str, *, keep: bool) -> list[SplitOutcome]:
    data = some_data("classification", 13, fold=[True] * 6 + [False] * 7)
    splits = SCHEMES[scheme]().splits(build_rows(data), 2)
    return list(run_splits("m", Majority(), data, splits, Log(), 2, keep_predictions=keep))


def same(a: SplitOutcome, b: SplitOutcome) -> None:
    for field in fields(SplitOutcome):
        left, right = getattr(a, field.name), getattr(b, field.name)
        if isinstance(left, np.ndarray):
            assert_array_equal(right, left, strict=True)
        else:
            assert left == right
            assert type(left) is type(right)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("scheme", ["leave_one_source_out", "k_fold", "predefined"])
def test_exact_there_and_back(scheme: str, *, keep: bool) -> None:
    outcomes = done(scheme, keep=keep)
    outcomes[0] = replace(outcomes[0], cautions=(Caution("learner_warning", "é: odd"),))

    again = unpack(pack(outcomes))

    assert len(again) == len(outcomes)
    for a, b in zip(outcomes, again, strict=True):
        same(a, b)


def test_degenerate_no_entries() -> None:
    assert list(unpack(pack([]))) == []


def test_property_no_objects_in_the_arrays() -> None:
    assert all(array.dtype.kind in "iuf" for array in pack(done("k_fold", keep=True)).values())
