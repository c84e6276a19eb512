from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics.f1 import F1

README_TRUTH = [0, 1, 2, 2, 2, 1, 1, 1, 0, 2, 2, 1, 0, 2, 2, 1, 2, 2, 1, 1]
README_SAID = [0, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 1, 0, 1, 2, 1, 2, 2, 1, 1]
README = "README of the Python package confidenceinterval, classification report"


@pytest.mark.outside("scikit-learn 1.7, documented example of f1_score")
def test_golden_documented_example() -> None:
    judged = labelled([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], 3)

    assert round(F1(average="macro").statistic(judged).value(), 2) == 0.27
    assert round(F1(average="micro").statistic(judged).value(), 2) == 0.33
    assert round(F1(average="weighted").statistic(judged).value(), 2) == 0.27
    each = [F1(positive=c).statistic(judged).value() for c in range(3)]
    assert_allclose(each, [0.8, 0, 0])


@pytest.mark.outside(README)
def test_golden_classification_report() -> None:
    # vector classification_report_ci
    judged = labelled(README_TRUTH, README_SAID, 3)
    metrics = [*(F1(positive=c) for c in range(3)), F1(average="micro"), F1(average="macro")]

    values = [metric.statistic(judged).value() for metric in metrics]

    # its binary intervals, (0.408, 1.092), (0.796, 1.086) and (0.562, 1.038), have these centres
    assert_allclose(values, [0.75, 0.941, 0.8, 0.85, 0.83], atol=6e-4)


@pytest.mark.outside(README)
def test_golden_interval_of_micro_f1() -> None:
    # vector classification_report_ci
    statistic = F1(average="micro").statistic(labelled(README_TRUTH, README_SAID, 3))

    reach = 1.959964 * math.sqrt((statistic.influence() ** 2).mean() / 20)

    assert_allclose([0.85 - reach, 0.85 + reach], [0.694, 1.006], atol=6e-4)


def test_exact_binary_variance_is_that_of_a_share() -> None:
    """F = 2J/(1 + J), with J the share of TP among the rows that are not true negatives."""
    judged = labelled(README_TRUTH, README_SAID, 3)
    # class 0: TP 3, FP 2, FN 0
    share, rows = 3 / 5, 5
    influence = F1(positive=0).statistic(judged).influence()

    assert_allclose(
        (influence**2).mean() / 20,
        (2 / (1 + share) ** 2) ** 2 * share * (1 - share) / rows,
        rtol=1e-12,
    )


def test_naive_macro_variance_is_the_delta_method_over_the_table() -> None:
    """g' (diag(p) - p p') g / n, with the outer product that confidenceinterval leaves out."""
    truth, labels = np.array(README_TRUTH), np.array(README_SAID)
    judged = labelled(truth, labels, 3)
    p = np.bincount(3 * truth + labels, minlength=9) / 20

    def macro_f1(cells: np.ndarray) -> float:
        t = cells.reshape(3, 3)
        return float(np.mean([2 * t[c, c] / (t[c].sum() + t[:, c].sum()) for c in range(3)]))

    step = 1e-6
    slopes = np.array(
        [(macro_f1(p + step * e) - macro_f1(p - step * e)) / (2 * step) for e in np.eye(9)]
    )
    delta = slopes @ (np.diag(p) - np.outer(p, p)) @ slopes / 20

    variance = (F1(average="macro").statistic(judged).influence() ** 2).mean() / 20
    assert_allclose(variance, delta, rtol=1e-7)
    assert 1.959964 * math.sqrt(variance) < 0.18  # its README has (1.113 - 0.548) / 2


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_f1_score(seed: int, n_classes: int) -> None:
    from sklearn.metrics import f1_score

    judged = draw_judged("f1", seed, n_classes=n_classes)
    for average in ("macro", "micro", "weighted"):
        value = F1(average=average).statistic(judged).value()
        assert_allclose(value, f1_score(judged.truth, judged.output, average=average))
    each = f1_score(judged.truth, judged.output, average=None)
    assert_allclose([F1(positive=c).statistic(judged).value() for c in range(n_classes)], each)


def test_degenerate_classes_that_do_not_occur() -> None:
    judged = labelled([0, 0, 1], [0, 1, 1], 3)

    assert np.isnan(F1(positive=2).statistic(judged).value())
    assert_allclose(F1(average="macro").statistic(judged).value(), 2 / 3)
    assert_allclose(F1(average="weighted").statistic(judged).value(), 2 / 3)
    assert np.isfinite(F1(average="macro").statistic(judged).influence()).all()
    assert F1().strata(judged) is None


def test_invalid_parameters() -> None:
    with pytest.raises(InvalidParameter, match="average"):
        F1(average="samples")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="positive is for average binary"):
        F1(average="macro", positive=1)
    with pytest.raises(UnsupportedCombination, match=r"3 classes\. Name it as positive"):
        F1().check((0, 1, 2))
    F1(average="micro").check((0, 1, 2))
