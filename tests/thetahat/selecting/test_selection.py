from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thetahat.data import Data, data_of
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses import LOSSES
from thetahat.resampling import rows_of, run_splits
from thetahat.schemes.k_fold import KFold
from thetahat.selecting import (
    Candidate,
    External,
    internal_estimate,
    internal_seed,
    internal_splits,
    select_in_each,
)


def selected(data: Data, learners: Mapping[str, Learner], seed: int) -> External:
    """Three external folds, three internal ones."""
    rows, loss, scheme = rows_of(data), LOSSES["zero_one"](), KFold(n_folds=3)
    candidates = {}
    for name, learner in learners.items():
        external, internal = [], []
        for split in scheme.splits(rows, seed):
            inner = internal_splits(scheme, rows, split, seed)
            inside = run_splits(name, learner, data, inner, loss, internal_seed(seed, split))
            internal.append(internal_estimate([outcome.losses for outcome in inside]))
            (outcome,) = run_splits(name, learner, data, [split], loss, seed)
            external.append(outcome.losses.mean())
        candidates[name] = Candidate(external=np.array(external), internal=internal)
    return select_in_each(candidates, "least")


def test_calibrated_the_internal_minimum_is_too_small_and_the_external_error_is_not() -> None:
    """Labels are fair coins, so that every classifier's error is one half, whatever is chosen."""
    rng, n_sets = np.random.default_rng(20_261_121), 60
    learners: dict[str, Learner] = {
        **{f"nearest_{k}": NearestNeighbours(k=k) for k in (1, 3, 5, 7)},
        "bayes": LEARNERS["gaussian_naive_bayes"](),
        "mean": LEARNERS["nearest_mean"](),
    }
    internal, external = np.empty(n_sets), np.empty(n_sets)
    for i in range(n_sets):
        X = rng.standard_normal((30, 6))
        columns = {f"x{j}": X[:, j] for j in range(6)}
        data = data_of(columns, rng.integers(0, 2, size=30), "classification")
        found = selected(data, learners, i)
        internal[i] = found.internal.mean()
        external[i] = found.external.mean()

    error = external.std(ddof=1) / np.sqrt(n_sets)
    assert abs(external.mean() - 0.5) < 4 * error  # z = 4
    assert internal.mean() < 0.5 - 10 * internal.std(ddof=1) / np.sqrt(n_sets)
