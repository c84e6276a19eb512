"""Differences of two error rates over these sources, where errors are rare or sources small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import numpy as np
from scipy.special import stdtr

from thetahat.intervals.tango_sources import TangoSources
from thetahat.numerics.paired_rates import compute_p_value_of_at_least, weigh_sources_alike
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.rare_errors_over_sources import SIZES, share_sizes
from thetahat_replications.edges.simulated_intervals import (
    LEVEL,
    SHIFT,
    WHAT_IS_SHOWN,
    compute_power_of_bounds,
    measure_ends,
    measure_t_rule,
    name_columns,
)
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import BETWEEN, KeptPage, TableRow, format_share

ALPHA: Final = 0.05
DIFFERENT: Final = "different"
_Rates: TypeAlias = float | tuple[float, float]
RATES: Final[Mapping[str, tuple[_Rates, _Rates]]] = {
    "0.02 and 0": (0.02, 0.0),
    "0.02 and 0.02": (0.02, 0.02),
    "0.05 and 0": (0.05, 0.0),
    "0.05 and 0.02": (0.05, 0.02),
    "0.1 and 0.05": (0.1, 0.05),
    "0.15 and 0.15": (0.15, 0.15),
    "0.4 and 0.1": (0.4, 0.1),
    DIFFERENT: ((0.01, 0.3), (0.01, 0.2)),
}
"""The rates at which only the new model errs and only the old one does, of all sources, or of the
first and the last."""
TITLE: Final = "Differences of rare errors over sources"
ABOUT: Final = f"""
The difference of two models' mean error rates over these sources; neither was trained on them. The
new model errs alone at the first rate and the old one at the second, in all sources, or (different)
at rates that rise evenly from .01 in the first source to .3 and .2 in the last. The old rule is
the t interval on `theta_A`, with the degrees of freedom of Welch and Satterthwaite: a source in
which nothing differs counts as known. Today's is `tango_sources`.
{WHAT_IS_SHOWN}
`not_worse`: how often the statement is made with a margin that is the true difference, so that it
is false and may be made in at most 5 % of {{repetitions}} samples. Its power is how often it is
made where the margin is larger by {SHIFT:g} standard deviations of the estimate, as a share of the
power of the one-sided normal test that knows the standard deviation. Where no sample has an
interval, length and power are 0.
"""
COLUMNS: Final = BETWEEN.join(
    [
        f"sizes | rates | {name_columns('`theta_A`', '`tango_sources`')}",
        "`not_worse`, old rule | today | power, old rule | power, today",
    ]
)


def collect_shares(page: KeptPage) -> Iterable[tuple[StudiedShare, ...]]:
    """Return how often today's interval covered, by sizes, of sources with the same rates."""
    return share_sizes(page, TangoSources.info.name, "rates", "one model alone wrong, rate")


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of two intervals, and how often `not_worse` is false."""
    for name, sizes in SIZES.items():
        for rate_name, (p10, p01) in RATES.items():
            rng = make_random_stream(seed, f"{name} {rate_name}")
            rates = _spread(p10, len(sizes)), _spread(p01, len(sizes))
            yield (name, rate_name, *_measure(np.array(sizes), rates, repetitions, rng))


def _spread(rate: _Rates, k: int) -> FloatArray:
    """Return the (k,) rates of the sources."""
    return np.linspace(*rate, k) if isinstance(rate, tuple) else np.full(k, rate)


def _measure(
    sizes: IntArray,
    rates: tuple[FloatArray, FloatArray],
    repetitions: int,
    rng: np.random.Generator,
) -> TableRow:
    k, (p10, p01) = len(sizes), rates
    truth = float((p10 - p01).mean())
    true_sd = float(np.sqrt(((p10 + p01 - (p10 - p01) ** 2) / sizes).sum())) / k
    cells = np.stack([p10, p01, 1 - p10 - p01], axis=1)
    drawn = rng.multinomial(sizes, cells, (repetitions, k))
    new, old = drawn[..., 0], drawn[..., 1]

    differences = ((new - old) / sizes).mean(axis=1)
    least = np.maximum(sizes - 1, 1)
    parts = ((new + old) / sizes - ((new - old) / sizes) ** 2) / least
    total = parts.sum(axis=1)
    degrees = np.ones(repetitions)
    np.divide(total**2, (parts**2 / least).sum(axis=1), out=degrees, where=total > 0)
    errors = np.sqrt(total) / k
    of_theta_a = measure_t_rule(differences - truth, errors, degrees, true_sd)

    method, tail = TangoSources(), (1 - LEVEL) / 2
    nothing = np.zeros(k, dtype=np.intp)
    counts = [weigh_sources_alike(a, b, nothing, sizes) for a, b in zip(new, old, strict=True)]
    ends = np.array([method.compute_ends(each, tail) for each in counts])
    of_tango = measure_ends(ends[:, 0] - truth, ends[:, 1] - truth, true_sd)
    said = []
    for margin in (truth, truth + SHIFT * true_sd):
        with np.errstate(divide="ignore", invalid="ignore"):
            old = np.where(errors > 0, stdtr(degrees, (differences - margin) / errors), 1.0)
        today = [
            compute_p_value_of_at_least(each, margin) if margin > 0 else 1.0 for each in counts
        ]
        said += [float(np.mean(np.array(p) < ALPHA)) for p in (old, today)]
    wrong = [format_share(each, repetitions) if truth > 0 else "-" for each in said[:2]]
    return (*of_theta_a, *of_tango, *wrong, *(np.array(said[2:]) / compute_power_of_bounds(SHIFT)))
