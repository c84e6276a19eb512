"""Intervals compared with the recommended one on the same draws.

Two intervals of one draw are long together and miss together, so the difference of their coverages
and the ratio of their scores vary far less than those of independent draws would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import compute_interval_score, estimate_mean
from thetahat.analyses.studies.record_names import group_record_names
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.truths import PREDICTED
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber
from thetahat.values.types import BoolArray, FloatArray, IntArray
from thetahat_replications.presets.interval_coverage.power import find_truth

RELATIVE_SCORE: Final = "relative_score"
"""Column with the mean score over the recommended interval's, on the same draws."""
MORE_COVERAGE: Final = "more_coverage"
"""Column with the coverage minus the recommended interval's, on the same draws."""

Place: TypeAlias = tuple[str, str, str]
"""Scheme, target and interval."""


@dataclass(frozen=True, slots=True, eq=False)
class _DrawnIntervals:
    """The (R,) interval scores of one interval, and in which repetitions it covers."""

    scores: FloatArray
    covers: BoolArray
    judged: BoolArray


def compare_with_recommended(
    records: Records, source_blocks: frozenset[str], level: float
) -> dict[Place, dict[str, MonteCarloNumber]]:
    """Return relative score and more coverage of each interval of a cell with one learner.

    An interval is judged by its own target, and where that truth is unknown by the expected error
    of learning from all rows.
    """
    reader = RecordReader(records, source_blocks)
    compared: dict[Place, dict[str, MonteCarloNumber]] = {}
    groups = group_record_names(records, record_names.INTERVALS)
    for (scheme, subject), names in groups.items():
        drawn = {
            (target, method): one
            for method, target, mean, end in names
            if end == "lower"
            and target != PREDICTED
            and (one := _judge(reader, (scheme, subject), (method, target, mean), level))
        }
        for (target, method), one in drawn.items():
            recommended = drawn.get((target, RECOMMENDED))
            if recommended is not None:
                compared[scheme, target, method] = _compare(one, recommended, reader.clusters)
    return compared


def _judge(
    reader: RecordReader, about: tuple[str, str], interval: tuple[str, str, str], level: float
) -> _DrawnIntervals | None:
    truth = find_truth(reader, about, interval[1])
    if truth is None:
        return None
    place = (*about, record_names.INTERVALS, *interval)
    lower, upper = reader.at(*place, "lower"), reader.at(*place, "upper")
    return _DrawnIntervals(
        compute_interval_score(lower, upper, truth.values, level),
        (lower <= truth.values) & (truth.values <= upper),
        ~np.isnan(lower) & np.isfinite(truth.values),
    )


def _compare(
    one: _DrawnIntervals, recommended: _DrawnIntervals, groups: IntArray | None
) -> dict[str, MonteCarloNumber]:
    both = one.judged & recommended.judged
    more = one.covers.astype(np.float64) - recommended.covers.astype(np.float64)
    return {
        RELATIVE_SCORE: divide_pairs(one.scores, recommended.scores, groups),
        MORE_COVERAGE: estimate_mean(np.where(both, more, np.nan), groups),
    }


def divide_pairs(a: FloatArray, b: FloatArray, groups: IntArray | None = None) -> MonteCarloNumber:
    r"""Return the mean of a over that of b, for (R,) numbers of the same draws.

    .. math:: r = \bar a / \bar b, \qquad \widehat{se}^2 = \widehat{\mathrm{Var}}\Bigl[
        \frac1R \sum_i (a_i - r b_i) / \bar b\Bigr]

    which is the error of first order. Repetitions without one of the two are left out.
    """
    known = np.isfinite(a) & np.isfinite(b)
    mean = float(b[known].mean()) if known.any() else 0.0
    if mean == 0:
        return UNDEFINED
    ratio = float(a[known].mean()) / mean
    residuals = np.where(known, (a - ratio * b) / mean, np.nan)
    return MonteCarloNumber(ratio, estimate_mean(residuals, groups).standard_error)
