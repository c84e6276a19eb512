"""Cross-validation in the order of time has Newey and West's interval for the trained models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import thetahat
from thetahat.errors import UnsupportedCombination
from thetahat.paired_tests.diebold_mariano import DieboldMariano
from thetahat.values.types import FloatArray, Target

N, K = 72, 5
MODELS, SOURCES = Target.THESE_MODELS, Target.THESE_SOURCES


def draw_rows() -> tuple[FloatArray, FloatArray]:
    """Return features and targets of days, with errors that depend on those of the day before."""
    rng = np.random.default_rng(36)
    x, noise = rng.standard_normal((N, 2)), rng.standard_normal(N)
    for day in range(1, N):
        noise[day] += 0.6 * noise[day - 1]
    return x, x @ [0.7, 0.3] + noise


def evaluate(time: Any, rows: Any = slice(None), **options: Any) -> Any:
    x, y = draw_rows()
    learners = {"least_squares": "least_squares", "mean": "mean"}
    return thetahat.cross_validate(
        x[rows], y[rows], learners, time=time, scheme="time_series", loss="squared", **options
    )


def compute_plainly(values: FloatArray) -> tuple[float, float]:
    """Return estimate and half length of level 95 %, from the matrix of the weights."""
    n = len(values)
    reach = int(np.ceil(1.3 * n**0.5))
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    weights = np.maximum(0, 1 - distance / reach)
    centre = np.eye(n) - 1 / n
    a = centre @ weights @ centre
    variance = values @ a @ values / np.trace(a) / n
    degrees = np.trace(a) ** 2 / np.trace(a @ a)
    return float(values.mean()), float(stats.t.ppf(0.975, degrees) * variance**0.5)


def list_losses(n_weights: int) -> FloatArray:
    """Return the squared errors of the five blocks in order, by least squares on earlier days."""
    x, y = draw_rows()
    x = np.column_stack([np.ones(N), x])[:, :n_weights]
    size = N // (K + 1)
    losses = []
    for start in range(N - K * size, N, size):
        weights = np.linalg.lstsq(x[:start], y[:start], rcond=None)[0]
        losses.append((y - x @ weights)[start : start + size] ** 2)
    return np.concatenate(losses)


@pytest.mark.parametrize("start", [0, np.datetime64("2026-01-01")])
def test_naive_models_and_difference_by_the_losses_in_the_order_of_time(start: Any) -> None:
    order = np.random.default_rng(1).permutation(N)
    result = evaluate(start + order, order)
    of_both, of_mean = list_losses(3), list_losses(1)

    difference = result.comparisons[0]
    sign = 1 if difference.a == "least_squares" else -1
    found = (
        (result.models["least_squares"].recommended[MODELS], of_both),
        (result.models["mean"].recommended[MODELS], of_mean),
        (difference.recommended[MODELS], sign * (of_both - of_mean)),
    )
    for interval, losses in found:
        estimate, reach = compute_plainly(losses)
        assert (interval.method, interval.variance) == ("student_t", "newey_west_small_sample")
        assert interval.estimate == pytest.approx(estimate)
        assert interval.lower == pytest.approx(estimate - reach)
        assert interval.upper == pytest.approx(estimate + reach)
    assert difference.recommended[SOURCES].variance == "nadeau_bengio_calibrated"
    assert difference.verdict.target is SOURCES


def test_exact_the_losses_alone_have_the_same_interval_and_verdict() -> None:
    of_both, of_mean = list_losses(3), list_losses(1)
    options: dict[str, Any] = {"target": "these_models", "margin": 0.5}
    n = len(of_both)
    block = np.repeat(np.arange(K), n // K)
    sent = thetahat.evaluate(
        {"least_squares": of_both, "mean": of_mean},
        blocks="subsamples",
        block=block,
        instance=np.arange(n),
        time=np.arange(n),
        n_train={k: 12.0 * (k + 1) for k in range(K)},
        **options,
    )
    fitted = evaluate(np.arange(N), **options)

    of_losses: Any = sent.comparisons[0]
    of_fits: Any = fitted.comparisons[0]
    assert of_losses.verdict.variance == "newey_west_small_sample"
    assert of_losses.verdict.decision is of_fits.verdict.decision
    assert of_losses.verdict.p_value == pytest.approx(of_fits.verdict.p_value)
    assert of_losses.recommended[SOURCES].upper == pytest.approx(of_fits.recommended[SOURCES].upper)


def test_naive_diebold_mariano_of_horizon_2() -> None:
    result = evaluate(np.arange(N), tests=[DieboldMariano(horizon=2)])
    d = list_losses(3) - list_losses(1)
    n, c = len(d), d - d.mean()
    variance = (c @ c + 2 * c[1:] @ c[:-1]) / n
    statistic = ((n - 3 + 2 / n) / n) ** 0.5 * d.mean() / (variance / n) ** 0.5

    pair = result.comparisons[0]
    sign = 1 if pair.a == "least_squares" else -1
    assert pair.tests["diebold_mariano"].statistic == pytest.approx(sign * statistic)


@pytest.mark.parametrize("options", [{"cluster": np.arange(N) // 3}, {"time": np.arange(N) // 12}])
def test_exact_clusters_or_fewer_than_ten_times_leave_it_out(options: dict[str, Any]) -> None:
    result = evaluate(**{"time": np.arange(N), **options})

    assert MODELS not in result.comparisons[0].recommended
    assert result.comparisons[0].recommended[SOURCES].variance == "nadeau_bengio_calibrated"


def test_exact_the_win_rate_and_metrics_say_what_time_takes_from_them() -> None:
    result = evaluate(np.arange(N), metrics=["r2"])

    assert result.comparisons[0].wins.lower is None
    assert "order of time" in result.comparisons[0].wins.sentence
    (caution,) = [each for each in result.cautions if each.code == "order_of_time"]
    assert "newey_west_small_sample" in (caution.advice or "")


def test_refuses_times_of_test_parts_that_overlap() -> None:
    with pytest.raises(UnsupportedCombination, match="test each instance once") as refused:
        thetahat.evaluate(
            {"m": np.arange(12.0)},
            blocks="subsamples",
            block=np.repeat([0, 1, 2], 4),
            instance=np.tile(np.arange(6), 2),
            time=np.arange(12),
            n_train=8,
        )
    assert refused.value.loc == ("time",)
