from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.naive.importance_selection import plain_selection
from thetahat.analyses.importance_weighting.risk_curves import find_smallest_risk
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted
from thetahat_replications.batches import Problems, select, selection
from thetahat_replications.batches.coefficients import (
    LossCoefficients,
    control_by_fold,
    control_over_all,
    weight_losses,
)

METHODS: dict[str, RiskEstimator] = {
    "weighted": Weighted(),
    "controlled": Controlled(),
    "fold": Controlled(beta_from="fold"),
}
RISKS: dict[str, LossCoefficients] = {
    "weighted": weight_losses,
    "controlled": control_over_all,
    "fold": control_by_fold,
}
PENALTIES = np.logspace(-3, 6, 31)
FOLDS = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 0, 1, 2, 2, 0, 1, 2])


def problems(
    count: int = 7, p: int = 2, *, seed: int = 1, fold: FloatArray | None = None
) -> Problems:
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(count, 16, p)), rng.normal(size=(count, 30, p)) + 0.5
    return Problems(
        X=X,
        y=np.sign(rng.normal(size=(count, 16)) + X[..., 0]),
        weights=rng.gamma(0.8, size=(count, 16)),
        fold=np.tile(FOLDS, (count, 1)) if fold is None else np.asarray(fold, dtype=np.intp),
        target=Z,
        target_y=np.sign(rng.normal(size=(count, 30)) + Z[..., 0]),
    )


def test_by_hand_two_rows() -> None:
    problem = Problems(
        X=np.array([[[1.0], [2.0]]]),
        y=np.ones((1, 2)),
        weights=np.ones((1, 2)),
        fold=np.array([[0, 1]]),
        target=np.ones((1, 1, 1)),
        target_y=-np.ones((1, 1)),
    )

    selected = select(problem, np.array([1.0, 6.0]), {"weighted": weight_losses})

    # learnt from row 2: 2 / (4 + 1) = .4 and 2 / 10 = .2; from row 1: 1 / 2 and 1 / 7
    # losses .36 and .64; 0 and (5 / 7)^2
    assert_allclose(selected.curves["weighted"], [[0.18, 0.5 * (0.64 + 25 / 49)]], rtol=1e-14)
    # from both: 3 / 6 = .5 and 3 / 11; at the target 1.5^2 and (14 / 11)^2
    assert_allclose(selected.target_curve, [[2.25, 196 / 121]], rtol=1e-14)
    # the folds' fits there: (1.4^2 + 1.5^2) / 2 and (1.2^2 + (8 / 7)^2) / 2
    assert_allclose(selected.curves["target"], [[2.105, 0.5 * (1.44 + 64 / 49)]], rtol=1e-14)
    assert_array_equal(selected.places["weighted"], [0])
    assert_array_equal(selected.places["target"], [1])
    assert_allclose(selected.target_risks["target"], [196 / 121], rtol=1e-14)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_naive_the_plain_loops(p: int) -> None:
    batch = problems(p=p)

    selected = select(batch, PENALTIES, RISKS)

    assert not selected.from_rows.any()
    for r in range(len(batch.X)):
        X, y, w = batch.X[r], batch.y[r], batch.weights[r]
        plain = plain_selection(X, y, w, PENALTIES, FOLDS, METHODS)
        for name, estimates in plain.risks.items():
            curve = np.array([estimate.estimate for estimate in estimates])
            assert_allclose(selected.curves[name][r], curve, rtol=0, atol=1e-12)
            assert selected.places[name][r] == plain.selected[name]


def test_naive_risks_on_the_target() -> None:
    batch = problems()

    selected = select(batch, PENALTIES, RISKS)

    for r in range(len(batch.X)):
        X, y, w = batch.X[r], batch.y[r], batch.weights[r]
        Z, u = batch.target[r], batch.target_y[r]
        per_fold = []
        for k in range(4):
            train = k != FOLDS
            products, right = X[train].T * w[train] @ X[train], X[train].T @ (w * y)[train]
            thetas = [Z @ np.linalg.solve(products + lam * np.eye(2), right) for lam in PENALTIES]
            per_fold.append(((np.stack(thetas, axis=1) - u[:, None]) ** 2).mean(axis=0))
        assert_allclose(selected.curves["target"][r], np.mean(per_fold[:3], axis=0), atol=1e-12)
        assert_allclose(selected.target_curve[r], per_fold[3], atol=1e-12)
        for name in (*RISKS, "target"):
            place = find_smallest_risk(selected.curves[name][r], PENALTIES)
            assert selected.places[name][r] == place
            assert selected.target_risks[name][r] == selected.target_curve[r, place]


@pytest.mark.parametrize("kind", ["apart", "one", "equal", "two", "zeros"])
def test_exact_coefficients_are_those_of_the_risks(kind: str) -> None:
    rng = np.random.default_rng(2)
    weights = {
        "apart": rng.gamma(0.5, size=16),
        "one": np.ones(16),
        "equal": np.full(16, 0.1) * 3,
        "two": np.where(np.arange(16) % 3, 0.5, 4.0),
        "zeros": np.where(np.arange(16) < 9, 0.0, rng.gamma(1, size=16)),
    }[kind]
    losses = rng.gamma(1.0, size=16)
    members = (np.arange(3)[:, None] == FOLDS).astype(float)[None]
    for name, method in METHODS.items():
        expected = method.estimate(losses, weights, FOLDS).estimate
        estimate = RISKS[name](weights[None], members)[0] @ losses
        assert_allclose(estimate, expected, rtol=1e-11, err_msg=name)


def test_exact_folds_of_each_data_set() -> None:
    folds, other = FOLDS, (FOLDS + 1) % 3
    both = problems(count=2, fold=np.stack([folds, other]))
    selected = select(both, PENALTIES, RISKS)
    for r, fold in enumerate((folds, other)):
        alone = select(problems(count=2, fold=np.stack([fold, fold])), PENALTIES, RISKS)
        for name in RISKS:
            assert_allclose(selected.curves[name][r], alone.curves[name][r], atol=1e-14)


def test_exact_a_target_that_all_share() -> None:
    batch = problems()
    batch.X[2] = 0
    batch.X[3, :, 1] = batch.X[3, :, 0] = 1e4 * batch.X[3, :, 0]
    batch.target[:] = batch.target[0]
    batch.target_y[:] = batch.target_y[0]
    shared = Problems(
        X=batch.X,
        y=batch.y,
        weights=batch.weights,
        fold=batch.fold,
        target=batch.target[:1],
        target_y=batch.target_y[:1],
    )

    selection_of_shared = select(shared, PENALTIES, RISKS)
    each = select(batch, PENALTIES, RISKS)

    assert_array_equal(np.flatnonzero(selection_of_shared.from_rows), [3])
    assert_allclose(selection_of_shared.curves["target"], each.curves["target"], rtol=1e-13)
    for name in (*RISKS, "target"):
        assert_allclose(selection_of_shared.target_risks[name], each.target_risks[name], rtol=1e-12)


def test_exact_any_cut_gives_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = select(problems(), PENALTIES, RISKS)
    monkeypatch.setattr(selection, "BATCH_NUMBERS", 3 * 3 * 5 * 31)
    monkeypatch.setattr(selection, "MIN_BATCH", 2)
    cut = select(problems(), PENALTIES, RISKS)

    for name in (*RISKS, "target"):
        assert_array_equal(whole.curves[name], cut.curves[name])
        assert_array_equal(whole.target_risks[name], cut.target_risks[name])


def test_degenerate_rows_take_the_place_of_moments() -> None:
    batch = problems()
    batch.X[1] *= 100
    batch.X[1, :, 1] = batch.X[1, :, 0] * (1 + 1e-9)  # dependent columns
    batch.X[2] *= 1e6  # the penalty is nothing beside it
    batch.X[2, :, 1] *= 1e-5
    batch.y[3] = batch.X[3] @ np.array([3.0, -2.0])  # a perfect fit
    batch.X[4] = 0

    selected = select(batch, PENALTIES, RISKS)

    assert_array_equal(np.flatnonzero(selected.from_rows), [1, 2, 3])
    for r in range(7):
        X, y, w = batch.X[r], batch.y[r], batch.weights[r]
        # least squares on rows stacked with the penalty's: no product is formed
        losses = np.empty((16, len(PENALTIES)))
        for k, (j, penalty) in itertools.product(range(3), enumerate(PENALTIES)):
            train, test = k != FOLDS, k == FOLDS
            stacked = np.concatenate(
                [X[train] * np.sqrt(w[train, None]), np.sqrt(penalty) * np.eye(2)]
            )
            right = np.concatenate([y[train] * np.sqrt(w[train]), np.zeros(2)])
            theta = np.linalg.lstsq(stacked, right, rcond=1e-14)[0]
            losses[test, j] = (X[test] @ theta - y[test]) ** 2
        expected = (losses * w[:, None]).mean(axis=0)
        # where the fit is perfect what is left is the rounding of the solution; at 1e6 times the
        # scale the solution has lost six digits of its own
        assert_allclose(selected.curves["weighted"][r], expected, rtol=1e-6, atol=1e-12)


def test_degenerate_training_parts_without_weight() -> None:
    batch = problems(count=2)
    batch.weights[0, FOLDS != 1] = 0
    batch.weights[1] = 0

    selected = select(batch, PENALTIES, RISKS)

    # fold 1 is predicted 0, and the others have no weight
    weighted = (batch.weights[0] * batch.y[0] ** 2).mean()
    assert_allclose(selected.curves["weighted"][0], weighted, rtol=1e-13)
    assert_array_equal(selected.curves["weighted"][1], 0)
    assert_array_equal(selected.places["weighted"], [30, 30])
