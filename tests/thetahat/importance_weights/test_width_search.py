from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SMALL, rng, shifted
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights import Samples, _width_search
from thetahat.importance_weights._width_search import (
    WidthChoice,
    list_candidate_widths,
    search_by_least_squares,
    search_by_likelihood,
)
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.importance_weights.kliep import Kliep
from thetahat.importance_weights.rulsif import Rulsif
from thetahat.importance_weights.ulsif import Ulsif

WIDTHS: tuple[float | WidthChoice, ...] = (0.08, "cross_validation")


def kernel(a: np.ndarray, b: np.ndarray, s: float) -> np.ndarray:
    return np.asarray(np.exp(-((a[:, None] - b) ** 2).sum(axis=-1) / (2 * s**2)))


def left_out_error(samples: Samples, width: float, penalty: float, share: float) -> float:
    """Fit anew without each pair."""
    errors = []
    centres = samples.target
    for i in range(min(samples.n, samples.m)):
        A = kernel(np.delete(samples.source, i, axis=0), centres, width)
        B = kernel(np.delete(samples.target, i, axis=0), centres, width)
        H = share * B.T @ B / len(B) + (1 - share) * A.T @ A / len(A)
        alpha = np.linalg.solve(H + penalty * np.eye(len(centres)), B.mean(axis=0))
        alpha = np.maximum(alpha, 0)
        at_x = float((kernel(samples.source[i : i + 1], centres, width) @ alpha)[0])
        at_z = float((kernel(samples.target[i : i + 1], centres, width) @ alpha)[0])
        errors.append(share / 2 * at_z**2 + (1 - share) / 2 * at_x**2 - at_z)
    return float(np.mean(errors))


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("sizes", [(12, 9), (7, 15)])
@pytest.mark.about("importance_weights/ulsif", "importance_weights/rulsif")
def test_naive_pairs_left_out_one_by_one(share: float, sizes: tuple[int, int]) -> None:
    samples = shifted(*sizes)
    search = search_by_least_squares(samples, samples.target, [0.4, 1.3], [0.02, 0.5], share)

    expected = {
        (w, p): left_out_error(samples, w, p, share) for w in (0.4, 1.3) for p in (0.02, 0.5)
    }
    for width, penalty, score in search.scores:
        assert score is not None
        assert_allclose(-score, expected[width, penalty], rtol=1e-9)
    assert (search.width, search.penalty) == min(expected, key=lambda key: expected[key])


@pytest.mark.parametrize("mode", ["optimum", "early_stopped"])
@pytest.mark.about("importance_weights/kliep")
def test_naive_target_rows_left_out(mode: str) -> None:
    samples = shifted(15, 12)
    method = Kliep(mode=mode, width="cross_validation")  # type: ignore[arg-type]
    estimate = method.estimate(samples, rng())

    part = rng().permutation(12) % 5
    scores = {}
    for width in list_candidate_widths(samples, rng()):
        total = 0.0
        for k in range(5):
            inside, out = samples.target[part != k], samples.target[part == k]
            # the kernels' centres stay, also those that are left out
            logs = _coefficients(mode, samples, inside, width)
            with np.errstate(divide="ignore"):
                total += np.log(kernel(out, samples.target, width) @ np.exp(logs)).mean() / 5
        scores[width] = total if math.isfinite(total) else None
    for candidate in estimate.details["searched"]:
        expected = scores[candidate["width"]]
        if expected is None:
            assert candidate["score"] is None
        else:
            assert_allclose(candidate["score"], expected, rtol=1e-6)
    known = {w: s for w, s in scores.items() if s is not None}
    assert estimate.details["width"] == max(known, key=lambda w: known[w])


def _coefficients(mode: str, samples: Samples, inside: np.ndarray, width: float) -> np.ndarray:
    from thetahat.importance_weights import kliep

    logs = [np.log(kernel(rows, samples.target, width)) for rows in (samples.source, inside)]
    solve = kliep._solve_optimum if mode == "optimum" else kliep._stop_early
    try:
        return solve(*logs)[2]
    except InsufficientData:
        return np.full(samples.m, -np.inf)


@pytest.mark.about("importance_weights/ulsif", "importance_weights/rulsif")
def test_exact_parameters_that_are_searched_and_those_of_the_request() -> None:
    samples = shifted(20, 25)
    both = Ulsif(width="cross_validation", penalty="cross_validation").estimate(samples, rng())
    level = Rulsif(width=0.7, penalty="cross_validation").estimate(samples, rng())
    width = Rulsif(width="cross_validation", penalty=0.2).estimate(samples, rng())

    assert len(both.details["searched"]) == 90
    assert level.details["width"] == 0.7
    assert len(level.details["searched"]) == 9
    assert width.details["penalty"] == 0.2
    assert len(width.details["searched"]) == 10
    for weights, kind in ((both, Ulsif), (level, Rulsif), (width, Rulsif)):
        chosen = {name: weights.details[name] for name in ("width", "penalty")}
        again = kind(**chosen).estimate(samples, rng())
        assert_allclose(again.values, weights.values, rtol=1e-12)
        best = max(candidate["score"] for candidate in weights.details["searched"])
        assert chosen in [
            {"width": candidate["width"], "penalty": candidate["penalty"]}
            for candidate in weights.details["searched"]
            if candidate["score"] == best
        ]


@pytest.mark.calibration
@pytest.mark.about("importance_weights/ulsif")
def test_calibrated_a_searched_width_is_nearer_than_one_too_narrow() -> None:
    """Squared error against the true ratio, over 12 samples: paired means apart by 4 errors."""
    apart = []
    for seed in range(12):
        samples = shifted(100, 100, seed=seed, scale=1.0)
        truth = np.exp(samples.source[:, 0] + 0.5)
        errors = [
            float(((Ulsif(width=w).estimate(samples, rng()).values - truth) ** 2).mean())
            for w in WIDTHS
        ]
        apart.append(errors[0] - errors[1])
    assert np.mean(apart) > 4 * np.std(apart, ddof=1) / math.sqrt(12)


@pytest.mark.about("importance_weights/kliep", "importance_weights/ulsif")
def test_degenerate_searches_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InsufficientData, match="needs two target rows"):
        Kliep(width="cross_validation").estimate(Samples(SMALL.source, SMALL.target[:1]), rng())
    with pytest.raises(InsufficientData, match="No candidate width"):
        search_by_likelihood(SMALL, SMALL.target, lambda x, _: np.full(x.shape[1], -np.inf), rng())
    candidate = Samples(SMALL.source, SMALL.target[:1])
    with pytest.raises(InsufficientData, match="No candidate width"):
        search_by_least_squares(candidate, candidate.target, [1.0], [0.1], 0.0)
    same = Samples(np.zeros((6, 1)), np.zeros((6, 1)))
    with pytest.raises(InsufficientData, match="No candidate width"):
        search_by_least_squares(same, same.target, [1.0], [0.0], 0.0)
    monkeypatch.setattr(_width_search, "SHARES", (1e-9, 1.0))
    narrow = Kliep(mode="early_stopped", width="cross_validation").estimate(SMALL, rng())
    assert [candidate["score"] is None for candidate in narrow.details["searched"]] == [True, False]


@pytest.mark.about(
    "importance_weights/kliep",
    "importance_weights/ulsif",
    "importance_weights/kernel_mean_matching",
)
def test_invalid_names() -> None:
    with pytest.raises(
        InvalidParameter, match="a number, neighbours, silverman, median or cross_validation"
    ):
        Kliep(width="wide")  # type: ignore[arg-type]
    with pytest.raises(
        InvalidParameter, match="penalty must be a number or cross_validation; got 'least'"
    ):
        Ulsif(penalty="least")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="a number, neighbours, silverman or median"):
        KernelMeanMatching(width="cross_validation")  # type: ignore[arg-type]
