from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

import thetahat
from tests.thetahat.analyses.metrics.readings import (
    codes,
    difference,
    ends,
    folds,
    holdout,
    interval_of,
    measured,
    noisy,
    reading,
    sources,
)
from tests.thetahat.metrics.judged import binary, labelled, values
from thetahat.analyses.losses.recommendation import recommend
from thetahat.analyses.metrics.bootstrap import MetricReplicates, _choose_units
from thetahat.analyses.metrics.intervals import build_bootstrap, build_logit
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric
from thetahat.metrics.f1 import F1
from thetahat.metrics.matthews import Matthews
from thetahat.metrics.r2 import RSquared
from thetahat.metrics.roc_auc import RocAuc
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target

METRICS: list[Metric] = [
    RocAuc(n_resamples=2000),
    AveragePrecision(n_resamples=2000),
    F1(n_resamples=2000),
    BalancedAccuracy(n_resamples=2000),
    Matthews(n_resamples=2000),
]


def row_counts(layout: Layout, seed: int) -> FloatArray:
    units = _choose_units(layout)
    assert units is not None
    return units.spread_over_rows(HashedResamples(units.starts, seed, 100).counts(0, 100))


def replicates(metric: Metric, layout: Layout, seed: int = 3) -> MetricReplicates:
    metric_replicates = measured(metric, noisy(seed, layout.n_rows), layout).replicates
    assert metric_replicates is not None
    return metric_replicates


@pytest.mark.about(
    "metrics/roc_auc",
    "metrics/average_precision",
    "metrics/f1",
    "metrics/balanced_accuracy",
    "metrics/matthews",
)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "layout",
    [
        holdout(200),
        holdout(200, cluster=np.arange(200) // 4),
        folds(np.arange(200) // 2 % 5),
        sources(np.arange(200) // 2 % 25),
    ],
)
def test_exact_bootstrap_and_influence_agree(metric: Metric, layout: Layout) -> None:
    """The bootstrap's standard error is the influence function's, but for terms of order 1/n."""
    of = measured(metric, noisy(3, 200, 1.5), layout)
    variance = {
        "cluster": "cluster_robust",
        "block": "between_sources",
        "instance": f"{of.variance}_blocks",
    }[replicates(metric, layout).units.unit]
    if of.replicates is not None and layout.n_splits == 1 and layout.cluster is None:
        variance = of.variance
    if layout.kind == "random" and metric.fold_mean is MeanKind.POOLED:
        variance = "influence"
    measurement = reading(metric, noisy(3, 200, 1.5), layout)
    value = measurement.variances[variance].value
    assert isinstance(value, float)
    drawn = interval_of(measurement, "percentile", None)
    assert drawn.standard_error is not None

    # 2000 replicates leave 1.6 % of noise; small folds leave out more than order 1/200
    assert abs(drawn.standard_error / np.sqrt(value) - 1) < 0.12
    assert drawn.target is (Target.NEW_SOURCE if layout.kind == "source" else Target.THESE_MODELS)


@pytest.mark.about("metrics/roc_auc", "metrics/f1")
@pytest.mark.parametrize("metric", [RocAuc(n_resamples=100), F1(n_resamples=100)])
def test_naive_replicates_are_the_metric_on_repeated_rows(metric: Metric) -> None:
    judged, layout = noisy(3, 40), folds(np.arange(40) // 2 % 4)
    drawn = measured(metric, judged, layout).replicates
    assert drawn is not None
    counts = row_counts(layout, 7)
    block = np.arange(40) // 2 % 4

    for b in range(3):
        rows = np.repeat(np.arange(40), counts[b].astype(int))
        again = judged.rows(rows)
        if metric.fold_mean is MeanKind.POOLED:
            value = metric.statistic(again).value()
        else:
            parts = [again.rows(np.flatnonzero(block[rows] == k)) for k in range(4)]
            value = float(np.mean([metric.statistic(part).value() for part in parts]))
        assert_allclose(drawn.values[b], value, rtol=1e-12)
    for k in range(4):
        assert (counts[:, block == k].sum(axis=1) == 10).all()  # drawn within blocks


@pytest.mark.about("metrics/roc_auc")
def test_exact_sources_are_drawn_whole() -> None:
    layout = sources(np.arange(60) // 10)
    of = measured(RocAuc(n_resamples=100), noisy(3, 60), layout)
    assert of.replicates is not None
    counts = HashedResamples(np.array([0, 6]), 7, 100).counts(0, 100)

    assert_allclose(of.replicates.values, counts @ of.splits / 6, rtol=1e-13)
    assert of.replicates.units.unit == "block"


@pytest.mark.about("metrics/roc_auc")
def test_exact_differences_are_of_the_same_resamples() -> None:
    layout = holdout(80)
    a, b = (measured(RocAuc(n_resamples=200), noisy(s, 80), layout) for s in (1, 2))
    both = a.minus(b)
    assert a.replicates is not None
    assert b.replicates is not None
    assert both.replicates is not None

    assert_allclose(both.replicates.values, a.replicates.values - b.replicates.values)
    nothing = difference(RocAuc(), noisy(1, 80), noisy(1, 80), layout)
    assert nothing.intervals == ()
    assert nothing.variances["delong"].value == 0


@pytest.mark.about("metrics/roc_auc")
def test_property_a_seed_and_a_prefix_of_resamples() -> None:
    short, long = (replicates(RocAuc(n_resamples=n), holdout(50)).values for n in (110, 250))

    assert_allclose(long[:110], short, rtol=0)


@pytest.mark.about("metrics/roc_auc")
def test_exact_repeats_draw_an_instance_with_all_its_rows() -> None:
    index = np.tile(np.arange(40), 2)
    layout = folds(np.arange(80) // 2 % 4, repeat=np.repeat([0, 1], 40), instance=index)
    counts = row_counts(layout, 7)
    unmatched = folds(np.arange(80) // 2 % 4, repeat=np.repeat([0, 1], 40))

    assert (counts[:, :40] == counts[:, 40:]).all()
    assert (counts[:, :40].sum(axis=1) == 40).all()
    assert measured(RocAuc(), noisy(1, 80), unmatched).replicates is None


@pytest.mark.about("metrics/matthews")
def test_naive_logit_between_minus_one_and_one_is_that_of_fisher_s_z() -> None:
    of = reading(Matthews(), noisy(2, 80), holdout(80))
    normal, logit = (interval_of(of, name, "influence") for name in ("normal", "logit"))

    assert normal.standard_error is not None
    reach = special.ndtri(0.975) * normal.standard_error / (1 - normal.estimate**2)
    z = np.arctanh(normal.estimate)
    assert_allclose(ends(logit), np.tanh([z - reach, z + reach]), rtol=1e-12)
    assert not logit.recommended  # limits_of_shares is, which has it inside
    assert not normal.recommended


@pytest.mark.about("metrics/roc_auc")
def test_exact_logit_interval() -> None:
    of = reading(RocAuc(n_resamples=0), noisy(1, 60), holdout(60), level=0.9)
    normal, logit = (interval_of(of, name, "delong") for name in ("normal", "logit"))
    assert normal.standard_error is not None
    assert normal.upper is not None
    assert logit.lower is not None
    assert logit.upper is not None

    value = normal.estimate
    # the smaller class has 30 rows
    assert (normal.degrees_of_freedom, logit.degrees_of_freedom) == (None, 29)
    reach = stats.t.ppf(0.95, 29) * normal.standard_error / (value * (1 - value))
    assert_allclose(
        special.logit([logit.lower, logit.upper]), special.logit(value) + np.array([-reach, reach])
    )
    assert interval_of(of, "area_score", "delong").recommended
    assert not logit.recommended
    assert not normal.recommended


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_a_normal_interval_ends_at_one_unless_it_is_not_clipped() -> None:
    judged = binary([0] * 10 + [1] * 10, [*range(9), 10, 9, *range(11, 20)])

    of = reading(RocAuc(n_resamples=0), judged, holdout(20), clip=False)
    cut = reading(RocAuc(n_resamples=0), judged, holdout(20))

    normal = interval_of(of, "normal", "delong")
    assert normal.upper is not None
    assert normal.upper > 1
    assert not normal.recommended  # and has no caution of the range
    assert "interval_clipped_to_range" in codes(interval_of(cut, "normal", "delong").cautions)
    assert interval_of(cut, "normal", "delong").upper == 1
    logit = interval_of(of, "logit", "delong")
    assert logit.upper is not None
    assert logit.upper < 1
    assert "few_of_a_class" not in codes(normal.cautions)
    less = reading(RocAuc(n_resamples=0), judged.rows(np.arange(1, 20)), holdout(19))
    assert "few_of_a_class" in codes(interval_of(less, "normal", "delong").cautions)


@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize(
    ("alternative", "drop_open_end"), [(Alternative.LESS, "upper"), (Alternative.GREATER, "lower")]
)
def test_exact_one_sided_intervals_ask_whether_a_is_better(
    alternative: Alternative, drop_open_end: str
) -> None:
    """``less``, a is better, is a lower bound of what is better when higher."""
    of = reading(RocAuc(), noisy(1, 60), holdout(60), alternative=alternative)
    two = reading(RocAuc(), noisy(1, 60), holdout(60), level=0.9)

    for method, variance in (
        ("normal", "delong"),
        ("logit", "delong"),
        ("percentile", None),
        ("bca", None),
    ):
        one_sided = interval_of(of, method, variance)
        both = interval_of(two, method, variance)
        closed = "lower" if drop_open_end == "upper" else "upper"
        assert getattr(one_sided, drop_open_end) is None
        assert_allclose(getattr(one_sided, closed), getattr(both, closed), rtol=1e-12)
        assert one_sided.alternative is not alternative


@pytest.mark.about("metrics/r2")
def test_naive_bca_quantiles() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(size=50)
    judged = values(truth, truth + rng.standard_t(5, 50))
    metric = RSquared(n_resamples=500)
    of = reading(metric, judged, holdout(50))
    drawn = of.measured.replicates
    assert drawn is not None

    bias = special.ndtri((drawn.values < of.measured.pooled).mean())
    u: FloatArray = of.measured.pooled_parts
    acceleration = (u**3).sum() / (6 * (u @ u) ** 1.5)
    z = bias + special.ndtri([0.025, 0.975])
    shares = special.ndtr(bias + z / (1 - acceleration * z))

    interval = interval_of(of, "bca", None)
    assert_allclose(ends(interval), np.quantile(drawn.values, shares), rtol=1e-12)


@pytest.mark.about("metrics/matthews", "metrics/f1", "metrics/roc_auc")
def test_degenerate_resamples_without_a_value() -> None:
    rare = binary([1, 1] + [0] * 18, [20, 5, *range(18)])  # 12 % of resamples lack a positive
    judged = binary([1] * 4 + [0] * 16, [20, 5, 7, 11, *range(16)])  # and here 1 %

    lost = reading(RocAuc(n_resamples=2000), rare, holdout(20))
    kept = reading(RocAuc(n_resamples=2000), judged, holdout(20))

    assert not [i for i in lost.intervals if i.method in {"percentile", "bca"}]
    assert "undefined_resamples" in codes(interval_of(kept, "percentile", None).cautions)
    constant = labelled([0, 1, 0, 1], [1, 1, 1, 1])
    nothing = reading(Matthews(), constant, holdout(4))
    assert nothing.intervals == ()
    assert nothing.variances == {}
    few = reading(F1(), noisy(1, 8), holdout(8))
    assert "few_units" in codes(interval_of(few, "percentile", None).cautions)


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_intervals_that_cannot_be_built_are_left_out() -> None:
    of = reading(RocAuc(n_resamples=100), noisy(1, 60), holdout(60))
    normal = interval_of(of, "normal", "delong")
    drawn = of.measured.replicates
    assert drawn is not None
    above_one = MetricReplicates(np.linspace(0.99, 1, 100), drawn.units)
    above = replace(of.measured, replicates=above_one)

    assert build_logit(replace(normal, estimate=1.0), (0.0, 1.0), None) is None
    assert build_logit(replace(normal, estimate=-1.0), (-1.0, 1.0), None) is None
    assert build_logit(replace(normal, standard_error=None), (0.0, 1.0), None) is None
    built = list(build_bootstrap(above, MeanKind.POOLED, 0.95, Alternative.TWO_SIDED))
    quantiles, bca = (entry.interval for entry in built)
    assert quantiles.lower is not None
    assert (bca.lower, bca.upper) == (None, None)
    assert "replicates_on_one_side" in codes(bca.cautions)
    # without any variance the percentile interval is recommended
    alone = recommend(BlockKind.HOLDOUT, built[::-1])
    assert [(interval.interval.method, interval.interval.recommended) for interval in alone] == [
        ("bca", False),
        ("percentile", True),
    ]


@pytest.mark.parametrize(
    ("n_ranked", "codes_of"),
    [(9, ["few_of_a_class"]), (12, ["few_ranked"]), (19, ["few_ranked"]), (20, []), (180, [])],
)
def test_exact_an_average_precision_of_few_has_a_caution(
    n_ranked: int, codes_of: list[str]
) -> None:
    y = np.repeat([1, 0], [n_ranked, 200 - n_ranked])
    scores = np.random.default_rng(1).standard_t(2, 200) + 2 * y
    result = thetahat.evaluate_predictions(
        y.tolist(),
        scores={"m": scores},
        loss="hinge",
        classes=[0, 1],
        metrics=["average_precision", "roc_auc"],
        blocks="holdout",
    )
    metrics = result.models["m"].metrics
    assert metrics is not None
    (interval,) = metrics["average_precision"].recommended.values()
    (of_area,) = metrics["roc_auc"].recommended.values()

    assert [c.code for c in interval.cautions if c.code.startswith("few_")] == codes_of
    assert "few_ranked" not in codes(of_area.cautions)
