"""The records of a study read by estimator and subject, and the truths for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.monte_carlo import (
    estimate_mean,
    estimate_pooled_variance,
    estimate_variance,
)
from thetahat.analyses.studies.record_names import (
    ALL_MODELS,
    SOURCES,
    TRUTHS,
    group_record_names,
    make_record_name,
)
from thetahat.analyses.studies.truths import AVERAGE_OF, OF_ALL_SOURCES, TITLES
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RecordedTruth:
    """The value of a truth in each repetition."""

    name: str
    """A key of ``TITLES``."""
    values: FloatArray
    """(R,) the truth in each repetition."""
    each: FloatArray | None = None
    """If the truth is an average over repetitions, the (R,) values that it averages; None if it is
    known in each repetition."""

    @property
    def is_average(self) -> bool:
        """Whether the truth is an average over these repetitions."""
        return self.each is not None

    def average(self, clusters: IntArray | None) -> MonteCarloNumber:
        """Return the average of the truth over repetitions."""
        return estimate_mean(self.values if self.each is None else self.each, clusters)

    def estimate_bias(self, values: FloatArray, clusters: IntArray | None) -> MonteCarloNumber:
        """Return the average error of an estimate; its error includes that of an average truth."""
        truth = self.values if self.each is None else self.each
        return estimate_mean(values - truth, clusters)


@dataclass(frozen=True, slots=True, eq=False)
class RecordReader:
    """The records of a study, with the truths that estimates are compared with."""

    records: Records
    """All repetitions, as the study's ``run`` returns them."""
    source_blocks: frozenset[str] = frozenset()
    """Estimators whose blocks are sources. Their target "these sources" changes with the set of
    sources that was drawn."""

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
        """(R,) codes of dependent repetitions, or None if all are independent.

        Repetitions are dependent if they share one of several sets of sources.
        """
        groups = self.groups
        return groups if 1 < int(groups.max()) + 1 < self.n else None

    def at(self, *parts: str) -> FloatArray:
        """Return the (R, ...) record with these parts of its name."""
        return self.records[make_record_name(*parts)]

    def truths(self, estimator: str, subject: str) -> dict[str, RecordedTruth]:
        """Return every known truth of a subject; of a pair, that of a minus that of b."""
        truths = ((name, self.truth(estimator, subject, name)) for name in TITLES)
        return {name: truth for name, truth in truths if truth is not None}

    def truth(self, estimator: str, subject: str, name: str) -> RecordedTruth | None:
        """Return one truth, or None if the records do not determine it."""
        values = self._read_recorded(estimator, subject, name)
        if values is not None:
            return RecordedTruth(name, values)
        if name not in AVERAGE_OF:
            return None
        single = self._read_recorded(estimator, subject, AVERAGE_OF[name])
        if single is None or not np.isfinite(single).any():
            return None
        averages = self._average_repetitions(estimator, name, single)
        return None if averages is None else RecordedTruth(name, averages, single)

    def estimate_variance_about(self, truth: RecordedTruth, values: FloatArray) -> MonteCarloNumber:
        """Return the variance of an estimate about a truth over repetitions.

        For a truth that is known in each repetition this is the mean squared error; for an average,
        the variance over the repetitions that are averaged.
        """
        if not truth.is_average:
            return estimate_mean((values - truth.values) ** 2, self.clusters)
        groups = self.groups
        if truth.name in OF_ALL_SOURCES:
            n_groups = int(groups.max()) + 1
            return UNDEFINED if n_groups == 1 else estimate_variance(values)
        if self.clusters is None:
            return estimate_variance(values)
        return estimate_pooled_variance(values, groups)

    def _read_recorded(self, estimator: str, subject: str, name: str) -> FloatArray | None:
        if subject == ALL_MODELS:
            return self._compute_range(estimator, name)
        values = self.records.get(make_record_name(estimator, subject, TRUTHS, name))
        if values is None and "|" in subject:
            parts = [self._read_recorded(estimator, part, name) for part in subject.split("|")]
            if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
                return parts[0] - parts[1]
        return values

    def _compute_range(self, estimator: str, name: str) -> FloatArray | None:
        """Return the (R,) truth of the worst model minus the best; None without truths."""
        by_model = [
            self.at(key, model, TRUTHS, name)
            for (key, model), names in group_record_names(self.records, TRUTHS).items()
            if key == estimator and (name,) in names
        ]
        return np.ptp(np.array(by_model), axis=0) if by_model else None

    def _average_repetitions(
        self, estimator: str, name: str, single: FloatArray
    ) -> FloatArray | None:
        """Return (R,) averages over all repetitions, or over those with the same sources."""
        has_shared_sources = self.clusters is not None
        if name in OF_ALL_SOURCES or not has_shared_sources:
            all_sources_differ = int(self.groups.max()) + 1 == self.n > 1
            if (
                name not in OF_ALL_SOURCES
                and all_sources_differ
                and estimator in self.source_blocks
            ):
                return None
            return np.full(self.n, np.nanmean(single))
        known = np.isfinite(single)
        groups = self.groups
        sums = np.bincount(groups, weights=np.where(known, single, 0.0))
        counts = np.bincount(groups, weights=known)
        with np.errstate(invalid="ignore"):
            return np.asarray((sums / counts)[groups])
