r"""Whole sources drawn from those of a data set, and how often intervals cover a new source's risk.

Of K sources, m are drawn without replacement with all their rows, and the models of their splits
are judged on the others, so that no source is on both sides. The K sources are themselves few of
those that might exist. If the risks of sources are exchangeable with variance :math:`\tau^2`, an
estimate :math:`\hat\mu` from m of them has

.. math:: \mathrm{Var}[\hat\mu - \mu] = \frac{\tau^2}{m}, \quad
    \mathrm{Var}[\hat\mu - \bar r_K] = \frac{\tau^2}{m} \Bigl(1 - \frac mK\Bigr), \quad
    \mathrm{Var}[\hat\mu - \bar r_{K-m}] = \frac{\tau^2}{m} \Bigl(1 - \frac mK\Bigr)^{-1}

about the expected risk on a new source, about the mean of the K sources of the data, and about the
mean of the K - m that were not drawn. Coverage of the second is therefore too high, and of the
third too low. Coverage of the first is computed from the errors about the second, spread by
:math:`(1 - m/K)^{-1/2}` about their mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import estimate_mean, estimate_share
from thetahat.analyses.studies.population import MAX_JUDGED, OUTSIDE, DrawnData
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.analyses.studies.truths import NEW, NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.errors import InsufficientData
from thetahat.generators import DrawSize
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.tables.labels import encode_labels
from thetahat.values.coverage import MeasuredCoverage
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray, IntArray, Target


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WholeSources:
    """The sources of a data set taken as the population, each drawn with all its rows."""

    data: Data
    """With the source of every row."""
    n_judged: int = MAX_JUDGED
    """About the largest number of rows of the other sources on which models are judged."""

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        return "the sources that were not drawn"

    def draw_sources(
        self, size: DrawSize, rng: np.random.Generator
    ) -> Callable[[DrawSize, int], DrawnData]:
        """Draw ``n_sources`` sources; the numbers of rows in ``size`` are ignored."""
        code, labels = encode_labels(list(np.asarray(self.data.source)))
        drawn = np.isin(code, rng.permutation(len(labels))[: size.n_sources])
        return _WholeSourceDraw(self, code, drawn).draw


@dataclass(frozen=True, slots=True, eq=False)
class _WholeSourceDraw:
    population: WholeSources
    code: IntArray  # (n,) of sources
    drawn: np.ndarray  # (n,) whether the source of a row was drawn

    def draw(self, size: DrawSize, seed: int) -> DrawnData:  # noqa: ARG002 - the interface of a population
        """Return all rows of the sources; the seed chooses the rows to judge on, if many."""
        return DrawnData(
            data=select_rows(self.population.data, np.flatnonzero(self.drawn)),
            group=None,
            rest=self._select_rest,
            outside=cache(lambda: self._select_outside(seed)),
            by_source=True,
        )

    def _select_rest(self) -> Data:
        raise InsufficientData(
            "No rows of the drawn sources are left to compute the truth on, because whole sources "
            "are drawn."
        )

    def _select_outside(self, seed: int) -> Data:
        others = np.flatnonzero(~self.drawn)
        codes = np.unique(self.code[others])
        rng, most = (
            make_random_stream(seed, OUTSIDE),
            max(1, self.population.n_judged // len(codes)),
        )
        rows = [others[self.code[others] == code] for code in codes]
        judged = [
            each if len(each) <= most else rng.choice(each, most, replace=False) for each in rows
        ]
        return select_rows(self.population.data, np.sort(np.concatenate(judged)))


def measure_coverage(
    records: Records,
    where: tuple[str, str],
    interval: tuple[str, str, str],
    share: float,
) -> MeasuredCoverage | None:
    """Return how often an interval covered over draws of whole sources.

    Parameters
    ----------
    records : mapping
        Of a ``GeneralStudy`` of ``WholeSources`` with a new draw in every repetition.
    where : tuple of str
        Estimator and subject.
    interval : tuple of str
        Method, target and mean, as in the records.
    share : float
        m / K, the share of the sources in a draw.

    Returns
    -------
    MeasuredCoverage or None
        None if the interval was never built or has another target.

    Notes
    -----
    A ``prediction`` interval is compared with what is observed on one source that was not drawn.
    That source is independent of the draw, so nothing needs correcting.
    """
    place = (*where, record_names.INTERVALS, *interval)
    lower, upper = (records.get(make_record_name(*place, end)) for end in ("lower", "upper"))
    estimate = records.get(make_record_name(*where, record_names.MEAN, interval[2]))
    if lower is None or upper is None or estimate is None or np.isnan(lower).all():
        return None
    reader = RecordReader(records)
    known = {name: reader.truth(*where, name) for name in (NEW, NEW_FITTED, ONE_NEW)}
    truths = {name: truth.values for name, truth in known.items() if truth is not None}
    if interval[1] == Target.NEW_SOURCE and NEW in truths:
        target = _widen_truths(estimate, truths[NEW], share)
    elif interval[1] == PREDICTED and ONE_NEW in truths:
        target = truths[ONE_NEW]
    else:
        return None
    built = ~np.isnan(lower) & np.isfinite(target)
    width = upper - lower

    def coverage(truth: FloatArray) -> MonteCarloNumber:
        covers = (lower <= truth) & (truth <= upper)
        return estimate_share(covers, built & np.isfinite(truth))

    return MeasuredCoverage(
        coverage=coverage(target),
        truth_below=estimate_share(target < lower, built),
        truth_above=estimate_share(target > upper, built),
        width=estimate_mean(np.where(np.isfinite(width), width, np.nan)),
        covers={name: coverage(truth) for name, truth in truths.items()},
    )


def _widen_truths(estimate: FloatArray, sources_mean: FloatArray, share: float) -> FloatArray:
    """Return (R,) truths with the distances to the estimates of the risk on a new source."""
    error = estimate - sources_mean
    bias = np.nanmean(error) if np.isfinite(error).any() else math.nan
    return np.asarray(estimate - (bias + (error - bias) / math.sqrt(1 - share)))
