"""The score interval of results and the t interval for a win rate with ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import numpy as np
from scipy import stats

from thetahat.analyses.losses.pair_coverage import DIFFER, FEWER_WINS, ROWS, WIN_RATES
from thetahat.analyses.losses.win_rates import compute_ends
from thetahat.distributions import compute_fair_coin_p_value
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Alternative
from thetahat_replications.edges.simulated_intervals import ORACLE, SHIFT
from thetahat_replications.edges.studied_shares import StudiedShare, share_designs
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (5, 10, 20, 50, 200, 1000, 5000)
SHARES: Final = (
    *((0.35, 0.35), (0.5, 0.5), (0.6, 0.2), (0.8, 0.1), (0.95, 0.05), (0.1, 0.0)),
    *((0.15, 0.05), (0.06, 0.04), (0.02, 0.02), (0.02, 0.0)),
)
"""Shares of wins and of losses; the others are ties."""

TITLE: Final = "Win rates with ties"
ABOUT: Final = f"""
n independent units, on which a wins, loses or ties. The win rate counts a tie one half. Columns:
how often the intervals of level {LEVEL:g} cover, by Tango's score interval for the share of wins
minus that of losses, which contains one half unless the exact sign test rejects it, and by t with
n - 1 degrees of freedom for the mean of 1, 1/2 and 0, which has length 0 where all units are alike;
their mean lengths; and their power: how often they exclude the rate that lies {SHIFT:g} standard
deviations of the estimate below the true one, as a share of the power of the normal test that knows
the standard deviation. It has no value where that rate is below 0, and a t interval of length 0
excludes nothing.
"""


COLUMNS: Final = (
    "wins | losses | n | Tango covers | t covers | mean length, Tango | mean length, t | "
    "power, Tango | power, t"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of both, each different sample computed once."""
    for number, (wins, losses) in enumerate(SHARES):
        for n in SIZES:
            rng = np.random.default_rng([seed, number, n])
            drawn = rng.multinomial(n, [wins, losses, max(0.0, 1 - wins - losses)], repetitions)
            samples, times = np.unique(drawn, axis=0, return_counts=True)
            truth = (1 + wins - losses) / 2
            true_sd = ((wins + losses - (wins - losses) ** 2) / (4 * n)) ** 0.5
            other = truth - SHIFT * true_sd
            judged = np.array([_judge(int(a), int(b), n, (truth, other)) for a, b, _ in samples])
            tango, t, *lengths, finds, t_finds = (judged * times[:, None]).sum(axis=0) / repetitions
            yield (
                f"{wins:g}",
                f"{losses:g}",
                n,
                format_share(float(tango), repetitions),
                format_share(float(t), repetitions),
                *map(float, lengths),
                *(float(share) / ORACLE if other >= 0 else "" for share in (finds, t_finds)),
            )


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often the interval of results covered."""
    return share_designs(map(partial(_read_share, page.repetitions), page.rows))


def _read_share(repetitions: int, row: Mapping[str, str]) -> StudiedShare:
    n, wins, losses = int(row["n"]), float(row["wins"]), float(row["losses"])
    return StudiedShare(
        interval=WIN_RATES,
        data="",
        numbers={
            ROWS: n,
            DIFFER: max(1.0, n * (wins + losses)),
            FEWER_WINS: max(1.0, n * min(wins, losses)),
        },
        population=f"{100 * wins:g} % wins, {100 * losses:g} % losses",
        share=float(row["Tango covers"].split()[0]),
        repetitions=repetitions,
    )


def _judge(
    a: int, b: int, n: int, rates: tuple[float, float]
) -> tuple[bool, bool, float, float, bool, bool]:
    """Return of both whether they cover the first rate, their lengths, and what they find."""
    truth, other = rates
    counts = PairedCounts(only_a=a, only_b=b, both=0, n=n)
    p_value = compute_fair_coin_p_value(a, a + b, Alternative.TWO_SIDED)
    lower, upper = compute_ends(counts, 1 - LEVEL, p_value)
    rate = (1 + counts.difference) / 2
    values = np.repeat([1.0, 0.0, 0.5], [a, b, n - a - b])
    reach = float(stats.t.ppf((1 + LEVEL) / 2, n - 1)) * float(values.std(ddof=1)) / n**0.5
    return (
        lower <= truth <= upper,
        abs(rate - truth) <= reach,
        upper - lower,
        2 * reach,
        lower > other,
        reach > 0 and rate - reach > other,
    )
