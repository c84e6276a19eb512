from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.selection.bias import estimate_bias_of_minimum
from thetahat.analyses.selection.criterion import Criterion
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.selection_rules import choose
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import InsufficientData, LearnerFailed, UnsupportedCombination
from thetahat.metrics import METRICS
from thetahat.metrics.f1 import F1
from thetahat.tables.data import Data, build_data

RNG = np.random.default_rng(20_261_121)
TRUTH = RNG.integers(0, 2, size=40)
SCORES = TRUTH + RNG.normal(size=40)


def data() -> Data:
    return build_data({"x": SCORES}, np.where(TRUTH, "b", "a").tolist(), "classification")


def outcomes(
    parts: Sequence[Sequence[int]], scores: np.ndarray | None = SCORES, *, repeats: int = 1
) -> list[SplitOutcome]:
    outcomes_of_splits = []
    for at, part in enumerate(parts):
        test = np.array(part)
        labels = (SCORES[test] > 0.5).astype(np.intp)
        outcomes_of_splits.append(
            SplitOutcome(
                repeat=at % repeats,
                block=at,
                label=at,
                n_train=40 - len(test),
                test=test,
                losses=(labels != TRUTH[test]).astype(np.float64),
                output=labels,
                scores=None if scores is None else scores[test],
            )
        )
    return outcomes_of_splits


FOUR = [list(range(at, 40, 4)) for at in range(4)]


@pytest.mark.outside("sklearn.metrics.roc_auc_score of each split, averaged as GridSearchCV does")
def test_against_sklearn_areas_are_averaged_over_splits() -> None:
    from sklearn.metrics import roc_auc_score

    areas = [roc_auc_score(TRUTH[part], SCORES[part]) for part in FOUR]
    estimate = Criterion(METRICS["roc_auc"]()).estimate_internal(outcomes(FOUR), data(), "x")

    assert_allclose(estimate.means, areas, rtol=1e-12)
    assert_allclose(estimate.mean, np.mean(areas), rtol=1e-12)
    assert estimate.standard_error == pytest.approx(np.std(areas, ddof=1) / 2, rel=1e-12)
    assert estimate.pooled is None


@pytest.mark.outside("sklearn.metrics.f1_score of all splits' rows together")
def test_against_sklearn_f1_is_that_of_all_rows() -> None:
    from sklearn.metrics import f1_score

    labels = SCORES > 0.5
    criterion = Criterion(F1(positive="b"))
    estimate = criterion.estimate_internal(outcomes(FOUR), data(), "x")

    assert_allclose(estimate.mean, f1_score(TRUTH, labels), rtol=1e-12)
    assert_allclose(
        estimate.means, [f1_score(TRUTH[part], labels[part]) for part in FOUR], rtol=1e-12
    )
    twice = criterion.estimate_internal(outcomes([*FOUR, *FOUR], repeats=2), data(), "x")
    halves = [[i for part in FOUR[at::2] for i in part] for at in (0, 1)]
    each = np.mean([f1_score(TRUTH[half], labels[half]) for half in halves])
    assert_allclose(twice.mean, each, rtol=1e-12)


def test_naive_the_pooled_error_is_that_of_the_splits_sums_of_influence() -> None:
    metric = F1(positive="b")
    estimate = Criterion(metric).estimate_internal(outcomes(FOUR), data(), "x")
    eps, whole = 1e-6, [i for part in FOUR for i in part]
    labels = SCORES[whole] > 0.5

    def f1(weights: np.ndarray) -> float:
        truth = TRUTH[whole] == 1
        return float(
            2 * weights[truth & labels].sum() / (weights[truth].sum() + weights[labels].sum())
        )

    ones = np.ones(40)
    influence = np.array([(f1(ones + eps * row) - f1(ones)) / eps for row in np.eye(40)])
    sums = influence.reshape(4, 10).sum(axis=1)  # by row's weight, and not by its share
    # derivatives by forward differences: half of their digits
    assert estimate.standard_error == pytest.approx(np.sqrt(4 / 3 * (sums**2).sum()), rel=1e-4)


def test_exact_the_mean_loss_is_what_it_was() -> None:
    criterion = Criterion()
    loss_outcomes = outcomes(FOUR)
    estimate = criterion.estimate_internal(loss_outcomes, data(), "x")

    assert_allclose(
        estimate.means, [split_outcome.losses.mean() for split_outcome in loss_outcomes]
    )
    assert criterion.compute_by_split(loss_outcomes, data(), "x")[0] == estimate.means.tolist()
    assert (criterion.higher_is_better, criterion.is_pooled) == (False, False)
    assert not criterion.needs_predictions


def test_limit_one_split_has_the_error_of_its_rows() -> None:
    single = outcomes([range(40)])
    area = Criterion(METRICS["roc_auc"]()).estimate_internal(single, data(), "x")
    f1 = Criterion(F1(positive="b")).estimate_internal(single, data(), "x")

    assert area.standard_error == pytest.approx(np.sqrt(area.within))
    assert f1.standard_error == pytest.approx(np.sqrt(f1.within))
    assert 0.01 < area.within**0.5 < 0.2


def test_degenerate_splits_without_a_value_are_left_out() -> None:
    of_one_class = np.flatnonzero(TRUTH == 1)[:3].tolist()
    parts = [of_one_class, *FOUR]
    estimate = Criterion(METRICS["roc_auc"]()).estimate_internal(outcomes(parts), data(), "x")

    assert np.isnan(estimate.means[0])
    assert estimate.mean == pytest.approx(estimate.means[1:].mean())
    assert estimate_bias_of_minimum({"x": estimate}, "x") is None
    alone = Criterion(METRICS["roc_auc"]())
    with pytest.raises(InsufficientData, match="roc_auc has no value in any internal split"):
        alone.estimate_internal(outcomes([of_one_class]), data(), "x")
    assert alone.compute_by_split(outcomes([of_one_class[:1]]), data(), "x")[1] != 0
    said_no = [i for i in range(40) if TRUTH[i] == 0 and SCORES[i] <= 0.5][:4]
    with pytest.raises(InsufficientData, match="f1 has no value"):
        Criterion(F1(positive="b")).estimate_internal(outcomes([said_no]), data(), "x")


def test_invalid_scores_that_are_not_there_or_no_numbers() -> None:
    area = Criterion(METRICS["roc_auc"]())
    with pytest.raises(UnsupportedCombination, match="learner 'x' returned none"):
        area.estimate_internal(outcomes(FOUR, None), data(), "x")
    broken = np.where(np.arange(40) == 3, np.nan, SCORES)
    with pytest.raises(LearnerFailed, match="not numbers"):
        area.estimate_internal(outcomes(FOUR, broken), data(), "x")


def test_by_hand_the_largest_of_a_metric_is_chosen() -> None:
    def of(*means: float) -> InternalEstimate:
        return InternalEstimate(means=np.array(means), within=np.nan)

    estimates = {"a": of(0.6, 0.8), "b": of(0.9, 0.7), "c": of(0.8, 0.8)}
    chosen = choose(estimates, higher_is_better=True)
    assert (chosen.name, chosen.tied) == ("b", ("c",))
    # the best of each split: .9 and .8, against .9 and .7 of the chosen
    bias = estimate_bias_of_minimum(estimates, "b", higher_is_better=True)
    assert bias == pytest.approx(0.05)
    # .8 - .1 reaches down to .7
    assert choose(estimates, "one_standard_error", higher_is_better=True).name == "a"
    pooled = {"a": InternalEstimate(means=np.array([0.1, 0.2]), within=0.1, pooled=(0.3, np.nan))}
    assert estimate_bias_of_minimum(pooled, "a") is None
    assert pooled["a"].standard_error is None
    nothing = InternalEstimate(means=np.array([np.nan]), within=np.nan)
    assert np.isnan(nothing.mean)
