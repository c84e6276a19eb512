"""Coverage of intervals over items for how often one or all of k runs succeed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from thetahat.analyses.runs.pass_at import compute_pass_all
from thetahat.analyses.runs.success_rates import (
    INTERVAL,
    ITEMS,
    LEAST_RARER,
    RARER,
    estimate_success_rate,
)
from thetahat.intervals.student_t import StudentT
from thetahat.intervals.wilson import Wilson
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableCell, TableRow

LEVEL: Final = 0.95
RUNS: Final = 8
K: Final = 4
RATES: Final = (0.5, 0.3, 0.1, 0.03, 0.01, 0.003)
SIZES: Final = (10, 30, 100, 300, 1000)
SPREADS: Final = {"alike": 12.0, "between": 2.0, "apart": 0.4}
"""Sum of both parameters of the beta distribution of the items' rates."""
TITLE: Final = "Runs of items of which one or all succeed"
ABOUT: Final = f"""
Each of I items has {RUNS} runs, and a rate of success drawn from a beta distribution, whose
parameters sum to 12 (items alike), 2 or .4 (items far apart). The true value is how often all of
{K} runs of a new item succeed. How often at least one succeeds is one minus the same of failures,
so that this table is that of both. Columns: how often the interval of the result, of level
{LEVEL:g}, covers in the samples in which it is t over the items, and in those in which it is
Wilson's as of one run for each item; the share of the latter, which are those in which the
unbiased estimates of the items, or one minus them, sum to less than {LEAST_RARER:g}; how often it
covers in all samples; how often t covers in all samples, where it has no length if all estimates
are equal; the mean length of the result's interval over that of t; and the power of both in all
samples: how often they exclude a value that is {SHIFT:g} standard deviations of the estimate above
or below the true one, if there is such a share, over the power of the normal test that knows the
standard deviation. The standard error of a coverage of .95 in all samples is .004 with 3000
repetitions.
Reading: t alone covers in as few as .68 where an outcome is rare. The interval of the result covers
in .91 or more, and is then up to three times as long, where the items are alike. Where it is
Wilson's and the rate is .1 or less, it has a power of .0 to .6.
"""
COLUMNS: Final = (
    "items | rate | spread | t | Wilson | is Wilson | result | t everywhere | length | "
    "power, result | power, t"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage and power of the result's interval and of t by design."""
    rng = np.random.default_rng(seed)
    for n_items in SIZES:
        for rate in RATES:
            if rate * n_items < 1:
                continue
            for spread, total in SPREADS.items():
                yield (
                    n_items,
                    f"{rate:g}",
                    spread,
                    *_measure(n_items, rate, total, rng, repetitions),
                )


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often t and Wilson's covered in the designs in which most samples have them."""
    columns = {"t": StudentT.info.name, "Wilson": Wilson.info.name}
    designs: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for row in page.rows:
        column = "Wilson" if float(row["is Wilson"].removesuffix(" %")) > 50 else "t"
        designs.setdefault((row["items"], row["rate"], column), []).append(row)
    for (items, rate, column), rows in designs.items():
        yield tuple(
            StudiedShare(
                interval=INTERVAL,
                data=columns[column],
                numbers={ITEMS: int(items), RARER: int(items) * float(rate)},
                population=f"items {row['spread']}",
                share=float(row[column]),
                repetitions=page.repetitions,
            )
            for row in rows
        )


def _measure(
    n_items: int, rate: float, total: float, rng: np.random.Generator, repetitions: int
) -> tuple[TableCell, ...]:
    mean = float(brentq(lambda m: _find_rate(m, total) - rate, 1e-6, 1 - 1e-6))
    shares = rng.beta(mean * total, (1 - mean) * total, (repetitions, n_items))
    runs = np.full(n_items, RUNS)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(n_items, dtype=np.intp))
    covered: dict[str, list[bool]] = {StudentT.info.name: [], Wilson.info.name: []}
    by_t, lengths = [], np.zeros(2)
    ends, estimates = [], []
    for successes in rng.binomial(RUNS, shares):
        by_item = BlockLosses(layout, values=compute_pass_all(runs, successes, K))
        found = estimate_success_rate(by_item, LEVEL)
        assert found.lower is not None  # noqa: S101 - there are two items or more
        assert found.upper is not None  # noqa: S101 - likewise
        covered[str(found.method)].append(found.lower <= rate <= found.upper)
        reach = float(stdtrit(n_items - 1, (1 + LEVEL) / 2)) * (found.standard_error or 0.0)
        by_t.append(reach > 0 and abs(found.estimate - rate) <= reach)
        lengths += found.upper - found.lower, 2 * reach
        estimates.append(found.estimate)
        by_both = (found.lower, found.upper), (found.estimate - reach, found.estimate + reach)
        ends.append(by_both)
    t, wilson = covered.values()
    return (
        float(np.mean(t)) if t else "-",
        float(np.mean(wilson)) if wilson else "-",
        f"{100 * len(wilson) / repetitions:.1f} %",
        (sum(t) + sum(wilson)) / repetitions,
        float(np.mean(by_t)),
        float(lengths[0] / lengths[1]),
        *(
            measure_power(lower, upper, float(np.std(estimates)), possible=(-rate, 1 - rate))
            for lower, upper in np.transpose(ends, (1, 2, 0)) - rate
        ),
    )


def _find_rate(mean: float, total: float) -> float:
    """Return how often all of K runs of a random item succeed."""
    steps = np.arange(K)
    return float(np.prod((mean * total + steps) / (total + steps)))
