"""Coverage of the mean error rate over these sources, where errors are rare or sources small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from thetahat.intervals.price_bonett import PSEUDO_ERRORS, PriceBonett
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import (
    NORMAL,
    WHAT_IS_SHOWN,
    measure_ends,
    measure_t_rule,
    name_columns,
)
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableCell, TableRow

TITLE: Final = "Rare errors over sources"
ABOUT: Final = f"""
The mean error rate over these sources, for a model that was not trained on them. The old rule is
the t interval on `theta_A`, with the degrees of freedom of Welch and Satterthwaite: a source
without errors has no spread, and its rate counts as known. Today's is `price_bonett`, which counts
2/K errors and 2/K correct predictions more in each source; `as published` has the divisor of the
source. Rates are the same in all sources, or (different) spread evenly from .02 to .4.
{WHAT_IS_SHOWN}
Where no sample has an interval, length and power are 0. Power may exceed that of the oracle, whose
test is of a normal mean, where rates are rare and means skewed.
"""
SIZES: Final = {
    "1, 100": (1, 100),
    "3, 500": (3, 500),
    "20, 500": (20, 500),
    "2, 2, 200, 200": (2, 2, 200, 200),
    "5, 5, 5, 1000 x 3": (5, 5, 5, 1000, 1000, 1000),
    "5 to 2000 (8 tasks)": (5, 12, 28, 66, 155, 366, 863, 2000),
    "4 x 50": (50,) * 4,
    "8 x 20": (20,) * 8,
    "10 x 10": (10,) * 10,
    "20 x 3": (3,) * 20,
    "50 x 2": (2,) * 50,
    "50 x 10": (10,) * 50,
    "3 x 200": (200,) * 3,
    "6 x 500": (500,) * 6,
    "10 x 100": (100,) * 10,
    "20 x 30": (30,) * 20,
    "20 x 200": (200,) * 20,
    "60 x 100": (100,) * 60,
    "20 to 200 (5 tasks)": (20, 36, 63, 112, 200),
    "50 to 500 (20 tasks)": tuple(round(50 * 10 ** (i / 19)) for i in range(20)),
}
RATES: Final = (0.02, 0.1, 0.3)
DIFFERENT: Final = (0.02, 0.4)
"""Rates of the first and the last source."""


SOURCES: Final = "sources"
SMALLEST, LARGEST = "rows in the smallest source", "rows in the largest source"
COLUMNS: Final = f"sizes | rate | {name_columns('`theta_A`', '`price_bonett`', 'as published')}"


def collect_shares(page: KeptPage) -> Iterable[tuple[StudiedShare, ...]]:
    """Return how often today's interval covered, by sizes, of sources with the same rates."""
    return share_sizes(page, PriceBonett.info.name, "rate", "error rate")


def share_sizes(
    page: KeptPage, interval: str, rate: str, words: str
) -> Iterable[tuple[StudiedShare, ...]]:
    """Return the shares of an interval by sizes of sources, from the rows of a page.

    Parameters
    ----------
    page : KeptPage
        Its rows have the sizes, the rates and the interval in columns.
    interval, rate : str
        The name of the interval, and the heading of the rates.
    words : str
        What the rates are of.
    """
    together: dict[str, list[StudiedShare]] = {}
    for row in page.rows:
        sizes = SIZES[row["sizes"]]
        share = StudiedShare(
            interval=interval,
            data="",
            numbers={SOURCES: len(sizes), SMALLEST: min(sizes), LARGEST: max(sizes)},
            population=f"{words} {row[rate]}".replace(" different", "s that differ"),
            share=float(row[f"`{interval}`"].split()[0]),
            repetitions=page.repetitions,
        )
        together.setdefault(row["sizes"], []).append(share)
    return [tuple(shares) for shares in together.values()]


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the three intervals by sizes and rates."""
    for name, sizes in SIZES.items():
        rates = {f"{rate:g}": np.full(len(sizes), rate) for rate in RATES}
        rates["different"] = np.linspace(*DIFFERENT, len(sizes))
        for rate_name, of_sources in rates.items():
            rng = make_random_stream(seed, f"{name} {rate_name}")
            cells = _measure(np.array(sizes), of_sources, repetitions, rng)
            yield (name, rate_name, *cells)


def _measure(
    sizes: IntArray, rates: FloatArray, repetitions: int, rng: np.random.Generator
) -> tuple[TableCell, ...]:
    k = len(sizes)
    truth, true_sd = float(rates.mean()), float(np.sqrt((rates * (1 - rates) / sizes).sum())) / k
    errors = rng.binomial(sizes, rates, (repetitions, k))
    shares = errors / sizes
    means = shares.mean(axis=1)
    least = np.maximum(sizes - 1, 1)
    parts = shares * (1 - shares) / least
    total = parts.sum(axis=1)
    degrees = np.ones(repetitions)
    np.divide(total**2, (parts**2 / least).sum(axis=1), out=degrees, where=total > 0)
    of_theta_a = measure_t_rule(means - truth, np.sqrt(total) / k, degrees, true_sd)
    return (
        *of_theta_a,
        *_measure_added(errors, sizes, means, truth, true_sd, divisor_less=1.0),
        *_measure_added(errors, sizes, means, truth, true_sd, divisor_less=0.0),
    )


def _measure_added(  # noqa: PLR0913 - the samples and their truth
    errors: IntArray,
    sizes: IntArray,
    means: FloatArray,
    truth: float,
    true_sd: float,
    *,
    divisor_less: float,
) -> tuple[str, float, float]:
    """Return what the interval with added errors reaches, its ends within 0 and 1."""
    added = PSEUDO_ERRORS / len(sizes)
    enlarged = sizes + 2 * added
    rates = (errors + added) / enlarged
    variance = (rates * (1 - rates) / (enlarged - divisor_less)).sum(axis=1) / len(sizes) ** 2
    centre, reach = rates.mean(axis=1), NORMAL * np.sqrt(variance)
    lower = np.maximum(np.minimum(centre - reach, means), 0.0)
    upper = np.minimum(np.maximum(centre + reach, means), 1.0)
    return measure_ends(lower - truth, upper - truth, true_sd)
