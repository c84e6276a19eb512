"""What holds for every estimator of weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.importance_weights.samples import SOURCE, TARGET, rng, shifted
from thetahat.errors import EvaluationError, InsufficientData, InvalidParameter
from thetahat.importance_weights import IMPORTANCE_WEIGHTS, ImportanceWeights, Samples
from thetahat.references import REFERENCES

EVERY = pytest.mark.parametrize("name", IMPORTANCE_WEIGHTS)


def draw_samples(n: int = 30, m: int = 40, p: int = 2) -> Samples:
    samples = shifted(n, m, p, seed=8)
    return Samples(samples.source, samples.target, np.linspace(0.1, 2, n))


def estimated(name: str, samples: Samples) -> ImportanceWeights:
    return IMPORTANCE_WEIGHTS[name]().estimate(samples, rng())


@EVERY
def test_property_weights_are_finite_and_not_negative(name: str) -> None:
    weights = estimated(name, draw_samples())

    assert weights.values.shape == (30,)
    assert np.isfinite(weights.values).all()
    assert (weights.values >= 0).all()
    assert weights.values.any()
    if weights.target_values is not None:
        assert weights.target_values.shape == (40,)
        assert np.isfinite(weights.target_values).all()


@EVERY
def test_property_the_same_generator_gives_the_same_weights(name: str) -> None:
    first, other = (estimated(name, draw_samples(60, 300)) for _ in range(2))

    assert_array_equal(first.values, other.values)


@EVERY
def test_property_the_order_of_the_source_rows_does_not_matter(name: str) -> None:
    samples = draw_samples()
    order = np.random.default_rng(2).permutation(samples.n)
    known_weights = samples.known_weights
    assert known_weights is not None
    shuffled = Samples(samples.source[order], samples.target, known_weights[order])

    # kernel mean matching has near-equal optima whose weights differ; its own tests compare those
    rtol = 1.0 if name == "kernel_mean_matching" else 1e-6
    assert_allclose(
        estimated(name, shuffled).values,
        estimated(name, samples).values[order],
        rtol=rtol,
        atol=1 if name == "kernel_mean_matching" else 1e-9,
    )


@EVERY
def test_property_its_input_is_left_alone(name: str) -> None:
    samples = draw_samples()
    for rows in (samples.source, samples.target, samples.known_weights):
        assert rows is not None
        rows.setflags(write=False)

    estimated(name, samples)


@EVERY
def test_property_it_describes_itself(name: str) -> None:
    info = IMPORTANCE_WEIGHTS[name].info

    assert info.references
    assert set(info.references) <= set(REFERENCES)
    for text in (info.title, info.summary, info.formula, info.assumptions, info.errs):
        assert text.strip()


def right_or_refused(name: str, samples: Samples) -> ImportanceWeights | None:
    """Return usable weights, or None after a refusal in words."""
    try:
        weights = estimated(name, samples)
    except EvaluationError as error:
        words = error.message.split()
    else:
        assert np.isfinite(weights.values).all()
        assert weights.values.any()
        return weights
    assert len(words) > 4
    return None


@EVERY
@pytest.mark.parametrize(
    ("n", "m", "p"), [(2, 2, 1), (2, 50, 1), (2, 1, 1), (3, 5, 2), (50, 2, 1), (30, 40, 100)]
)
def test_degenerate_sizes(name: str, n: int, m: int, p: int) -> None:
    right_or_refused(name, draw_samples(n, m, p))


@EVERY
def test_degenerate_far_apart(name: str) -> None:
    near = draw_samples()
    for gap in (30.0, 1e3, 1e9):
        right_or_refused(name, Samples(near.source - gap, near.target, near.known_weights))


@EVERY
def test_degenerate_one_place(name: str) -> None:
    """All rows of both samples alike: weights of one, or a refusal in words."""
    rows = np.ones((6, 2))
    weights = right_or_refused(name, Samples(rows, rows, np.ones(6)))

    assert weights is None or np.allclose(weights.values, 1, rtol=1e-6)


def test_invalid_samples() -> None:
    with pytest.raises(InvalidParameter, match="2 features and the target 1") as caught:
        Samples(SOURCE, TARGET[:, :1])
    assert caught.value.loc == ("target",)
    with pytest.raises(InsufficientData, match="The source has 1 rows, and at least 2"):
        Samples(SOURCE[:1], TARGET)
    with pytest.raises(InsufficientData, match="The target has 0 rows"):
        Samples(SOURCE, TARGET[:0])
    with pytest.raises(InvalidParameter, match="The source has the shape"):
        Samples(SOURCE[:, :0], TARGET)
    with pytest.raises(InvalidParameter, match="3 weights for 8 source rows"):
        Samples(SOURCE, TARGET, np.ones(3))
    for bad in (float("nan"), float("inf"), -1e141):
        rows = TARGET.copy()
        rows[2, 1] = bad
        with pytest.raises(InvalidParameter, match="Feature 1 of target row 2 is") as caught:
            Samples(SOURCE, rows)
        assert caught.value.loc == ("target", 2, 1)
