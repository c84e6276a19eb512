"""All pairs of four models: scikit-learn's example of comparing the models of a grid search."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.paired_tests.pairs import details_of, rng_of
from tests.thetahat.paired_tests.test_bayesian_correlated_t import pair_of_scores
from tests.thetahat.paired_tests.test_t_tests import LINEAR, RBF, steps
from thetahat.corrections import adjust
from thetahat.paired_tests.bayesian_correlated_t import BayesianCorrelatedT
from thetahat.paired_tests.nadeau_bengio_t import NadeauBengioT
from thetahat.values.types import Alternative

SCORES = {
    "rbf": RBF,
    "linear": LINEAR,
    "3_poly": (
        "ahgcadbebbcdagfbaagaecffabeccadcgabbaedadfabckccaa"
        "cfabagffaadcbcegabeabdfdabaibebecagabaahccaibabcal"
    ),
    "2_poly": (
        "gjlhsigahjklbjhughhdiejfjlgmnagdmgniemhileguktniga"
        "fqecfhmhdiolcelhcndgfjkggigrfhcfhejgffokikdmniigem"
    ),
}
# t, Bonferroni p for "the first is better", and the shares worse, better and in the rope of .01
TABLE = {
    ("rbf", "linear"): (0.750, 1.000, 0.068, 0.500, 0.432),
    ("rbf", "3_poly"): (1.657, 0.302, 0.018, 0.882, 0.100),
    ("rbf", "2_poly"): (4.565, 0.000, 0.000, 1.000, 0.000),
    ("linear", "3_poly"): (1.111, 0.807, 0.063, 0.750, 0.187),
    ("linear", "2_poly"): (4.276, 0.000, 0.000, 1.000, 0.000),
    ("3_poly", "2_poly"): (3.851, 0.001, 0.000, 1.000, 0.000),
}


@pytest.mark.about("paired_tests/nadeau_bengio_t", "paired_tests/bayesian_correlated_t")
@pytest.mark.outside("scikit-learn 1.9.1 plot_grid_search_stats.py, its two tables of all pairs")
def test_golden_all_pairs_of_a_grid_search() -> None:
    # vector sklearn_grid_stats
    pairs = {
        (a, b): pair_of_scores(steps(SCORES[a]), steps(SCORES[b]), n_repeats=10)
        for a, b in combinations(SCORES, 2)
    }
    outcomes = [NadeauBengioT().test(p, Alternative.LESS, rng_of()) for p in pairs.values()]
    adjusted = adjust([outcome.p_value for outcome in outcomes], "bonferroni")
    within = [
        details_of(BayesianCorrelatedT(rope=0.01).test(p, Alternative.TWO_SIDED, rng_of()))
        for p in pairs.values()
    ]

    # losses are scores with their sign changed: the first is better where a - b is below 0
    rows = np.array(
        [
            (
                -float(outcome.statistic or 0),
                p,
                details["p_right"],
                details["p_left"],
                details["p_rope"],
            )
            for outcome, p, details in zip(outcomes, adjusted, within, strict=True)
        ],
        dtype=np.float64,
    )
    assert_allclose(rows, [TABLE[pair] for pair in pairs], atol=6e-4)
