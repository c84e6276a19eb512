from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.selection.bias import estimate_bias_of_minimum
from thetahat.analyses.selection.internal_estimates import InternalEstimate, estimate_from_losses
from thetahat.analyses.selection.selection_rules import choose
from thetahat.errors import InvalidParameter


def of(*means: float) -> InternalEstimate:
    return InternalEstimate(means=np.array(means), within=float("nan"))


def test_exact_the_least_value_and_the_first_among_equals() -> None:
    chosen = choose({"a": of(3, 1), "b": of(1, 1), "c": of(0.5, 1.5), "d": of(2, 2)})

    assert (chosen.name, chosen.least, chosen.tied) == ("b", "b", ("c",))


def test_exact_sums_that_differ_in_their_last_bit_are_tied() -> None:
    assert 0.1 + 0.2 != 0.3
    chosen = choose({"late": of(0.1 + 0.2), "early": of(0.3)})

    assert (chosen.name, chosen.tied) == ("late", ("early",))


# By hand: 1.0 + 0.5 is the reach of the least.
def test_by_hand_one_standard_error_takes_the_first_within_it() -> None:
    # c: mean 1, deviations -0.5, 0.5: variance 0.5, over 2 splits 0.25, root 0.5
    estimates = {"a": of(1.6, 1.6), "b": of(1.5, 1.5), "c": of(0.5, 1.5), "d": of(1.1, 1.1)}
    chosen = choose(estimates, "one_standard_error")

    assert estimates["c"].standard_error == pytest.approx(0.5, rel=1e-15)
    assert (chosen.name, chosen.least) == ("b", "c")


def test_degenerate_without_a_standard_error_the_rule_takes_the_least() -> None:
    estimate = estimate_from_losses([np.array([2.0])])

    assert estimate.standard_error is None
    chosen = choose(
        {"a": estimate_from_losses([np.array([3.0])]), "b": estimate}, "one_standard_error"
    )
    assert chosen.name == "b"


def test_exact_one_split_has_the_error_of_its_mean() -> None:
    losses = np.array([1.0, 2.0, 4.0, 9.0])
    estimate = estimate_from_losses([losses])

    assert estimate.mean == 4
    assert estimate.standard_error == pytest.approx(losses.std(ddof=1) / 2, rel=1e-15)


def test_exact_several_splits_have_that_of_their_means() -> None:
    parts = [np.array([1.0, 3.0]), np.array([5.0]), np.array([2.0, 2.0, 5.0])]
    estimate = estimate_from_losses(parts)

    assert_allclose(estimate.means, [2, 5, 3])
    assert estimate.standard_error == pytest.approx(
        np.std([2, 5, 3], ddof=1) / np.sqrt(3), rel=1e-15
    )


def test_invalid_an_unknown_rule() -> None:
    with pytest.raises(InvalidParameter, match="'luck' is not one of least, one_standard_error"):
        choose({"a": of(1.0)}, "luck")  # type: ignore[arg-type]  # on purpose


# By hand on tibshirani2009's formula.
def test_by_hand_bias_of_the_least() -> None:
    # folds' own minima 1, 2, 2; a is the least (mean 2): (0 + 1 + 0) / 3
    estimates = {"a": of(1, 3, 2), "b": of(4, 2, 5), "c": of(4, 4, 3)}

    assert estimate_bias_of_minimum(estimates, "a") == pytest.approx(1 / 3, rel=1e-15)
    assert estimate_bias_of_minimum({"a": of(1.0), "b": of(2.0)}, "a") is None
