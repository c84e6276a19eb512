"""Coverage of the intervals of coefficients and rates of agreement, and of differences of kappa."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from thetahat.analyses.agreement.expected_coverage import KAPPA_DIFFERENCES, ONE_RIGHT, RAREST
from thetahat.analyses.agreement.measuring import measure_agreement
from thetahat.analyses.agreement.result import AgreementEstimate, KappaDifference
from thetahat.distributions import compute_upper_quantile
from thetahat.values.agreement_coverage import DIFFERENT, ITEMS, RARER, RATES, name_data
from thetahat_replications.edges.simulated_intervals import SHIFT, is_inside, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare, share_designs
from thetahat_replications.edges.table import BETWEEN, KeptPage, TableCell, TableRow

LEVEL: Final = 0.95
KEYS: Final = ("kappa", "gwet_ac1", "krippendorff_alpha", "fleiss_kappa")
RATE_KEYS: Final = ("observed", "sensitivity", "specificity")
OTHER: Final = 1.5
"""How many times as often as the first rater and the truth the second rater errs."""
N_RESAMPLES: Final = 500
"""Of items, for a difference of kappas. A result has 2000 of them; the study would take hours."""
N_FOR_TRUTH: Final = 400_000
"""Items from which the true coefficients are computed."""

TITLE: Final = "Agreement of raters"
ABOUT: Final = f"""
Raters err independently on items of two categories; the rate is that of the rarer one, error the
chance that a rater is wrong. Four categories are equally common, and a wrong rating is one of the
other three. Five raters leave out three in ten ratings. Clusters have five items,
of which all are hard (error .3) or easy (error .02). Kappa is of the first two raters; AC1, alpha
and Fleiss' kappa are of all. Each pair of columns has the interval of the result, which is a t
interval on the scale of Fisher's z, and plain, the estimate plus and minus t standard errors. None
is the share of samples without any disagreement, in which there is no interval and which count as
not covered. Power is how often an interval excludes a value that is {SHIFT:g} standard deviations
of the estimate above or below the true one, as a share of the power of the normal test that knows
the standard deviation; values above 1 are left out, and samples without an interval find nothing.
Level {LEVEL:g}. The standard error of a coverage of .95 is .007 with 1000 repetitions.
Reading: the intervals cover in .94 to .98 where items disagree, and the plain ones in .90 to .95.
With an error of .02 and 40 items a fifth of the samples has no interval; `few_disagreements` says
so, and the observed agreement has Wilson's interval.

The other columns are of other samples, of a truth and two raters. The truth errs as often as the
first rater, and the second one {OTHER:g} times as often. Observed is the share of equal ratings of
the first rater and the truth; it, sensitivity and specificity have Wilson's interval, in clusters
by their design effect. The difference is that of the kappas of both raters, with a percentile
interval from {N_RESAMPLES} resamples (a result has 2000), in the samples in which there is one;
none of it is the share of the others. Rates cover in .93 to .97, and differences in .91 to .96, but
in .78 with an error of .02 and 40 items: one rater alone is right on two of them on average.
"""


@dataclass(frozen=True, slots=True)
class _Design:
    name: str
    n: int
    rate: float
    error: float
    raters: int = 2
    missing: float = 0.0
    clusters: bool = False
    categories: int = 2

    def collect_shares(self, row: Mapping[str, str], repetitions: int) -> Iterator[StudiedShare]:
        """Yield how often the interval of each coefficient covered where there was one."""
        built = 1 - float(row["none"])
        numbers = {ITEMS: float(self.n), DIFFERENT: self.n * self.find_share()}
        if self.clusters:
            numbers["clusters"] = self.n / 5
        for key in KEYS:
            if key == "kappa" and self.raters > 2:
                continue  # the items that both rated are fewer than the design says
            yield StudiedShare(
                interval=key,
                data=name_data(self.raters, self.categories),
                numbers=numbers,
                population=self.name,
                share=round(float(row[f"{key} z"]) / built, 3),
                repetitions=round(repetitions * built),
            )

    def read_truth_columns(
        self, row: Mapping[str, str], repetitions: int
    ) -> Iterator[StudiedShare]:
        """Yield how often the intervals of rates and of the difference of kappas covered."""
        rates = self.find_rates()
        for key, (n, rarer) in rates.items():
            numbers = {ITEMS: n, RARER: rarer}
            if self.clusters:
                numbers["clusters"] = self.n / 5 * (1 - (1 - n / self.n) ** 5)
            yield StudiedShare(
                interval=RATES,
                data="",
                numbers=numbers,
                population=f"{key}, {self.name}",
                share=float(row[key]),
                repetitions=repetitions,
            )
        rarest = rates["sensitivity"][0] if self.categories == 2 else self.n / self.categories
        numbers = {ITEMS: float(self.n), RAREST: rarest, ONE_RIGHT: self.n * self.find_one_right()}
        if self.clusters:
            numbers["clusters"] = self.n / 5
        yield StudiedShare(
            interval=KAPPA_DIFFERENCES,
            data=name_data(2, self.categories),
            numbers=numbers,
            population=self.name,
            share=float(row["difference"]),
            repetitions=round(repetitions * (1 - float(row["none of it"]))),
        )

    def list_errors(self) -> list[tuple[float, float]]:
        """Return the chances of errors, each with its share of the items."""
        return [(0.3, 0.3), (0.02, 0.7)] if self.clusters else [(self.error, 1.0)]

    def find_rates(self) -> dict[str, tuple[float, float]]:
        """Return the number of items of each rate, and of those with the rarer outcome."""
        found = {"observed": (float(self.n), self.n * self.find_share())}
        if self.categories > 2:
            return found
        for key, rate in (("sensitivity", self.rate), ("specificity", 1 - self.rate)):
            both = one = 0.0
            for error, weight in self.list_errors():
                right, wrong = rate * (1 - error), (1 - rate) * error
                one += weight * (right + wrong)
                both += weight * (right * (1 - error) + wrong * error)
            found[key] = self.n * one, self.n * min(both, one - both)
        return found

    def find_one_right(self) -> float:
        """Return the share of the items on which one of both raters agrees with the truth."""
        total = 0.0
        for error, weight in self.list_errors():
            cases = (1 - error, 1 - error, 1 - OTHER * error), (error, *self._agree_in_error(error))
            total += weight * sum(p * (a * (1 - b) + b * (1 - a)) for p, a, b in cases)
        return total

    def _agree_in_error(self, error: float) -> tuple[float, float]:
        """Return how often both raters give the wrong rating of the truth."""
        return error / (self.categories - 1), OTHER * error / (self.categories - 1)

    def find_share(self) -> float:
        """Return the share of the items with two ratings or more that have different ones."""
        if self.clusters:
            return 0.3 * 2 * 0.3 * 0.7 + 0.7 * 2 * 0.02 * 0.98
        one_other, here = self.error / (self.categories - 1), 1 - self.missing
        different = rated = 0.0
        for k in range(2, self.raters + 1):
            chance = math.comb(self.raters, k) * here**k * self.missing ** (self.raters - k)
            same = (1 - self.error) ** k + (self.categories - 1) * one_other**k
            different += chance * (1 - same)
            rated += chance
        return different / rated


DESIGNS: Final = (
    _Design("30 items, rate .5, error .1", 30, 0.5, 0.1),
    _Design("50 items, rate .3, error .1", 50, 0.3, 0.1),
    _Design("200 items, rate .3, error .1", 200, 0.3, 0.1),
    _Design("100 items, rate .05, error .03", 100, 0.05, 0.03),
    _Design("400 items, rate .05, error .03", 400, 0.05, 0.03),
    _Design("100 items, five raters, error .1", 100, 0.3, 0.1, 5, 0.3),
    _Design("40 clusters of five items", 200, 0.3, 0.1, clusters=True),
    _Design("40 items, rate .3, error .02", 40, 0.3, 0.02),
    _Design("1000 items, rate .3, error .1", 1000, 0.3, 0.1),
    _Design("300 items, five raters, rate .1, error .05", 300, 0.1, 0.05, 5, 0.3),
    _Design("50 items, four categories, error .15", 50, 0.25, 0.15, categories=4),
    _Design("300 items, four categories, error .15", 300, 0.25, 0.15, categories=4),
    _Design(
        "100 items, five raters, four categories, error .15", 100, 0.25, 0.15, 5, 0.3, False, 4
    ),
)


_INTERVALS: Final = [f"{key} {form}" for key in KEYS for form in ("z", "plain")]
COLUMNS: Final = BETWEEN.join(
    [
        *("design", *_INTERVALS, "none", *(f"{name}, power" for name in _INTERVALS)),
        *(*RATE_KEYS, "difference", "none of it"),
    ]
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage and power of four coefficients by design, with and without Fisher's z."""
    rng = np.random.default_rng(seed)
    for number, design in enumerate(DESIGNS):
        of_rates, of_difference = (np.random.default_rng([seed, number, part]) for part in (0, 1))
        yield (
            design.name,
            *_measure(design, rng, repetitions),
            *_measure_rates(design, of_rates, repetitions),
            *_measure_difference(design, of_difference, repetitions),
        )


def _measure(design: _Design, rng: np.random.Generator, repetitions: int) -> tuple[TableCell, ...]:
    population = _compute(*_draw(design, rng, N_FOR_TRUTH))
    truth = np.array([population[key].estimate for key in KEYS], dtype=np.float64)
    samples = [_compute(*_draw(design, rng, design.n)) for _ in range(repetitions)]
    estimates = np.array([[each[key].estimate for key in KEYS] for each in samples], dtype=float)
    ends = np.array([[_list_ends(each[key]) for key in KEYS] for each in samples])
    lower, upper = (ends - truth[:, None, None]).transpose(3, 1, 2, 0)
    covered = ((lower <= 0) & (upper >= 0)).mean(axis=2)
    powers = [
        measure_power(
            lower[k, form],
            upper[k, form],
            float(np.nanstd(estimates[:, k], ddof=1)),
            possible=(-1 - truth[k], 1 - truth[k]),
        )
        for k in range(len(KEYS))
        for form in (0, 1)
    ]
    without = sum(each["kappa"].lower is None for each in samples)
    return (*covered.ravel().tolist(), without / repetitions, *powers)


def _measure_rates(
    design: _Design, rng: np.random.Generator, repetitions: int
) -> tuple[TableCell, ...]:
    """Return how often the intervals of the rates cover; nothing of several raters."""
    if design.raters > 2:
        return ("",) * len(RATE_KEYS)
    truths = _compute_rates(*_draw_with_truth(design, rng, N_FOR_TRUTH))
    covered: dict[str, list[bool]] = {key: [] for key in truths}
    for _ in range(repetitions):
        found = _compute_rates(*_draw_with_truth(design, rng, design.n))
        for key, rate in found.items():
            covered[key].append(is_inside(rate.lower, rate.upper, truths[key].estimate or 0.0))
    return tuple(float(np.mean(covered[key])) if key in covered else "" for key in RATE_KEYS)


def _compute_rates(
    ratings: dict[str, np.ndarray], cluster: list[int] | None
) -> dict[str, AgreementEstimate]:
    """Return the rates of the first rater."""
    two = {name: ratings[name] for name in ("r0", "r1")}
    (pair,) = measure_agreement(two, truth="r0", cluster=cluster, level=LEVEL).pairs
    found = {key: getattr(pair, key) for key in RATE_KEYS}
    return {key: rate for key, rate in found.items() if rate is not None}


def _measure_difference(
    design: _Design, rng: np.random.Generator, repetitions: int
) -> tuple[TableCell, ...]:
    """Return how often the interval of the difference covers, and how often there is none."""
    if design.raters > 2:
        return "", ""
    truth = _compare(*_draw_with_truth(design, rng, N_FOR_TRUTH), n_resamples=1).difference
    covered = []
    for _ in range(repetitions):
        found = _compare(*_draw_with_truth(design, rng, design.n), N_RESAMPLES)
        if found.lower is not None:
            covered.append(is_inside(found.lower, found.upper, truth or 0.0))
    return float(np.mean(covered)) if covered else "-", 1 - len(covered) / repetitions


def _compare(
    ratings: dict[str, np.ndarray], cluster: list[int] | None, n_resamples: int
) -> KappaDifference:
    (found,) = measure_agreement(
        ratings, truth="r0", cluster=cluster, level=LEVEL, n_resamples=n_resamples
    ).differences
    return found


def _compute(
    ratings: dict[str, np.ndarray], cluster: list[int] | None
) -> dict[str, AgreementEstimate]:
    result = measure_agreement(ratings, cluster=cluster, level=LEVEL)
    return {"kappa": result.pairs[0].kappa, **result.coefficients}


def _list_ends(found: AgreementEstimate) -> list[tuple[float, float]]:
    """Return the ends of the interval, and of the plain one; NaN without an interval."""
    if found.estimate is None or found.standard_error is None or found.lower is None:
        return [(math.nan, math.nan)] * 2
    assert found.upper is not None  # noqa: S101 - as the lower end
    degrees = found.degrees_of_freedom or math.inf
    reach = compute_upper_quantile((1 - LEVEL) / 2, degrees) * found.standard_error
    return [(found.lower, found.upper), (found.estimate - reach, found.estimate + reach)]


def _draw(
    design: _Design, rng: np.random.Generator, n: int, times: Sequence[float] = (1.0,) * 5
) -> tuple[dict[str, np.ndarray], list[int] | None]:
    """Return ratings and clusters, given how many times as often as others each rater errs."""
    if design.categories > 2:
        return _draw_categories(design, rng, n, times), None
    true = rng.random(n) < design.rate
    cluster = np.arange(n) // 5
    error: float | np.ndarray = design.error
    if design.clusters:
        error = np.where(rng.random(int(cluster[-1]) + 1) < 0.3, 0.3, 0.02)[cluster]
    ratings = {}
    for rater in range(design.raters):
        rated = np.where(rng.random(n) < times[rater] * error, ~true, true).astype(np.float64)
        rated[rng.random(n) < design.missing] = np.nan
        ratings[f"r{rater}"] = rated
    return ratings, cluster.tolist() if design.clusters else None


def _draw_with_truth(
    design: _Design, rng: np.random.Generator, n: int
) -> tuple[dict[str, np.ndarray], list[int] | None]:
    """Return the ratings of the truth and of two raters, of whom the second errs more often."""
    return _draw(replace(design, raters=3), rng, n, (1.0, 1.0, OTHER))


def _draw_categories(
    design: _Design, rng: np.random.Generator, n: int, times: Sequence[float]
) -> dict[str, np.ndarray]:
    true = rng.integers(0, design.categories, n)
    ratings = {}
    for rater in range(design.raters):
        wrong = (true + rng.integers(1, design.categories, n)) % design.categories
        rated = np.where(rng.random(n) < times[rater] * design.error, wrong, true).astype(
            np.float64
        )
        rated[rng.random(n) < design.missing] = np.nan
        ratings[f"r{rater}"] = rated
    return ratings


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often intervals covered in the samples that have one, by design and coefficient."""
    designs = {design.name: design for design in DESIGNS}
    for row in page.rows:
        for share in designs[row["design"]].collect_shares(row, page.repetitions):
            yield (share,)
    yield from share_designs(
        share
        for row in page.rows
        if row["difference"]
        for share in designs[row["design"]].read_truth_columns(row, page.repetitions)
    )
