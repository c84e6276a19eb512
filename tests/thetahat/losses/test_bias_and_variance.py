"""Bias and variance of the zero-one loss, from start to end on a published example."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.losses.base import Predictions
from thetahat.losses.zero_one import ZeroOne

ROUNDS = 200


@pytest.mark.about("losses/zero_one")
@pytest.mark.outside(
    "rasbt/mlxtend, documentation and tests of bias_variance_decomp on iris: 0.062, 0.022, 0.040 "
    "(vector bias_variance_iris)"
)
def test_golden_mlxtend_bias_and_variance_of_a_tree_on_iris() -> None:
    """Domingos' decomposition: the loss of the main prediction, and the loss against it.

    The example draws its 200 bootstrap samples by numpy's older generator with the seed 123.
    """
    from sklearn.datasets import load_iris
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=123, shuffle=True, stratify=y
    )
    rng = np.random.RandomState(123)
    votes_of_rounds = []
    for _ in range(ROUNDS):
        rows = rng.choice(len(y_train), size=len(y_train), replace=True)
        tree = DecisionTreeClassifier(random_state=123).fit(X_train[rows], y_train[rows])
        votes_of_rounds.append(tree.predict(X_test))
    main = np.array([np.bincount(votes).argmax() for votes in np.array(votes_of_rounds).T])

    loss = np.mean([ZeroOne().losses(y_test, Predictions(each)).mean() for each in votes_of_rounds])
    bias = ZeroOne().losses(y_test, Predictions(main)).mean()
    variance = np.mean(
        [ZeroOne().losses(main, Predictions(each)).mean() for each in votes_of_rounds]
    )

    assert loss == pytest.approx(0.062, abs=6e-4)
    assert bias == pytest.approx(0.022, abs=6e-4)
    assert variance == pytest.approx(0.040, abs=6e-4)
    # the two add up, but for the instances whose main prediction is wrong
    assert abs(loss - bias - variance) < bias
