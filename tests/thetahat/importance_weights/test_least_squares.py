from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SMALL, rng, shifted
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights import Samples
from thetahat.importance_weights.rulsif import Rulsif
from thetahat.importance_weights.ulsif import Ulsif

# one centre at 0, width 1 / sqrt 2: k = exp(-d^2). Source 0 and sqrt(log 2), so k is 1 and 1/2:
# H = (1 + 1/4) / 2 = 5/8, h = 1, and with penalty 3/8 alpha = 1
ONE = Samples(np.array([[0.0], [np.sqrt(np.log(2))]]), np.array([[0.0]]))
NARROW = 1 / np.sqrt(2)


@pytest.mark.about("importance_weights/ulsif")
# By hand, beside ONE.
def test_by_hand_one_centre() -> None:
    estimate = Ulsif(penalty=3 / 8, width=NARROW).estimate(ONE, rng())

    assert_allclose(estimate.values, [1, 0.5], rtol=1e-14)
    assert estimate.target_values is not None
    assert_allclose(estimate.target_values, [1.0], rtol=1e-14)
    # 1/2 alpha^2 - alpha
    assert_allclose(estimate.details["objective"], -0.5, rtol=1e-14)


@pytest.mark.about("importance_weights/rulsif")
def test_by_hand_one_centre_relative() -> None:
    # share 1/5: H = 1/5 + 4/5 x 5/8 = 7/10, and with penalty 3/10 alpha = 1
    estimate = Rulsif(share=0.2, penalty=0.3, width=NARROW).estimate(ONE, rng())

    assert_allclose(estimate.values, [1, 0.5], rtol=1e-14)


@pytest.mark.about("importance_weights/ulsif", "importance_weights/rulsif")
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_naive_by_loops(share: float) -> None:
    X, Z = SMALL.source, SMALL.target
    method = Rulsif(share=share, width=0.7) if share else Ulsif(width=0.7)

    def k(a: int, c: int, rows: object) -> float:
        row = np.asarray(rows)[a]
        return float(np.exp(-((row - Z[c]) ** 2).sum() / (2 * 0.7**2)))

    H = np.zeros((6, 6))
    for l in range(6):
        for r in range(6):
            H[l, r] = share * np.mean([k(j, l, Z) * k(j, r, Z) for j in range(6)])
            H[l, r] += (1 - share) * np.mean([k(i, l, X) * k(i, r, X) for i in range(8)])
    h = np.array([np.mean([k(j, l, Z) for j in range(6)]) for l in range(6)])
    alpha = np.maximum(np.linalg.inv(H + 0.1 * np.eye(6)) @ h, 0)

    estimate = method.estimate(SMALL, rng())

    expected = [sum(alpha[l] * k(i, l, X) for l in range(6)) for i in range(8)]
    assert_allclose(estimate.values, expected, rtol=1e-10)


@pytest.mark.about("importance_weights/rulsif", "importance_weights/ulsif")
def test_limit_share_of_zero_is_the_plain_one() -> None:
    samples = shifted(40, 60)

    plain, relative = (m.estimate(samples, rng()) for m in (Ulsif(), Rulsif(share=0.0)))

    assert_allclose(relative.values, plain.values, rtol=1e-14)


@pytest.mark.about("importance_weights/rulsif")
def test_exact_between_equal_samples_the_share_does_not_matter() -> None:
    rows = shifted(40, 1).source
    same = Samples(rows, rows)

    first, other = (Rulsif(share=s).estimate(same, rng()).values for s in (0.1, 0.9))

    assert_allclose(first, other, rtol=1e-8)


def test_degenerate_coefficients_below_zero_have_a_caution() -> None:
    estimate = Ulsif(penalty=1e-8, width=1.5).estimate(SMALL, rng())

    assert [c.code for c in estimate.cautions] == ["coefficients_cut"]
    assert int(estimate.details["n_cut"] or 0) > 0


def test_degenerate_dependent_kernels() -> None:
    same = Samples(SMALL.source, np.repeat(SMALL.target[:1], 4, axis=0))

    assert Ulsif(width=1.0).estimate(same, rng()).values.min() > 0
    with pytest.raises(InsufficientData, match="Give a penalty above 0"):
        Ulsif(width=1.0, penalty=0).estimate(same, rng())


def test_invalid_parameters() -> None:
    for kind in (Ulsif, Rulsif):
        with pytest.raises(InvalidParameter, match="penalty must be a finite number of at least 0"):
            kind(penalty=-1)
        with pytest.raises(InvalidParameter, match="n_centres must be at least 1; got 0"):
            kind(n_centres=0)
        with pytest.raises(InvalidParameter, match="width must be a number, neighbours"):
            kind(width="a")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="share must be at least 0 and below 1"):
        Rulsif(share=1.0)
