"""Splits that train on every row that is not tested."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.cross_validation.fast_path import build_part
from thetahat.cross_validation.leave_one_out import is_leave_one_out
from thetahat.schemes.base import ComplementSplit, Split


@pytest.mark.parametrize("test", [[1, 4], [3]])
def test_exact_all_rows_but_those_tested_are_listed_when_asked_for(test: list[int]) -> None:
    tested = np.array(test)
    split = ComplementSplit(2, 1, "b", tested, 6)
    listed = Split(2, 1, "b", np.setdiff1d(np.arange(6), tested), tested)

    assert (split.repeat, split.block, split.label) == (2, 1, "b")
    assert (split.n_train, split.n_listed) == (listed.n_train, listed.n_listed)
    assert is_leave_one_out(split, 6) == is_leave_one_out(listed, 6) == (len(test) == 1)
    for n in (6, 7):  # of more rows some are neither learnt from nor tested
        part, wanted = build_part(split, n), build_part(listed, n)
        for name in ("train", "test", "left_out", "n_train", "is_complement"):
            assert_array_equal(getattr(part, name), getattr(wanted, name))
