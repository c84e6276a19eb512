"""Records read by estimator and subject: estimates, and the truth that each is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import (
    monte_carlo_mean,
    monte_carlo_pooled_variance,
    monte_carlo_variance,
)
from thetahat.analyses.studies.record_names import (
    ALL_MODELS,
    SOURCES,
    TRUTHS,
    group_record_names,
    record_name,
)
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.analyses.studies.truths import AVERAGE_OF, OF_ALL_SOURCES, TITLES
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RecordedTruth:
    """What is true in each repetition.

    Parameters
    ----------
    name : str
        A key of ``TITLES``.
    values : ndarray of float
        (R,) one for each repetition.
    each : ndarray of float or None
        (R,) what it is the average of over these repetitions; None where it is known in each.
    """

    name: str
    values: FloatArray
    each: FloatArray | None = None

    @property
    def is_average(self) -> bool:
        """Whether it is an average over these repetitions."""
        return self.each is not None

    def average(self, clusters: IntArray | None) -> MonteCarloNumber:
        """Return its average over repetitions."""
        return monte_carlo_mean(self.values if self.each is None else self.each, clusters)

    def bias_of(self, values: FloatArray, clusters: IntArray | None) -> MonteCarloNumber:
        """Return the average error of an estimate; its error counts the average's own."""
        return monte_carlo_mean(
            values - (self.values if self.each is None else self.each), clusters
        )


@dataclass(frozen=True, slots=True, eq=False)
class RecordReader:
    """The records of a study.

    Parameters
    ----------
    records : mapping
        As a study's ``run`` gives them, all repetitions.
    source_blocks : frozenset of str
        Estimators whose blocks are sources: what speaks of these sources is true of one set.
    """

    records: Records
    source_blocks: frozenset[str] = frozenset()

    @property
    def n(self) -> int:
        """R, the number of repetitions."""
        return len(next(iter(self.records.values())))

    @property
    def groups(self) -> IntArray:
        """(R,) code of the set of sources that each repetition was drawn from."""
        sources = self.records.get(SOURCES)
        if sources is None:
            return np.zeros(self.n, dtype=np.intp)
        return np.asarray(np.unique(sources, return_inverse=True)[1], dtype=np.intp)

    @property
    def clusters(self) -> IntArray | None:
        """(R,) which repetitions are not independent: those of one set, where there are several."""
        groups = self.groups
        return groups if 1 < int(groups.max()) + 1 < self.n else None

    def at(self, *parts: str) -> FloatArray:
        """(R,) of one record."""
        return self.records[record_name(*parts)]

    def truths(self, estimator: str, subject: str) -> dict[str, RecordedTruth]:
        """Return every truth that is known of a subject; of a pair, a's minus b's."""
        found = ((name, self.truth(estimator, subject, name)) for name in TITLES)
        return {name: truth for name, truth in found if truth is not None}

    def truth(self, estimator: str, subject: str, name: str) -> RecordedTruth | None:
        """Return one truth, or None where nothing says it."""
        values = self._recorded(estimator, subject, name)
        if values is not None:
            return RecordedTruth(name, values)
        if name not in AVERAGE_OF:
            return None
        single = self._recorded(estimator, subject, AVERAGE_OF[name])
        if single is None or not np.isfinite(single).any():
            return None
        averages = self._averages(estimator, name, single)
        return None if averages is None else RecordedTruth(name, averages, single)

    def variance_about(self, truth: RecordedTruth, values: FloatArray) -> MonteCarloNumber:
        """Return the variance of an estimate about a truth over repetitions.

        About one that is known in each, its mean squared error; about an average, its variance in
        the repetitions that the average is over.
        """
        if not truth.is_average:
            return monte_carlo_mean((values - truth.values) ** 2, self.clusters)
        groups = self.groups
        if truth.name in OF_ALL_SOURCES:
            n_groups = int(groups.max()) + 1
            return MonteCarloNumber(None) if n_groups == 1 else monte_carlo_variance(values)
        return (
            monte_carlo_variance(values)
            if self.clusters is None
            else monte_carlo_pooled_variance(values, groups)
        )

    def _recorded(self, estimator: str, subject: str, name: str) -> FloatArray | None:
        if subject == ALL_MODELS:
            return self._range(estimator, name)
        values = self.records.get(record_name(estimator, subject, TRUTHS, name))
        if values is None and "|" in subject:
            parts = [self._recorded(estimator, part, name) for part in self._pair(subject)]
            if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
                return parts[0] - parts[1]
        return values

    def _range(self, estimator: str, name: str) -> FloatArray | None:
        """(R,) how far the models are apart, the worst from the best; None without truths."""
        every = [
            self.at(key, model, TRUTHS, name)
            for (key, model), found in group_record_names(self.records, TRUTHS).items()
            if key == estimator and (name,) in found
        ]
        return np.ptp(np.array(every), axis=0) if every else None

    def _pair(self, subject: str) -> Sequence[str]:
        return subject.split("|")

    def _averages(self, estimator: str, name: str, single: FloatArray) -> FloatArray | None:
        """(R,) the average over all repetitions, or over those of the same sources."""
        alike = self.clusters is not None
        if name in OF_ALL_SOURCES or not alike:
            one_each = int(self.groups.max()) + 1 == self.n > 1
            if name not in OF_ALL_SOURCES and one_each and estimator in self.source_blocks:
                return None
            return np.full(self.n, np.nanmean(single))
        known = np.isfinite(single)
        groups = self.groups
        sums = np.bincount(groups, weights=np.where(known, single, 0.0))
        counts = np.bincount(groups, weights=known)
        with np.errstate(invalid="ignore"):
            return np.asarray((sums / counts)[groups])
