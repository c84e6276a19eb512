r"""Whole sources drawn from those of a data set, and how often intervals cover a new source's risk.

Of K sources, m are drawn without replacement with all their rows, and the models of their splits
are judged on the others, so that no source is on both sides. The sources at hand are themselves few
of those that there might be. With risks of sources that are exchangeable with variance
:math:`\tau^2`, an estimate :math:`\hat\mu` from m of them has

.. math:: \mathrm{Var}[\hat\mu - \mu] = \frac{\tau^2}{m}, \quad
    \mathrm{Var}[\hat\mu - \bar r_K] = \frac{\tau^2}{m} \Bigl(1 - \frac mK\Bigr), \quad
    \mathrm{Var}[\hat\mu - \bar r_{K-m}] = \frac{\tau^2}{m} \Bigl(1 - \frac mK\Bigr)^{-1}

about the expected risk on a new source, about the mean of the K at hand, and about the mean of the
K - m that were not drawn. So coverage of the second is too high, of the third too low, by as much.
The first is told by errors about the second that are spread by :math:`(1 - m/K)^{-1/2}` about their
mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean, monte_carlo_share
from thetahat.analyses.studies.population import MOST_JUDGED, OUTSIDE, DrawnData
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.analyses.studies.truths import NEW, NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.errors import InsufficientData
from thetahat.generators import DrawSize
from thetahat.seeds import stream
from thetahat.tables.data import Data
from thetahat.tables.labels import encode_labels
from thetahat.values.types import FloatArray, IntArray, Target


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WholeSources:
    """The sources of a data set taken as the population, each with all its rows.

    Parameters
    ----------
    data : Data
        With the source of every row.
    n_judged : int
        About the most rows of sources that were not drawn on which models are judged.
    """

    data: Data
    n_judged: int = MOST_JUDGED

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return "the sources that were not drawn"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> _Chosen:
        """Draw ``n_sources`` sources; how many rows the size says is not looked at."""
        code, labels = encode_labels(list(np.asarray(self.data.source)))
        drawn = np.isin(code, rng.permutation(len(labels))[: size.n_sources])
        return _Chosen(self, code, drawn)


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    population: WholeSources
    code: IntArray  # (n,) of sources
    drawn: np.ndarray  # (n,) whether a row's source was

    def draw(self, size: DrawSize, seed: int) -> DrawnData:  # noqa: ARG002 - a population's way
        """Return all rows of the sources; the seed chooses those to judge on, if many."""
        return DrawnData(
            data=select_rows(self.population.data, np.flatnonzero(self.drawn)),
            group=None,
            rest=self._rest,
            outside=cache(lambda: self._outside(seed)),
            by_source=True,
        )

    def _rest(self) -> Data:
        raise InsufficientData("all rows of the sources were drawn, and none is left to judge on")

    def _outside(self, seed: int) -> Data:
        others = np.flatnonzero(~self.drawn)
        codes = np.unique(self.code[others])
        rng, most = stream(seed, OUTSIDE), max(1, self.population.n_judged // len(codes))
        rows = [others[self.code[others] == code] for code in codes]
        some = [
            each if len(each) <= most else rng.choice(each, most, replace=False) for each in rows
        ]
        return select_rows(self.population.data, np.sort(np.concatenate(some)))


def measure_coverage(
    records: Records,
    where: tuple[str, str],
    interval: tuple[str, str, str],
    share: float,
) -> Mapping[str, MonteCarloNumber | Mapping[str, MonteCarloNumber]] | None:
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
        m / K, of the sources in a draw.

    Returns
    -------
    mapping or None
        ``coverage``, ``truth_below``, ``truth_above``, ``width``, and ``covers`` with the coverage
        of what was observed; None where the interval was never built or its target is another.

    Notes
    -----
    A ``prediction`` interval is for what is observed on one new source, and the one that it is held
    against was not drawn: independent of the draw, so that nothing needs correcting.
    """
    place = (*where, record_names.INTERVALS, *interval)
    lower, upper = (
        records.get(record_names.record_name(*place, end)) for end in ("lower", "upper")
    )
    estimate = records.get(record_names.record_name(*where, record_names.MEAN, interval[2]))
    if lower is None or upper is None or estimate is None or np.isnan(lower).all():
        return None
    reading = RecordReader(records)
    seen = {name: reading.truth(*where, name) for name in (NEW, NEW_FITTED, ONE_NEW)}
    values = {name: truth.values for name, truth in seen.items() if truth is not None}
    if interval[1] == Target.NEW_SOURCE and NEW in values:
        aimed = _of_any_source(estimate, values[NEW], share)
    elif interval[1] == PREDICTED and ONE_NEW in values:
        aimed = values[ONE_NEW]
    else:
        return None
    built = ~np.isnan(lower) & np.isfinite(aimed)
    width = upper - lower

    def among(truth: FloatArray) -> MonteCarloNumber:
        return monte_carlo_share((lower <= truth) & (truth <= upper), built & np.isfinite(truth))

    return {
        "coverage": among(aimed),
        "truth_below": monte_carlo_share(aimed < lower, built),
        "truth_above": monte_carlo_share(aimed > upper, built),
        "width": monte_carlo_mean(np.where(np.isfinite(width), width, np.nan)),
        "covers": {name: among(truth) for name, truth in values.items()},
    }


def _of_any_source(estimate: FloatArray, at_hand: FloatArray, share: float) -> FloatArray:
    """(R,) truths whose distance from the estimates is that from the risk on any source."""
    error = estimate - at_hand
    bias = np.nanmean(error) if np.isfinite(error).any() else math.nan
    return np.asarray(estimate - (bias + (error - bias) / math.sqrt(1 - share)))
