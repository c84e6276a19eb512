"""Learners that differ in one parameter say together what each says by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.problems import PROBLEMS, problem
from thetahat.data import Data
from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.learners.least_squares import LeastSquares
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Loss
from thetahat.losses.squared import Squared
from thetahat.losses.zero_one import ZeroOne
from thetahat.resampling import SplitOutcome, path_over, rows_of, run_path, run_splits
from thetahat.schemes import SCHEMES

SPLITS: Final[dict[str, dict[str, Any]]] = {
    "k_fold": {"n_folds": 5},
    "leave_one_out": {},
    "leave_one_source_out": {},
    "bootstrap": {"n_resamples": 2},
}
GRIDS: Final[dict[str, dict[str, Learner]]] = {
    "ridge": {f"r{at}": Ridge(penalty=10.0**at) for at in range(-9, 5, 2)},
    "ridge without an intercept": {
        f"r{at}": Ridge(penalty=10.0**at, intercept=False) for at in (-1, 1)
    },
    "neighbours": {f"k{k}": NearestNeighbours(k=k) for k in (1, 3, 4, 8, 30)},
    "near neighbours": {f"k{k}": NearestNeighbours(k=k, votes="distance") for k in (9, 2, 50)},
}


def done_together(
    learners: Mapping[str, Learner], data: Data, scheme: str, *, as_list: bool = False
) -> dict[str, Sequence[SplitOutcome] | EvaluationError]:
    found: dict[str, Sequence[SplitOutcome] | EvaluationError] = {}
    for group in path_over(learners):
        splits: Any = SCHEMES[scheme](**SPLITS[scheme]).splits(rows_of(data), 3)
        splits = list(splits) if as_list else splits
        found |= run_path(group, data, splits, loss_of(data), 0, keep_predictions=True)
    return found


def loss_of(data: Data) -> Loss:
    return ZeroOne() if data.n_classes else Squared()


def alone(
    name: str, learner: Learner, data: Data, scheme: str
) -> Sequence[SplitOutcome] | EvaluationError:
    splits = SCHEMES[scheme](**SPLITS[scheme]).splits(rows_of(data), 3)
    try:
        return run_splits(name, learner, data, splits, loss_of(data), 0, keep_predictions=True)
    except EvaluationError as error:
        return error


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("grid", GRIDS)
def test_naive_each_by_itself_says_the_same(grid: str, name: str) -> None:
    learners = GRIDS[grid]
    data = problem(name, min(next(iter(learners.values())).tasks))
    scale = 1.0 if data.n_classes else float(np.std(data.y))
    for scheme in SPLITS:
        together = done_together(learners, data, scheme)

        assert list(together) == list(learners)
        for key, learner in learners.items():
            said, wanted = together[key], alone(key, learner, data, scheme)
            if isinstance(wanted, EvaluationError):
                assert isinstance(said, EvaluationError)
                assert said.message == wanted.message
                continue
            assert not isinstance(said, EvaluationError)
            for one, other in zip(said, wanted, strict=True):
                same(one, other, scale)


def same(one: SplitOutcome, other: SplitOutcome, scale: float) -> None:
    for name in ("repeat", "block", "label", "n_train", "test", "cautions"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.output is not None
    assert other.output is not None
    if one.probabilities is None or other.probabilities is None:
        assert_allclose(one.output, other.output, rtol=1e-8, atol=1e-8 * scale)
    else:
        assert_array_equal(one.output, other.output)
        assert_allclose(one.probabilities, other.probabilities, rtol=1e-8, atol=1e-8)


def test_golden_who_is_in_a_group() -> None:
    learners: dict[str, Learner] = {
        "a": Ridge(penalty=1),
        "b": LeastSquares(),
        "c": Ridge(penalty=2, intercept=False),
        "d": Ridge(penalty=3),
        "e": Ridge(penalty=4, intercept=False),
        "f": LeastSquares(intercept=False),
    }

    groups = path_over(learners)

    assert [group.names for group in groups] == [("a", "d"), ("b",), ("c", "e"), ("f",)]
    assert groups[0].values == (1, 3)
    assert [group.parameter for group in groups] == ["penalty", None, "penalty", None]
