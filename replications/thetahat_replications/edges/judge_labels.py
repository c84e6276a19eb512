"""Coverage of means from the labels of a few rows and a judge's grades of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtri

from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.judge_result import JudgeEstimate
from thetahat.analyses.losses.judged_table import Judge, build_judged_table
from thetahat.values.types import FloatArray, Target
from thetahat.variances._judge_coverage import (
    ALONE,
    CLUSTERS,
    DIFFERENCES,
    INTERVAL,
    LABELS,
    LARGEST,
    NUMBERS,
    OTHER_CLUSTERS,
    OTHERS,
    RARER,
    RARER_OF_STRATUM,
    RATES,
    STRATA,
    TUNED,
)
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import BETWEEN, KeptPage, TableCell, TableRow

Draw: TypeAlias = Callable[[np.random.Generator], "JudgedSample"]

LEVEL: Final = 0.95
MOSTLY: Final = 0.5
"""Share of the samples that rest on the labels alone beyond which a recommended interval does."""

TITLE: Final = "Labels of a few rows, and a judge of all"
ABOUT: Final = f"""
Each repetition draws a test set anew, of which a part has labels: n rows, or clusters of one to
five rows, and ten times as many others. The judge's grade of a number is correlated with the label
by .8; its grade of a 0/1 label is wrong on a tenth of the rows of each label. Differences are those
of two models with the same judge. Strata are three with rates .1, .3 and .6, whose labels are not
in proportion to their rows. A trained judge is a line fitted to the labels in four folds.
Recommended is the interval that the result recommends for the model (or the difference), tuned the
t interval on labels and grades, labels the t interval on the labels alone; alone is the share of
repetitions in which the recommended one rests on the labels. Length is that of the recommended
interval relative to the t interval of the labels. Power is how often an interval excludes a value
that is {SHIFT:g} standard deviations of the tuned estimate above or below the true one, as a share
of the power of the normal test that knows that standard deviation; a rate below 0 is left out.
Level {LEVEL:g}. The standard error of a coverage of .95 is .007 with 1000 repetitions.
Reading: the recommended interval covers in .945 or more, and in .92 with strata of which one has
four rare labels, which the caution `few_labels` says. Where labels are fewer than 20, or fewer
than ten differ from the commonest one, it is that of the labels alone, with the caution
`labels_alone`: the tuned interval then covers too rarely (rate .05). With 20 to 49 labels, in
all or in a stratum, the caution `few_labels` says that it may cover slightly too rarely.
"""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The labels, the judge and the truth of one repetition."""

    losses: dict[str, FloatArray]
    judge: Judge
    truth: float
    cluster: list[int] | None = None
    least: float = -math.inf
    """The least value that the truth could have."""


_INTERVALS: Final = ("recommended", "tuned", "labels")
COLUMNS: Final = BETWEEN.join(
    ["design", *_INTERVALS, "length", "alone", *(f"{name}, power" for name in _INTERVALS)]
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage and power of the recommended, tuned and labels' own interval by design."""
    rng = np.random.default_rng(seed)
    for name, draw in _list_designs().items():
        yield (name, *_measure(draw, rng, repetitions))


_STUDIED: Final[Mapping[str, tuple[str, Mapping[str, float]]]] = {
    **{f"numbers, n = {n}": (NUMBERS, {LABELS: n, OTHERS: 10 * n}) for n in (10, 25, 50, 100)},
    **{
        f"rate {rate:g}, n = {n}": (RATES, {LABELS: n, OTHERS: 10 * n, RARER: rate * n})
        for rate, sizes in ((0.3, (25, 50, 100)), (0.05, (25, 100, 300)))
        for n in sizes
    },
    "difference of rates .3 and .25, n = 100": (DIFFERENCES, {LABELS: 100, OTHERS: 1000}),
    "strata, n = 40, 40 and 40": (
        RATES,
        {LABELS: 120, OTHERS: 1080, STRATA: 3, RARER_OF_STRATUM: 4},
    ),
    "30 clusters of numbers": (NUMBERS, {CLUSTERS: 30, OTHER_CLUSTERS: 300, LARGEST: 5}),
}
"""What the data are like, and their numbers, by design. Whether a judge was trained on the labels
is not known of data."""
_COLUMNS: Final = {"recommended": INTERVAL, "tuned": TUNED, "labels": ALONE}


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often the intervals covered, by design.

    The recommended ones are those of designs in which they mostly rest on the grades.
    """
    for column, interval in _COLUMNS.items():
        for row in page.rows:
            if row["design"] not in _STUDIED:
                continue
            if interval == INTERVAL and float(row["alone"]) > MOSTLY:
                continue
            data, numbers = _STUDIED[row["design"]]
            of_labels = {
                noun: n for noun, n in numbers.items() if noun not in {OTHERS, OTHER_CLUSTERS}
            }
            yield (
                StudiedShare(
                    interval=interval,
                    data=data,
                    numbers=of_labels if interval == ALONE else numbers,
                    population=row["design"],
                    share=float(row[column]),
                    repetitions=page.repetitions,
                ),
            )


def _list_designs() -> dict[str, Draw]:
    return {
        **{f"numbers, n = {n}": partial(_draw_numbers, n=n) for n in (10, 25, 50, 100)},
        **{
            f"rate {rate:g}, n = {n}": partial(_draw_rates, n=n, rates=(rate,))
            for rate, sizes in ((0.3, (25, 50, 100)), (0.05, (25, 100, 300)))
            for n in sizes
        },
        "difference of rates .3 and .25, n = 100": partial(_draw_rates, n=100, rates=(0.3, 0.25)),
        "strata, n = 40, 40 and 40": _draw_strata,
        "30 clusters of numbers": _draw_clusters,
        "judge trained in four folds, n = 60": _draw_trained,
    }


def _measure(draw: Draw, rng: np.random.Generator, repetitions: int) -> tuple[TableCell, ...]:
    ends_of_all, estimates = [], []
    lengths, alone = [], 0
    for _ in range(repetitions):
        sample = draw(rng)
        table = build_judged_table(sample.losses, sample.judge, cluster=sample.cluster)
        result = evaluate(table, Choices(level=LEVEL), 0)
        if len(sample.losses) > 1:
            comparison = result.comparisons[0]
            interval, judge = comparison.interval, comparison.judge
        else:
            model = result.models["m"]
            interval, judge = model.recommended.get(Target.THESE_MODELS), model.judge
        assert judge is not None  # noqa: S101 - every design has one
        ends = (None, None) if interval is None else (interval.lower, interval.upper)
        of_labels = _get_ends(judge.labels_only)
        ends_of_all.append((ends, _get_ends(judge.prediction_powered), of_labels))
        estimates.append(judge.prediction_powered and judge.prediction_powered.estimate)
        alone += not judge.is_used
        if None not in {*ends, *of_labels}:
            lengths.append((ends[1] - ends[0]) / (of_labels[1] - of_labels[0]))  # type: ignore[operator]
    ends_less_truth = np.array(ends_of_all, dtype=np.float64).transpose(1, 2, 0) - sample.truth
    possible = (sample.least - sample.truth, math.inf)
    true_sd = float(np.nanstd(np.array(estimates, dtype=np.float64)))
    return (
        *(float(((lower <= 0) & (upper >= 0)).mean()) for lower, upper in ends_less_truth),
        float(np.mean(lengths)) if lengths else "-",
        alone / repetitions,
        *(
            measure_power(lower, upper, true_sd, possible=possible)
            for lower, upper in ends_less_truth
        ),
    )


def _get_ends(estimate: JudgeEstimate | None) -> tuple[float | None, float | None]:
    return (None, None) if estimate is None else (estimate.lower, estimate.upper)


def _draw_numbers(rng: np.random.Generator, n: int) -> JudgedSample:
    labels = rng.normal(size=11 * n)
    grades = 0.8 * labels + 0.6 * rng.normal(size=11 * n) + 0.5
    return JudgedSample({"m": _hide(labels, n)}, Judge(losses={"m": grades}), 0.0)


def _draw_rates(rng: np.random.Generator, n: int, rates: tuple[float, ...]) -> JudgedSample:
    """Draw 0/1 labels; the hard rows of two models are partly the same."""
    hardness = rng.normal(size=11 * n)
    labels, grades = {}, {}
    for name, rate in zip("mo", rates, strict=False):
        mixed = (hardness + rng.normal(size=11 * n)) / math.sqrt(2) if len(rates) > 1 else hardness
        labels[name] = (mixed < ndtri(rate)).astype(np.float64)
        grades[name] = np.abs(labels[name] - (rng.random(11 * n) < 0.1))
    truth = rates[0] - rates[1] if len(rates) > 1 else rates[0]
    least = -1.0 if len(rates) > 1 else 0.0
    shown = {name: _hide(values, n) for name, values in labels.items()}
    return JudgedSample(shown, Judge(losses=grades), truth, least=least)


def _draw_strata(rng: np.random.Generator) -> JudgedSample:
    """Draw three strata of 600, 300 and 300 rows with 40 labels each."""
    stratum = np.repeat([0, 1, 2], [600, 300, 300])
    rate = np.array([0.1, 0.3, 0.6])[stratum]
    labels = (rng.random(1200) < rate).astype(np.float64)
    grades = np.abs(labels - (rng.random(1200) < 0.1))
    hidden = labels.copy()
    for code in range(3):
        hidden[np.flatnonzero(stratum == code)[40:]] = np.nan
    truth = 0.5 * 0.1 + 0.25 * 0.3 + 0.25 * 0.6
    return JudgedSample({"m": hidden}, Judge(losses={"m": grades}, stratum=stratum.tolist()), truth)


def _draw_clusters(rng: np.random.Generator) -> JudgedSample:
    """Draw 330 clusters of one to five rows, of which 30 have labels."""
    sizes = rng.integers(1, 6, size=330)
    cluster = np.repeat(np.arange(330), sizes)
    shared = rng.normal(size=330)[cluster]
    labels = 0.6 * shared + 0.8 * rng.normal(size=len(cluster))
    grades = 0.8 * labels + 0.6 * rng.normal(size=len(cluster))
    n = int(sizes[:30].sum())
    return JudgedSample({"m": _hide(labels, n)}, Judge(losses={"m": grades}), 0.0, cluster.tolist())


def _draw_trained(rng: np.random.Generator) -> JudgedSample:
    """Draw rows of which a line of the labels is the judge, fitted without one fold at a time."""
    n = 60
    x = rng.normal(size=11 * n)
    labels = 0.8 * x + 0.6 * rng.normal(size=11 * n)
    fold = np.arange(n) % 4
    by_fold = []
    for code in range(4):
        mine = np.flatnonzero(fold != code)
        slope, intercept = np.polyfit(x[mine], labels[mine], 1)
        by_fold.append(intercept + slope * x)
    folds = [*fold.tolist(), *[None] * (10 * n)]
    return JudgedSample(
        {"m": _hide(labels, n)}, Judge(losses_by_fold={"m": by_fold}, fold=folds), 0.0
    )


def _hide(labels: FloatArray, n: int) -> FloatArray:
    """Return the labels with NaN after the first n rows."""
    hidden = labels.copy()
    hidden[n:] = np.nan
    return hidden
