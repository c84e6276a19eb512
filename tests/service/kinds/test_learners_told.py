"""What the learners of one chunk gave, as its arrays and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from service.jobs.parts import FAILED, failed_arrays
from service.kinds.fitting.outcomes import Arrays, Told, as_arrays, told_by
from service.kinds.fitting.run import run_group
from tests.thetahat.learners.problems import problem
from thetahat.cross_validation import Group, SplitOutcome, pack, rows_of
from thetahat.errors import InsufficientData
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold

DATA = problem("plain", "regression")
GROUPS = [
    Group(("a",), (Ridge(penalty=1),)),
    Group(("a", "b"), (Ridge(penalty=1), Ridge(penalty=2)), "penalty"),
]


def folds() -> Iterator[Split]:
    return KFold(n_folds=3).splits(rows_of(DATA), 1)


def packing(name: str, outcomes: Sequence[SplitOutcome]) -> Arrays:
    if name == "b":
        raise InsufficientData("nothing to look at")
    return pack(outcomes)


def test_exact_numbers_alike_stand_once_and_come_back() -> None:
    told = Told(
        ran={
            "a": {"x": np.arange(3), "y": np.ones(2)},
            "b": {"x": np.arange(3), "y": np.zeros(2), "z": np.zeros(1)},
            "c": {"x": np.arange(3.0), "z": np.ones(1)},
        }
    )
    told.fail("d", "learner_failed", "not today")
    arrays = as_arrays(told)
    back = told_by(arrays, ["a", "b", "c", "d"])

    assert sorted(arrays) == ["0:x", "0:y", "1:y", "1:z", "2:x", "2:z", "of_learners"]
    assert back.failures == told.failures
    assert {name: list(of_one) for name, of_one in back.ran.items()} == {
        name: list(of_one) for name, of_one in told.ran.items()
    }
    for name, of_one in told.ran.items():
        for key, values in of_one.items():
            assert back.ran[name][key].dtype == values.dtype
            assert_array_equal(back.ran[name][key], values)


def test_exact_a_failure_of_the_chunk_is_one_of_each() -> None:
    back = told_by(failed_arrays("time_limit_exceeded", "too long"), ["a", "b"])
    assert back.failures == {
        name: {"code": "time_limit_exceeded", "message": "too long", "loc": ["learners", name]}
        for name in ("a", "b")
    }


@pytest.mark.parametrize("group", GROUPS)
def test_degenerate_splits_that_are_refused_are_refused_for_all(group: Group) -> None:
    def refused() -> Iterator[Split]:
        yield next(folds())
        raise InsufficientData("fold 1 would have no row")

    told = run_group(group, DATA, refused, Squared(), 1, packing)
    assert not told.ran
    assert {said["message"] for said in told.failures.values()} == {"fold 1 would have no row"}
    assert FAILED in as_arrays(told)


def test_degenerate_outcomes_that_are_refused_are_those_of_one() -> None:
    told = run_group(GROUPS[1], DATA, folds, Squared(), 1, packing)
    assert list(told.ran) == ["a"]
    assert told.failures["b"]["message"] == "nothing to look at"
    assert told.failures["b"]["loc"] == ["learners", "b"]
