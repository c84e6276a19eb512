"""Find which number of a sample tells that intervals for its mean cover too rarely.

Losses are drawn from seventeen distributions. The page ``heavy_tails.md`` has the coverage of the t
interval and of the intervals for skewed losses, and for each diagnostic its median and how well it
separates samples of designs where the t interval covers in less than 0.90 from those of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from scipy import stats

from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat.cautions import HEAVY_TAILED_LOSSES
from thetahat.values.types import FloatArray
from thetahat_replications import markdown_pages
from thetahat_replications.edges.hall_transformation import bound_skewness, invert
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.markdown_pages import write_table

LEVEL: Final = 0.95
LOW_COVERAGE: Final = 0.90
SIZES: Final = (17, 50, 67, 200, 333, 1000)
"""Losses of a sample: 17, 67 and 333 are the thirds that a holdout of 50, 200 and 1000 tests."""
TAIL_SHARE: Final = 0.1
"""Share of the losses that Hill's tail index is computed from, at least five of them."""

_Sampler = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
DISTRIBUTIONS: Final[Mapping[str, tuple[_Sampler, float]]] = {
    "uniform": (lambda g, s: g.random(s), 0.5),
    "normal": (lambda g, s: g.standard_normal(s), 0.0),
    "t, 5 degrees": (lambda g, s: g.standard_t(5, s), 0.0),
    "absolute normal": (lambda g, s: np.abs(g.standard_normal(s)), math.sqrt(2 / math.pi)),
    "exponential": (lambda g, s: g.exponential(size=s), 1.0),
    "squared normal": (lambda g, s: g.chisquare(1, s), 1.0),
    "squared normal about a curve": (
        lambda g, s: (g.standard_normal(s) + 0.5 * (g.standard_normal(s) ** 2 - 1)) ** 2,
        1.5,
    ),
    "squared t, 8 degrees": (lambda g, s: g.standard_t(8, s) ** 2, 8 / 6),
    "squared t, 5 degrees": (lambda g, s: g.standard_t(5, s) ** 2, 5 / 3),
    "squared t, 3 degrees": (lambda g, s: g.standard_t(3, s) ** 2, 3.0),
    "lognormal, 1": (lambda g, s: g.lognormal(sigma=1.0, size=s), math.exp(0.5)),
    "lognormal, 1.5": (lambda g, s: g.lognormal(sigma=1.5, size=s), math.exp(1.125)),
    "Pareto, 2.5": (lambda g, s: g.pareto(2.5, s), 1 / 1.5),
    "Pareto, 1.5": (lambda g, s: g.pareto(1.5, s), 2.0),
    "Bernoulli, 0.1": (lambda g, s: (g.random(s) < 0.1).astype(float), 0.1),
    "Bernoulli, 0.3": (lambda g, s: (g.random(s) < 0.3).astype(float), 0.3),
    "zero or lognormal, 0.05": (
        lambda g, s: np.where(g.random(s) < 0.05, g.lognormal(sigma=1.0, size=s), 0.0),
        0.05 * math.exp(0.5),
    ),
}
"""Distributions of losses, with their means."""
INTERVALS: Final = ("t", "skewness_corrected", "t, power", "skewness_corrected, power")
DIAGNOSTICS: Final = ("skewness of the mean", "largest share", "share of 2 %", "1 / Hill's index")


_ABOUT: Final = (
    f"`{COMMAND}`, seed {{seed}}, {{repetitions}} samples of each design: the coverage of "
    f"intervals of level {LEVEL} for the mean of independent losses, and what a sample tells of "
    f"it. Power is how often an interval excludes a value that is {SHIFT:g} standard deviations of "
    "the simulated means from the true one, as a share of the power of the normal test that knows "
    "the standard deviation. The area under the ROC curve is that of finding the designs where the "
    f"t interval covers in less than {LOW_COVERAGE}, from single samples and from the medians of "
    "the designs. The caution `heavy_tailed_losses` uses the skewness of the mean."
)


def measure(seed: int, repetitions: int) -> Iterator[dict[str, object]]:
    """Yield a row for each distribution and size, with the diagnostics of every sample."""
    for n in SIZES:
        for number, (name, (draw, mean)) in enumerate(DISTRIBUTIONS.items()):
            rng = np.random.default_rng([seed, n, number])
            samples = draw(rng, (repetitions, n))
            yield {"distribution": name, "n": n, **_judge(samples, mean)}


def _judge(samples: FloatArray, mean: float) -> dict[str, Any]:
    n = samples.shape[1]
    centred = samples - samples.mean(axis=1, keepdims=True)
    second = (centred**2).mean(axis=1)
    varies = second > 0
    second = np.where(varies, second, 1.0)
    skewness = (centred**3).mean(axis=1) / second**1.5 / math.sqrt(n)
    error = np.sqrt(second / (n - 1))
    means = samples.mean(axis=1)
    t = (means - mean) / error
    quantile = stats.t.ppf((1 + LEVEL) / 2, n - 1)
    bounded, scale = bound_skewness(skewness, quantile), np.where(varies, error, 0.0)
    ends = {
        "t": (t - quantile, t + quantile),
        "skewness_corrected": (t - invert(quantile, bounded), t - invert(-quantile, bounded)),
    }
    squares = np.sort(centred**2, axis=1)[:, ::-1]
    sizes, n_tail = np.sqrt(squares), max(5, round(TAIL_SHARE * n))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sizes[:, :n_tail] / sizes[:, n_tail : n_tail + 1])
    by_name = {
        "skewness of the mean": np.abs(skewness),
        "largest share": squares[:, 0] / (n * second),
        "share of 2 %": squares[:, : math.ceil(0.02 * n)].sum(axis=1) / (n * second),
        "1 / Hill's index": np.nan_to_num(logs.mean(axis=1), nan=0.0, posinf=0.0),
    }
    return {
        **{
            name: float((varies & (lower <= 0) & (upper >= 0)).mean())
            for name, (lower, upper) in ends.items()
        },
        **{
            f"{name}, power": measure_power(lower * scale, upper * scale, float(means.std()))
            for name, (lower, upper) in ends.items()
        },
        "varies": float(varies.mean()),
        "samples": by_name,
    }


def separate(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float, float]]:
    """Yield each diagnostic with two areas under ROC curves: of single samples, and of medians."""
    low = np.array([row["t"] < LOW_COVERAGE for row in rows])
    for name in DIAGNOSTICS:
        samples = [row["samples"][name] for row in rows]
        medians = np.array([np.median(values) for values in samples])
        positive = np.concatenate([s for s, is_low in zip(samples, low, strict=True) if is_low])
        negative = np.concatenate([s for s, is_low in zip(samples, low, strict=True) if not is_low])
        yield name, _compute_area(positive, negative), _compute_area(medians[low], medians[~low])


def _compute_area(positive: FloatArray, negative: FloatArray) -> float:
    statistic = stats.mannwhitneyu(positive, negative).statistic
    return float(statistic / (len(positive) * len(negative)))


def write_page(rows: Sequence[Mapping[str, Any]], seed: int, repetitions: int) -> str:
    """Return the page, in Markdown."""
    areas = (
        (name, f"{sample_area:.3f}", f"{median_area:.3f}")
        for name, sample_area, median_area in separate(rows)
    )
    columns = ("distribution", "losses", *INTERVALS, *DIAGNOSTICS, "cautioned")
    return markdown_pages.write_page(
        "Heavy-tailed losses",
        _ABOUT.format(seed=seed, repetitions=repetitions),
        write_table(("diagnostic", "area, samples", "area, medians"), areas),
        write_table(columns, (_write_row(row) for row in rows)),
    )


def _write_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    skewness = row["samples"]["skewness of the mean"]
    return (
        row["distribution"],
        str(row["n"]),
        *(f"{row[name]:.3f}" for name in INTERVALS),
        *(f"{np.median(row['samples'][name]):.2f}" for name in DIAGNOSTICS),
        f"{float((skewness >= HEAVY_TAILED_LOSSES.threshold).mean()):.2f}",
    )
