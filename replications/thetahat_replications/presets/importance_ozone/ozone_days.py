"""Rows in order of time, such as ozone days, and source samples from the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.importance.penalty_selection import GRAIN

ROLE: Final = "ozone"
ROLES: Final = {
    ROLE: (
        "Rows in order of time with numeric features and a target of two classes, such as ozone "
        "days. The features are standardised and replaced by their first principal components."
    )
}
N_ROWS, N_POSITIVE = 1847, 128
"""The size of the paper's data without missing values."""


@dataclass(frozen=True, slots=True, eq=False)
class OzoneDays:
    """Rows in order of time."""

    rows: FloatArray
    """(N, p) principal components."""
    labels: FloatArray
    """(N,) -1 or 1."""
    is_generated: bool
    """Whether they come from a generator."""

    def cautions(self) -> tuple[Caution, ...]:
        """Return a caution if the rows come from a generator."""
        if not self.is_generated:
            return ()
        return (
            GENERATED_POPULATION(
                role=ROLE,
                generator=f"a generator: {N_ROWS} rows that drift in time, {N_POSITIVE} positive",
            ),
        )

    def draw(
        self, gamma: float, rng: np.random.Generator, count: int, *, together: bool
    ) -> ShiftedSamples:
        """Draw ``GRAIN`` source samples without replacement, mostly from the first rows.

        Each has ``count`` rows of each class, or of both together. The probability of row i is
        proportional to a normal density at i with mean 0 and standard deviation gamma N. Drawing
        the rows one after another among those left is equivalent to taking the smallest of
        independent exponential waiting times.
        """
        N = len(self.labels)
        rates = -0.5 * (np.arange(N) / (gamma * N)) ** 2
        waiting = np.log(rng.standard_exponential((GRAIN, N))) - rates
        chosen: list[IntArray] = []
        parts = [np.arange(N)] if together else [np.flatnonzero(self.labels == s) for s in (-1, 1)]
        for part in parts:
            first = np.argpartition(waiting[:, part], count - 1, axis=1)[:, :count]
            chosen.append(part[np.sort(first, axis=1)])
        rows = np.concatenate(chosen, axis=1)
        return ShiftedSamples(
            self.rows[rows], self.labels[rows], self.rows[None], self.labels[None]
        )


def load_days(
    data: Mapping[str, Data], seed: int, n_components: int, count: int, *, together: bool
) -> OzoneDays:
    """Return the rows of the data set with the role ``ozone``, or generated ones."""
    if ROLE not in data:
        days = _generate_days(make_random_stream(seed, "study_population"), n_components)
    else:
        days = _read_days(data[ROLE], n_components)
    smaller = int(min((days.labels < 0).sum(), (days.labels > 0).sum()))
    available = len(days.labels) if together else smaller
    if available < count:
        place = "The data set" if together else "The smaller class"
        raise InsufficientData(
            f"{place} has {available} rows, and {count} are to be drawn. Use a smaller per_class.",
            loc=("per_class",),
            value=count,
        )
    return days


def _read_days(data: Data, n_components: int) -> OzoneDays:
    loc = ("data", ROLE)
    if data.n_classes != 2:
        raise InvalidParameter(
            f"The target has {data.n_classes} classes; this preset needs two.", loc=loc
        )
    rows, labels = data.features.matrix(), np.where(data.y == 1, 1.0, -1.0)
    known = np.isfinite(rows).all(axis=1)
    rows, labels = rows[known], labels[known]
    spread = rows.std(axis=0) if len(rows) else np.zeros(rows.shape[1])
    if (spread > 0).sum() < n_components:
        raise InsufficientData(
            f"n_components is {n_components}, and only {int((spread > 0).sum())} features vary in "
            "the rows without missing values.",
            loc=loc,
        )
    varies = spread > 0
    standard = (rows[:, varies] - rows[:, varies].mean(axis=0)) / spread[varies]
    if standard.shape[1] == n_components:
        # these are components already: standardising them would inflate the last ones
        return OzoneDays(rows[:, varies], labels, is_generated=False)
    _, _, axes = np.linalg.svd(standard, full_matrices=False)
    return OzoneDays(standard @ axes[:n_components].T, labels, is_generated=False)


def _generate_days(rng: np.random.Generator, n_components: int) -> OzoneDays:
    """Draw rows whose mean and spread drift, and label those with the largest scores."""
    time = np.arange(N_ROWS) / N_ROWS
    sizes = 5.0 / np.arange(1, n_components + 1) ** 0.7
    season = np.cos(2 * np.pi * (7 * time[:, None] + rng.random(n_components)))
    rows = season + (1 + 0.5 * time[:, None]) * rng.standard_normal((N_ROWS, n_components))
    rows += 0.5 * (time[:, None] - 0.5) * rng.standard_normal(n_components)
    score = rows @ rng.standard_normal(n_components) + 2 * rng.logistic(size=N_ROWS)
    labels = np.full(N_ROWS, -1.0)
    labels[np.argsort(score)[-N_POSITIVE:]] = 1.0
    return OzoneDays(rows * sizes, labels, is_generated=True)
