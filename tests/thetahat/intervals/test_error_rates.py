"""wilson and clopper_pearson."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.cases import each
from tests.thetahat.intervals.builders import (
    GREATER,
    LESS,
    TWO,
    codes,
    ends,
    holdout_of,
    some_variance,
    sources_of,
)
from thetahat.errors import InvalidParameter
from thetahat.intervals.clopper_pearson import ClopperPearson
from thetahat.intervals.normal import Normal
from thetahat.intervals.wilson import Wilson
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_score_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances import VARIANCES

BOTH = pytest.mark.parametrize("method", [Wilson(), ClopperPearson()], ids=["wilson", "clopper"])


def errors_of(x: int, n: int) -> BlockLosses:
    return holdout_of([1.0] * x + [0.0] * (n - x))


def bounds(
    method: Wilson | ClopperPearson,
    x: int,
    n: int,
    level: float = 0.95,
    alternative: Alternative = TWO,
) -> tuple[float | None, float | None]:
    interval = method.build_from_losses(errors_of(x, n), level, alternative)
    assert interval is not None
    return interval.lower, interval.upper


def both(method: Wilson | ClopperPearson, x: int, n: int) -> tuple[float, float]:
    return ends(method.build_from_losses(errors_of(x, n), 0.95, TWO))


# R's binom.confint, by statsmodels' results_proportion.py
R_WILSON = {
    (18, 20): (0.6989663547715128, 0.972133518786232),
    (4, 20): (0.0806576625797981, 0.4160174322518935),
    (4, 200): (0.00780442641634947, 0.05028708690582643),
    (190, 200): (0.910421851861224, 0.972617354399236),
    (19, 38): (0.348499283643951, 0.651500716356049),
}
# of this case R prints eight digits
R_WILSON_PRINTED = {(1, 30): (0.00590859, 0.16670391)}
R_EXACT = {
    (18, 20): (0.6830172859809176, 0.9876514728297052),
    (4, 20): (0.05733399705003284, 0.436614002996668),
    (4, 200): (0.005475565879556443, 0.05041360908989634),
    (190, 200): (0.9099724622986486, 0.975765834527891),
}
R_EXACT_PRINTED = {(1, 30): (0.0008435709, 0.17216946)}
# p +- z sqrt(p (1 - p) / n), not cut at 0 and 1
R_WALD = {
    (18, 20): (0.768521618913513, 1.031478381086487),
    (4, 20): (0.0246954918846837, 0.3753045081153163),
    (4, 200): (0.000597346459104517, 0.0394026535408955),
    (190, 200): (0.919794926420966, 0.980205073579034),
    (1, 30): (-0.0309007, 0.09756737),
}
R_AGRESTI_COULL = {
    (18, 20): (0.6867561125596077, 0.984343760998137),
    (4, 20): (0.0749115102767071, 0.4217635845549845),
    (4, 200): (0.005991954548218395, 0.0520995587739575),
    (190, 200): (0.909307307911624, 0.973731898348837),
    (1, 30): (-0.008305484, 0.18091798),
}
# jacobgil/confidenceinterval, README, three digits: precision and recall by class
README = {
    (3, 5): (0.231, 0.882),
    (8, 9): (0.565, 0.980),
    (6, 6): (0.610, 1.0),
    (6, 9): (0.354, 0.879),
    (3, 3): (0.439, 1.0),
    (8, 8): (0.676, 1.0),
}


@pytest.mark.about("intervals/wilson")
@pytest.mark.outside(
    "R binom.confint, as statsmodels' results_proportion.py keeps it (vector binomial_ci_R)"
)
@pytest.mark.parametrize("counts", R_WILSON)
def test_golden_r_wilson(counts: tuple[int, int]) -> None:
    assert_allclose(both(Wilson(), *counts), R_WILSON[counts], rtol=1e-12)


@pytest.mark.about("intervals/clopper_pearson")
@pytest.mark.outside(
    "R binom.confint, as statsmodels' results_proportion.py keeps it (vector binomial_ci_R)"
)
@pytest.mark.parametrize("counts", R_EXACT)
def test_golden_r_clopper_pearson(counts: tuple[int, int]) -> None:
    assert_allclose(both(ClopperPearson(), *counts), R_EXACT[counts], rtol=1e-11)


@pytest.mark.about("intervals/wilson", "intervals/clopper_pearson")
@pytest.mark.outside("R binom.confint, as statsmodels keeps it (vector binomial_ci_R)")
def test_golden_r_prints_eight_digits() -> None:
    for counts, expected in R_WILSON_PRINTED.items():
        assert_allclose(both(Wilson(), *counts), expected, rtol=1e-6)
    for counts, expected in R_EXACT_PRINTED.items():
        assert_allclose(both(ClopperPearson(), *counts), expected, rtol=1e-6)


@pytest.mark.about("intervals/wilson")
@pytest.mark.outside("R binom.confint, as statsmodels keeps it (vector binomial_ci_R)")
@pytest.mark.parametrize("counts", R_AGRESTI_COULL)
def test_golden_r_agresti_coull_has_the_centre_of_wilson(counts: tuple[int, int]) -> None:
    ours, theirs = both(Wilson(), *counts), R_AGRESTI_COULL[counts]

    assert_allclose(sum(ours) / 2, sum(theirs) / 2, rtol=1e-6)
    # sqrt(p~ (1 - p~) / (n + z^2)) about it is wider, and leaves [0, 1]
    assert theirs[0] < ours[0] < ours[1] < theirs[1]


@pytest.mark.about("intervals/normal")
@pytest.mark.outside("R binom.confint, as statsmodels keeps it (vector binomial_ci_R)")
@pytest.mark.parametrize("counts", R_WALD)
def test_golden_r_wald_is_normal_on_iid_but_for_the_degree(counts: tuple[int, int]) -> None:
    # R divides the sum of squares by n, iid by n - 1
    losses = errors_of(*counts)
    lower, upper = R_WALD[counts]
    interval = Normal().build(
        losses, VARIANCES["iid"].info, VARIANCES["iid"]().estimate(losses), 0.95, TWO
    )

    ours = ends(interval)
    n = counts[1]
    assert_allclose((ours[1] - ours[0]) * math.sqrt((n - 1) / n), upper - lower, rtol=1e-6)
    assert_allclose(sum(ours), lower + upper, rtol=1e-6)


@pytest.mark.about("intervals/wilson")
@pytest.mark.outside("jacobgil/confidenceinterval, the intervals its README prints")
@pytest.mark.parametrize("counts", README)
def test_golden_readme_wilson(counts: tuple[int, int]) -> None:
    # vector classification_report_ci
    assert_allclose(both(Wilson(), *counts), README[counts], atol=6e-4)


@pytest.mark.parametrize("alternative", [TWO, LESS, GREATER])
@each("level", [0.001, 0.3, 0.5, 0.9, 0.9999])
@each("x,n", [(0, 7), (3, 7), (7, 7), (1, 1), (2, 5000)])
def test_against_scipy_proportion_ci(
    x: int, n: int, level: float, alternative: Alternative
) -> None:
    from scipy import stats

    # scipy names a test's alternative: a bound from below goes with "greater"
    word = {TWO: "two-sided", LESS: "less", GREATER: "greater"}[alternative]
    test = stats.binomtest(x, n, alternative=word)  # type: ignore[arg-type]
    for method, name in ((Wilson(), "wilson"), (ClopperPearson(), "exact")):
        if name == "wilson" and level < 0.5 and alternative is not TWO:
            continue  # scipy takes the wrong root where z is negative
        expected = test.proportion_ci(level, method=name)  # type: ignore[arg-type]

        lower, upper = bounds(method, x, n, level, alternative)

        # the inversion of the beta distribution stops at about 1e-12
        assert_allclose(0.0 if lower is None else lower, expected.low, rtol=1e-9, atol=1e-13)
        assert_allclose(1.0 if upper is None else upper, expected.high, rtol=1e-9, atol=1e-13)


@pytest.mark.about("intervals/wilson")
@pytest.mark.parametrize("level", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("x", [0, 1, 6, 9])
def test_exact_wilson_bounds_solve_the_score_equation(x: int, level: float) -> None:
    """(p - x/n) / sqrt(p (1 - p) / n) = z, on the side that the level's sign says."""
    from scipy.special import ndtri

    lower, upper = bounds(Wilson(), x, 9, level, GREATER)[0], bounds(Wilson(), x, 9, level, LESS)[1]

    for bound, sign in ((lower, -1), (upper, 1)):
        assert bound is not None
        scale = math.sqrt(bound * (1 - bound) / 9)
        assert_allclose(bound - x / 9, sign * ndtri(level) * scale, atol=1e-14)


@pytest.mark.about("intervals/clopper_pearson")
@pytest.mark.parametrize("level", [0.2, 0.8])
def test_naive_clopper_pearson_bounds_have_their_tail(level: float) -> None:
    lower, upper = bounds(ClopperPearson(), 3, 9, level, GREATER)[0], None
    upper = bounds(ClopperPearson(), 3, 9, level, LESS)[1]
    assert lower is not None
    assert upper is not None

    def chance(k: int, p: float) -> float:
        return math.comb(9, k) * p**k * (1 - p) ** (9 - k)

    assert_allclose(sum(chance(k, lower) for k in range(3, 10)), 1 - level, rtol=1e-11)
    assert_allclose(sum(chance(k, upper) for k in range(4)), 1 - level, rtol=1e-11)


@BOTH
@pytest.mark.parametrize("n", [1, 38, 77, 100_003])
def test_degenerate_no_errors_and_nothing_but_errors(
    method: Wilson | ClopperPearson, n: int
) -> None:
    none, every = bounds(method, 0, n), bounds(method, n, n)

    assert none[0] == 0
    assert every[1] == 1
    assert none[1] is not None
    assert every[0] is not None
    assert 0 < none[1] < 1
    assert_allclose(none[1], 1 - every[0], rtol=1e-9)


@BOTH
def test_exact_fields_of_an_interval(method: Wilson | ClopperPearson) -> None:
    losses = errors_of(3, 10)
    variance = VARIANCES["iid"]().estimate(losses)

    interval = method.build_from_losses(losses, 0.9, TWO)

    assert interval is not None
    assert interval.method == method.info.name
    assert interval.variance is None
    assert interval.target is Target.THESE_MODELS
    assert interval.mean is MeanKind.POOLED
    assert interval.estimate == 0.3
    assert interval.standard_error is None
    assert interval.degrees_of_freedom is None
    assert not interval.recommended
    assert codes(interval) == [caution.code for caution in variance.cautions]


@BOTH
def test_degenerate_equal_losses_are_no_obstacle(method: Wilson | ClopperPearson) -> None:
    interval = method.build_from_losses(errors_of(0, 4), 0.9, TWO)

    assert ends(interval)[0] == 0
    assert codes(interval) == ["ignores_training_variance"]


@BOTH
def test_degenerate_sizes_that_are_no_share_of_a_holdout(method: Wilson | ClopperPearson) -> None:
    clustered = holdout_of([0, 1, 1], cluster=[0, 0, 1])

    assert method.build_from_losses(holdout_of([0, 0.5, 1]), 0.9, TWO) is None
    assert method.build(errors_of(1, 3), VARIANCES["iid"].info, some_variance(), 0.9, TWO) is None
    assert method.build_from_losses(clustered, 0.9, TWO) is None
    assert method.build_from_losses(sources_of([0, 1], [1, 1]), 0.9, TWO) is None


@BOTH
def test_invalid_layouts_and_levels(method: Wilson | ClopperPearson) -> None:
    scores = build_score_layout(BlockKind.HOLDOUT, np.ones(1), np.ones(1), None, 1)

    assert method.inapplicable(errors_of(1, 3).layout) is None
    assert "source blocks" in str(method.inapplicable(sources_of([0], [1]).layout))
    assert "one score per split" in str(method.inapplicable(scores))
    assert "clusters" in str(method.inapplicable(holdout_of([0, 1], cluster=[0, 1]).layout))
    with pytest.raises(InvalidParameter, match="level must be above 0 and at most"):
        method.build_from_losses(errors_of(1, 3), 1.0, TWO)


@pytest.mark.about("intervals/wilson", "intervals/clopper_pearson")
@pytest.mark.parametrize("p", [0.02, 0.1, 0.35])
def test_exact_coverage_over_all_counts(p: float) -> None:
    """The sum over all tables of 60 losses: no simulation is needed."""
    n, covered = 60, {"wilson": 0.0, "clopper_pearson": 0.0}
    for x in range(n + 1):
        chance = math.comb(n, x) * p**x * (1 - p) ** (n - x)
        for method in (Wilson(), ClopperPearson()):
            lower, upper = bounds(method, x, n)
            assert lower is not None
            assert upper is not None
            covered[method.info.name] += chance * (lower <= p <= upper)

    assert covered["clopper_pearson"] >= 0.95
    assert 0.92 < covered["wilson"] < 0.98  # its known oscillation at n = 60
