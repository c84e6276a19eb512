from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.losses.class_shares import predict_shares
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses.base import Predictions, adapt_to_classes
from thetahat.losses.brier import Brier


@pytest.mark.outside("the documented examples of scikit-learn's brier_score_loss: 0.0375, 0.146...")
def test_golden_documented_examples() -> None:
    second = np.array([0.1, 0.9, 0.8, 0.3])
    two = predict_shares(np.column_stack([1 - second, second]).tolist())
    assert Brier(form="binary").losses(np.array([0, 1, 1, 0]), two).mean() == pytest.approx(0.0375)

    # eggs, ham, spam: (.04 + .01 + .01), (.04 + .09 + .01), (.04 + .04 + .16), 0.44 / 3
    three = predict_shares([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]])
    losses = Brier().losses(np.array([0, 1, 2]), three)
    assert_allclose(losses, [0.06, 0.14, 0.24], rtol=1e-14)
    assert round(float(losses.mean()), 3) == 0.147


def test_against_sklearn_brier_score_loss() -> None:
    from sklearn.metrics import brier_score_loss

    rng = np.random.default_rng(61)
    probabilities, y = rng.dirichlet([0.3, 1.0], size=200), rng.integers(0, 2, 200)

    losses = Brier(form="binary").losses(y, predict_shares(probabilities.tolist()))

    assert losses.mean() == pytest.approx(brier_score_loss(y, probabilities[:, 1]), rel=1e-12)


def test_exact_two_classes_lose_twice_the_binary_form() -> None:
    rng = np.random.default_rng(62)
    predictions, y = (
        predict_shares(rng.dirichlet([1.0, 1.0], size=50).tolist()),
        rng.integers(0, 2, 50),
    )

    assert_allclose(
        Brier().losses(y, predictions), 2 * Brier(form="binary").losses(y, predictions), rtol=1e-12
    )


def test_naive_sum_over_classes() -> None:
    rng = np.random.default_rng(63)
    p, y = rng.dirichlet([1.0, 1.0, 1.0, 1.0], size=20), rng.integers(0, 4, 20)

    naive = [sum((p[i, c] - (y[i] == c)) ** 2 for c in range(4)) for i in range(20)]

    assert_allclose(Brier().losses(y, predict_shares(p.tolist())), naive, rtol=1e-14)


def test_limit_range_by_form() -> None:
    wrong = predict_shares([[0.0, 1.0]])

    assert Brier().losses(np.array([0]), wrong).tolist() == [Brier().value_range[1]] == [2.0]
    binary = Brier(form="binary")
    assert binary.losses(np.array([0]), wrong).tolist() == [binary.value_range[1]] == [1.0]


def test_invalid_form_and_classes() -> None:
    with pytest.raises(InvalidParameter, match="form must be") as caught:
        Brier(form="half")  # type: ignore[arg-type]
    assert caught.value.loc == ("form",)
    with pytest.raises(UnsupportedCombination, match="for two classes, and there are 3"):
        adapt_to_classes(Brier(form="binary"), ("a", "b", "c"))
    with pytest.raises(UnsupportedCombination, match="multi_class takes any number"):
        Brier(form="binary").losses(np.array([0]), predict_shares([[0.2, 0.3, 0.5]]))
    assert adapt_to_classes(Brier(), ("a", "b", "c")) == Brier()


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_invalid_probability_out_of_its_range(value: float) -> None:
    with pytest.raises(InvalidParameter, match="that of instance 1 is") as caught:
        Brier().losses(np.array([0, 0]), predict_shares([[0.5, 0.5], [1 - value, value]]))

    assert caught.value.loc == ("probabilities", 1)


def test_invalid_without_probabilities() -> None:
    with pytest.raises(UnsupportedCombination, match="The loss 'brier' needs class probabilities"):
        Brier().losses(np.array([0]), Predictions(np.array([0])))
