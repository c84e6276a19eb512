from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from thetahat.analyses.selection.external_choices import (
    CandidateErrors,
    ExternalChoices,
    choose_in_each_split,
)
from thetahat.analyses.selection.internal_estimates import InternalEstimate, estimate_from_losses
from thetahat.analyses.selection.nested_splits import derive_internal_seed, split_training_part
from thetahat.cross_validation import build_rows, run_splits
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses import LOSSES
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import Data, build_data
from thetahat.values.json_values import to_json


def selected(data: Data, learners: Mapping[str, Learner], seed: int) -> ExternalChoices:
    """Three external folds, three internal ones."""
    rows, loss, scheme = build_rows(data), LOSSES["zero_one"](), KFold(n_folds=3)
    candidates = {}
    for name, learner in learners.items():
        external, internal = [], []
        for split in scheme.splits(rows, seed):
            inner = split_training_part(scheme, rows, split, seed)
            inside = run_splits(name, learner, data, inner, loss, derive_internal_seed(seed, split))
            internal.append(estimate_from_losses([outcome.losses for outcome in inside]))
            (outcome,) = run_splits(name, learner, data, [split], loss, seed)
            external.append(outcome.losses.mean())
        candidates[name] = CandidateErrors(external=np.array(external), internal=internal)
    return choose_in_each_split(candidates, "least")


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
        data = build_data(columns, rng.integers(0, 2, size=30), "classification")
        selection = selected(data, learners, i)
        internal[i] = selection.internal.mean()
        external[i] = selection.external.mean()

    error = external.std(ddof=1) / np.sqrt(n_sets)
    assert abs(external.mean() - 0.5) < 4 * error  # z = 4
    assert internal.mean() < 0.5 - 10 * internal.std(ddof=1) / np.sqrt(n_sets)


def _of(external: list[float], *internal: float) -> CandidateErrors:
    estimates = [InternalEstimate(means=np.array([mean]), within=np.nan) for mean in internal]
    return CandidateErrors(external=np.array(external), internal=estimates)


def test_by_hand_the_parts_of_the_gap_where_some_splits_have_no_value() -> None:
    # a metric, higher is better: a wins the first and the last split, b the second
    choice = choose_in_each_split(
        {"a": _of([0.7, 0.6, np.nan], 0.9, 0.5, 0.8), "b": _of([0.5, 0.5, 0.6], 0.6, 0.7, 0.7)},
        "least",
        higher_is_better=True,
    )

    assert choice.count_wins() == {"a": 2, "b": 1}
    # the chosen: .7 - .9 and .5 - .7, and no value in the last split
    assert choice.compute_mean_gap() == pytest.approx(-0.2)
    # a as given: -.2 and .1, b: -.1, -.2, -.1; as often as they were chosen
    without = -0.05 * 2 / 3 - 0.4 / 3 / 3
    assert choice.divide_gap() == pytest.approx((without, -0.2 - without))
    listed = choice.describe([]).candidates["a"]
    assert to_json(listed)["external"] == [0.7, 0.6, None]
    shortened = choice.describe([], lists_candidates=False).candidates["a"]
    assert to_json(shortened) == {"wins": 2, "internal": None, "external": None}


def test_degenerate_without_values_outside_there_is_no_gap() -> None:
    nan = float("nan")
    single = choose_in_each_split({"a": _of([nan, nan], 1.0, 2.0)}, "least")
    assert single.compute_mean_gap() is None
    assert single.divide_gap() is None
    # a wins the first split alone, where it has no value, and has none elsewhere either
    two = {"a": _of([nan, nan], 1.0, 2.0), "b": _of([1.0, 1.0], 2.0, 1.0)}
    choice = choose_in_each_split(two, "least")
    assert choice.compute_mean_gap() == pytest.approx(0)
    assert choice.divide_gap() is None
