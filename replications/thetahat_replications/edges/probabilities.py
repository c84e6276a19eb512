"""Intervals and p-values about predicted probabilities."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from scipy.special import expit

from thetahat.analyses.probabilities.calibrated_samples import compute_sample_p_value, draw_samples
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.expected_coverage import ROWS_OF_RARER
from thetahat.analyses.probabilities.means import estimate_in_the_large
from thetahat.analyses.probabilities.model_probabilities import ProbabilitySettings
from thetahat.analyses.probabilities.options import RATES, Probabilities
from thetahat.analyses.probabilities.pair_probabilities import (
    describe_pair_probabilities,
    resample_parts,
)
from thetahat.analyses.probabilities.result import ProbabilityEstimate
from thetahat.analyses.probabilities.score_parts import OutcomeScores, PartValues, divide_scores
from thetahat.analyses.probabilities.slopes import estimate_recalibration
from thetahat.analyses.probabilities.threshold_rates import compare_threshold, measure_threshold
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

LEVEL: Final = 0.95
N_FOR_TRUTH: Final = 400_000
RESAMPLES: Final = 200
"""Samples of each p-value and each bootstrap."""
SCORES: Final = ("brier", "log")
THRESHOLD: Final = 0.5
IN_THE_LARGE: Final = "in_the_large"
SIZE_OF: Final = "size of "
"""Before the name of a p-value, whose share is no coverage."""

TITLE: Final = "Predicted probabilities"
ABOUT: Final = f"""
Outcomes are drawn from logits x: `calibrated` probabilities are expit(x), `over-confident` ones
have the slope .6, `shifted` ones are too high on average. Clusters have five rows, whose logits
share a normal effect of variance 1 that probabilities do not know. Of two models, one is calibrated
and the other knows x with noise (`noisy`) or is over-confident. Coverage is that of two-sided
intervals of level {LEVEL:g}; size is how often p is at most .05 for calibrated probabilities, with
{RESAMPLES} samples each. None is the share of samples without an interval (all outcomes alike, or
separated), which count neither as covered nor as missed. Power is how often an interval excludes a
value that is {SHIFT:g} standard deviations of the estimate above or below the true one, as a share
of the power of the normal test that knows the standard deviation. Samples without an interval find
nothing, and a value that is impossible, such as a rate above 1, is left out; where both are, power
is empty. Monte-Carlo standard errors are in brackets.

Reading: intervals in the large cover in .94 to .98, also with one event on average. Those of
slopes cover in .94 to .96; with six events among 200 rows that of the profile likelihood covers in
.944, where Wald's did in .887. The shift of all logits of over-confident probabilities is covered
in .92 with 50 rows. With clusters, also ten of them, intervals cover in .94 and more. The p-values
of miscalibration hold their level. Differences of scores and of their parts cover in .93 to .98.
Rates at the threshold {THRESHOLD:g} cover in .94 to .97, their differences in .93 to .99. Power is
.93 or more, but less in the large with six events or fewer (.3 to .6), with one event (.3 to .8),
of rates at the threshold with 50 rows or ten to forty clusters (.0 to .9) and of all intervals with
ten clusters (.9).
"""


@dataclass(frozen=True, slots=True)
class _Population:
    """Logits x ~ N(mean, sd^2), of which probabilities have the slope and shift."""

    name: str
    mean: float
    sd: float
    slope: float = 1.0
    shift: float = 0.0
    effect: float = 0.0

    def draw(self, rng: np.random.Generator, n: int, clusters: int | None = None) -> BinaryEvent:
        """Return n rows, of which clusters have equal numbers."""
        x = self.mean + self.sd * rng.standard_normal(n)
        p = expit((x - self.mean) / self.slope + self.mean + self.shift)
        cluster = None
        true = x
        if clusters is not None:
            cluster = np.arange(n) * clusters // n
            true = x + self.effect * rng.standard_normal(clusters)[cluster]
        y = (rng.random(n) < expit(true)).astype(np.float64)
        return BinaryEvent("event", y, p, cluster)


MODELS: Final = (
    _Population("calibrated, rate .3", -1.0, 1.0),
    _Population("over-confident, rate .3", -1.0, 1.0, slope=0.6),
    _Population("calibrated, rate .1", -2.6, 1.0),
    _Population("shifted, rate .1", -2.6, 1.0, shift=0.5),
    _Population("calibrated, rate .03", -4.0, 1.0),
)
SIZES: Final = (50, 200, 1000)
CLUSTERED: Final = (
    _Population("clusters, rate .3", -1.0, 1.0, effect=1.0),
    _Population("clusters, rate .5, sd 2", 0.0, 2.0, effect=1.0),
)
N_CLUSTERS: Final = (10, 20, 40, 100)
ROWS_OF_CLUSTER: Final = 5
KINDS: Final = ("noisy", "over-confident")
SIZES_OF_PAIRS: Final = ((50, None), (200, None), (1000, None), (200, 40))
"""Rows and clusters of the samples in which two models are compared."""


COLUMNS: Final = "of | population | n | clusters | rarer | coverage or size | none | power"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage and power, or size, by design and quantity."""
    parts: tuple[Callable[[np.random.Generator, int], Iterator[TableRow]], ...] = (
        partial(_measure_populations, in_clusters=False),
        partial(_measure_populations, in_clusters=True),
        _measure_sizes,
        _measure_pairs,
        _measure_rates_of_pairs,
    )
    for place, measure_part in enumerate(parts):
        yield from measure_part(np.random.default_rng([seed, place]), repetitions)


class _Counts:
    """How often the intervals of several quantities covered, and excluded other values."""

    def __init__(self, possible: Mapping[str, tuple[float, float]]) -> None:
        self.possible = possible
        """The least and the largest value of a quantity; any if it is not named."""
        self.truths: dict[str, float] = {}
        self.estimates: dict[str, list[float]] = defaultdict(list)
        self.ends: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.rarer = 0.0
        self.repetitions = 0

    def add(self, event: BinaryEvent) -> None:
        """Count a sample."""
        self.rarer += event.n_rarer
        self.repetitions += 1

    def see(self, quantity: str, truth: float | None, found: ProbabilityEstimate) -> None:
        """Count an interval; the truth of what is not defined of the population is None."""
        if truth is None:
            return
        self.truths[quantity] = truth
        if found.estimate is not None:
            self.estimates[quantity].append(found.estimate)
        if found.lower is not None and found.upper is not None:
            self.ends[quantity].append((found.lower, found.upper))

    def list_rows(self, population: str, n: int, clusters: int | None) -> Iterator[TableRow]:
        """Yield a row for each quantity."""
        rarer = f"{self.rarer / self.repetitions:.0f}"
        for quantity, ends in self.ends.items():
            lower, upper = np.array(ends).T - self.truths[quantity]
            present = len(ends)
            covered = int(((lower <= 0) & (upper >= 0)).sum())
            yield (
                quantity,
                population,
                n,
                "" if clusters is None else clusters,
                rarer,
                format_share(covered / present, present),
                1 - present / self.repetitions,
                self._measure_power(quantity, lower, upper) * present / self.repetitions,
            )

    def _measure_power(self, quantity: str, lower: FloatArray, upper: FloatArray) -> float:
        """Return the power where there is an interval, by its ends less the truth."""
        least, largest = self.possible.get(quantity, (-np.inf, np.inf))
        truth = self.truths[quantity]
        true_sd = float(np.std(self.estimates[quantity], ddof=1))
        possible = (least - truth, largest - truth)
        return measure_power(lower, upper, true_sd, possible=possible)


def _measure_populations(
    rng: np.random.Generator, repetitions: int, *, in_clusters: bool
) -> Iterator[TableRow]:
    sizes: list[tuple[int, int | None]] = [(n, None) for n in SIZES]
    n_large = None
    if in_clusters:
        sizes = [(clusters * ROWS_OF_CLUSTER, clusters) for clusters in N_CLUSTERS]
        n_large = N_FOR_TRUTH // ROWS_OF_CLUSTER
    for population in CLUSTERED if in_clusters else MODELS:
        large = population.draw(rng, N_FOR_TRUTH, n_large)
        truths = _estimate_all(large, with_rates=in_clusters)
        mean = float(large.probabilities.mean())
        possible = dict.fromkeys(RATES, (0.0, 1.0)) | {IN_THE_LARGE: (-mean, 1 - mean)}
        for n, clusters in sizes:
            counts = _Counts(possible)
            for _ in range(repetitions):
                event = population.draw(rng, n, clusters)
                counts.add(event)
                for name, found in _estimate_all(event, with_rates=in_clusters).items():
                    counts.see(name, truths[name].estimate, found)
            yield from counts.list_rows(population.name, n, clusters)


def _estimate_all(event: BinaryEvent, *, with_rates: bool) -> dict[str, ProbabilityEstimate]:
    """Return the estimates by the names of their quantities."""
    recalibration = estimate_recalibration(event, LEVEL)
    estimates = {IN_THE_LARGE: estimate_in_the_large(event, LEVEL)}
    for name in ("slope", "intercept", "intercept_slope_one"):
        estimates[name] = getattr(recalibration, name)
    if with_rates:
        at_half = measure_threshold(event, THRESHOLD, LEVEL)
        estimates |= {name: getattr(at_half, name) for name in RATES}
    return estimates


def _measure_sizes(rng: np.random.Generator, repetitions: int) -> Iterator[TableRow]:
    for population in (MODELS[0], MODELS[2], MODELS[4]):
        for n in SIZES:
            rejected: dict[str, int] = defaultdict(int)
            rarer = 0
            for _ in range(repetitions):
                event = population.draw(rng, n)
                rarer += event.n_rarer
                samples = draw_samples(
                    event, SCORES, None, np.zeros(1, dtype=np.intp), RESAMPLES, rng
                )
                parts = _divide(event)
                for name, drawn in samples.miscalibration.items():
                    p = compute_sample_p_value(drawn, parts[name].miscalibration)
                    rejected[name] += p <= 1 - LEVEL
            for name, count in rejected.items():
                yield (
                    f"{SIZE_OF}miscalibration ({name})",
                    population.name,
                    n,
                    "",
                    f"{rarer / repetitions:.0f}",
                    format_share(count / repetitions, repetitions),
                    0.0,
                    "",
                )


def _measure_pairs(rng: np.random.Generator, repetitions: int) -> Iterator[TableRow]:
    for kind in KINDS:
        truths = _find_pair_truths(_draw_pair(rng, N_FOR_TRUTH, kind, None))
        for n, clusters in SIZES_OF_PAIRS:
            counts = _Counts({})
            of_kind = truths
            if clusters is not None:
                large = _draw_pair(rng, N_FOR_TRUTH, kind, N_FOR_TRUTH // ROWS_OF_CLUSTER)
                of_kind = _find_pair_truths(large)
            settings = ProbabilitySettings(
                options=Probabilities(), level=LEVEL, n_samples=RESAMPLES
            )
            for _ in range(repetitions):
                a, b = _draw_pair(rng, n, kind, clusters)
                counts.add(a)
                resampled = resample_parts({"a": a, "b": b}, SCORES, RESAMPLES, rng)
                found = describe_pair_probabilities(("a", "b"), (a, b), resampled, settings)
                for name in SCORES:
                    for part in ("score", "miscalibration", "discrimination"):
                        counts.see(
                            f"{name}_{part}_difference",
                            of_kind[name, part],
                            getattr(found.parts[name], part),
                        )
            yield from counts.list_rows(f"calibrated against {kind}", n, clusters)


def _measure_rates_of_pairs(rng: np.random.Generator, repetitions: int) -> Iterator[TableRow]:
    """Yield coverage and power of the calibrated model's rates, and of differences of two models.

    Rates of one model with clusters are measured with the other intervals of one model.
    """
    possible = dict.fromkeys(RATES, (0.0, 1.0))
    possible |= {f"{name}_difference": (-1.0, 1.0) for name in RATES}
    for kind in KINDS:
        for n, clusters in SIZES_OF_PAIRS:
            n_clusters = None if clusters is None else N_FOR_TRUTH // ROWS_OF_CLUSTER
            large = _draw_pair(rng, N_FOR_TRUTH, kind, n_clusters)
            of_model = measure_threshold(large[0], THRESHOLD, LEVEL)
            of_pair = compare_threshold(*large, THRESHOLD, LEVEL)
            counts = _Counts(possible)
            for _ in range(repetitions):
                pair = _draw_pair(rng, n, kind, clusters)
                counts.add(pair[0])
                found = compare_threshold(*pair, THRESHOLD, LEVEL)
                for name in RATES:
                    truth = getattr(of_pair, name).estimate
                    counts.see(f"{name}_difference", truth, getattr(found, name))
                if clusters is None:
                    alone = measure_threshold(pair[0], THRESHOLD, LEVEL)
                    for name in RATES:
                        truth = getattr(of_model, name).estimate
                        counts.see(name, truth, getattr(alone, name))
            yield from counts.list_rows(f"calibrated against {kind}", n, clusters)


def _draw_pair(
    rng: np.random.Generator, n: int, kind: str, clusters: int | None
) -> tuple[BinaryEvent, BinaryEvent]:
    x = -1 + rng.standard_normal(n)
    cluster: IntArray | None = None
    effect: FloatArray | float = 0.0
    if clusters is not None:
        cluster = np.arange(n) * clusters // n
        effect = rng.standard_normal(clusters)[cluster]
    y = (rng.random(n) < expit(x + effect)).astype(np.float64)
    other = x + rng.standard_normal(n) if kind == "noisy" else (x + 1) / 0.6 - 1
    return BinaryEvent("event", y, expit(x), cluster), BinaryEvent(
        "event", y, expit(other), cluster
    )


def _divide(event: BinaryEvent) -> dict[str, PartValues]:
    levels = event.levels
    return divide_scores(event.sums, levels.sizes, OutcomeScores.build_all(SCORES, levels.values))


def _find_pair_truths(
    pair: tuple[BinaryEvent, BinaryEvent],
) -> dict[tuple[str, str], float]:
    divided = [_divide(each) for each in pair]
    return {
        (name, part): getattr(divided[0][name], part) - getattr(divided[1][name], part)
        for name in SCORES
        for part in ("score", "miscalibration", "discrimination")
    }


def collect_shares(page: KeptPage) -> Iterable[tuple[StudiedShare, ...]]:
    """Return the coverage of each quantity by size and rarity, over populations alike in both."""
    together: dict[tuple[object, ...], list[StudiedShare]] = defaultdict(list)
    for row in page.rows:
        if row["of"].startswith(SIZE_OF):
            continue
        numbers = {"rows": float(row["n"]), ROWS_OF_RARER: float(row["rarer"])}
        if row["clusters"]:
            numbers["clusters"] = float(row["clusters"])
        share = StudiedShare(
            interval=row["of"],
            data="probabilities",
            numbers=numbers,
            population=row["population"],
            share=float(row["coverage or size"].split()[0]),
            repetitions=round(page.repetitions * (1 - float(row["none"]))),
        )
        place = (
            share.interval,
            row["n"],
            row["clusters"],
            _classify_rarity(numbers[ROWS_OF_RARER]),
        )
        together[place].append(share)
    return [tuple(shares) for shares in together.values()]


def _classify_rarity(rarer: float) -> int:
    """Return a class of rarity: up to 1.4, 2.8, 5.6 and so on."""
    return math.floor(math.log2(max(rarer, 1.0) / 1.4))
