from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    codes,
    details_of,
    in_a_holdout,
    outcome_of,
)
from thetahat.errors import UnsupportedCombination
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

# mlxtend's documented example: 100 instances, three classifiers wrong on 16, 8 and 8 of them
WRONG = (
    tuple(range(16)),
    (0, 1, 2, 3, 4, 5, 20, 21),
    (0, 1, 2, 6, 20, 21, 98, 99),
)


def mlxtend_losses() -> np.ndarray:
    losses = np.zeros((100, 3))
    for j, wrong in enumerate(WRONG):
        losses[list(wrong), j] = 1
    return losses


@pytest.mark.outside("rasbt/mlxtend test_cochran_q.py: 7.529, 0.023")
def test_golden_mlxtend() -> None:
    # vector cochran_q_mlxtend
    outcome = outcome_of("cochran_q", in_a_holdout(mlxtend_losses()))

    assert_close(outcome.statistic, 7.529411764705882, rtol=1e-12)
    assert_close(outcome.p_value, 0.023174427241061245, rtol=1e-11)
    assert outcome.degrees_of_freedom == 2
    assert outcome.unit == "instance"
    assert details_of(outcome)["error_counts"] == {"m0": 16, "m1": 8, "m2": 8}


def test_naive_definition() -> None:
    losses = np.random.default_rng(331).integers(0, 2, (50, 5)).astype(np.float64)
    L, G, l = 5, losses.sum(axis=0), losses.sum(axis=1)
    q = (L - 1) * (L * (G**2).sum() - G.sum() ** 2) / (L * G.sum() - (l**2).sum())

    outcome = outcome_of("cochran_q", in_a_holdout(losses))

    assert_close(outcome.statistic, q, rtol=1e-12)
    assert_close(outcome.p_value, stats.chi2.sf(q, 4), rtol=1e-11)


def test_exact_rights_give_what_wrongs_give() -> None:
    wrongs, rights = (
        outcome_of("cochran_q", in_a_holdout(x)) for x in (mlxtend_losses(), 1 - mlxtend_losses())
    )

    assert_close(rights.statistic, wrongs.statistic, rtol=1e-12)


def test_limit_friedman_by_instance_is_the_same() -> None:
    table = in_a_holdout(mlxtend_losses())

    friedman, q = (outcome_of(name, table) for name in ("friedman", "cochran_q"))

    assert_close(friedman.statistic, q.statistic, rtol=1e-12)  # ranks of 0 and 1 are all ties


def test_degenerate_models_that_err_together() -> None:
    together = np.repeat(np.arange(6.0)[:, np.newaxis] % 2, 3, axis=1)

    outcome = outcome_of("cochran_q", in_a_holdout(together))

    assert (outcome.statistic, outcome.p_value) == (None, 1)
    assert "no_difference" in codes(outcome)


def test_invalid_losses() -> None:
    with pytest.raises(UnsupportedCombination, match="0 or 1"):
        outcome_of("cochran_q", in_a_holdout([[0.0, 1.0, 0.5], [0.0, 1.0, 1.0]]))


def test_invalid_layouts() -> None:
    method = MULTIPLE_TESTS["cochran_q"]()
    twice = build_layout(BlockKind.RANDOM, [0, 1, 0, 1], repeat=[0, 0, 1, 1], instance=[0, 1, 0, 1])
    for layout, word in (
        (by_source(np.zeros((4, 3))).layout, "source"),
        (in_a_holdout(np.zeros((4, 3)), cluster=[0, 0, 1, 1]).layout, "clusters"),
        (twice, "repeats"),
    ):
        assert word in (method.inapplicable(layout, 3) or "")
