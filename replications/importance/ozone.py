"""The natural setting of the text on importance weighting: a source that is local in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.importance.weighted_selection import GRAIN
from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators.gaussian_shift import ShiftedSamples
from thetahat.seeds import stream
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

ROLE: Final = "ozone"
ROLES: Final = {
    ROLE: (
        "Rows in order of time, numbers, and a target of two classes, such as ozone days: features "
        "are standardised and put on their first principal components."
    )
}
_ROWS, _POSITIVE = 1847, 128
"""As the source's data without missing values are."""


@dataclass(frozen=True, slots=True, eq=False)
class Days:
    """Rows in order of time.

    Parameters
    ----------
    rows : ndarray of float
        (N, p) principal components.
    labels : ndarray of float
        (N,) -1 or 1.
    is_generated : bool
        Whether nobody measured them.
    """

    rows: FloatArray
    labels: FloatArray
    is_generated: bool

    def cautions(self) -> tuple[Caution, ...]:
        """Say that these are not the source's data."""
        if not self.is_generated:
            return ()
        return (
            GENERATED_POPULATION(
                role=ROLE,
                generator=f"a generator: {_ROWS} rows that drift in time, {_POSITIVE} positive",
            ),
        )

    def draw(
        self, gamma: float, rng: np.random.Generator, count: int, *, together: bool
    ) -> ShiftedSamples:
        """Draw ``GRAIN`` source samples: without replacement, most likely near the start.

        ``count`` rows of each class, or of both together.

        A row's chance falls with its place i as a normal of standard deviation gamma N around the
        first. In turn, each draw is among the rows that are left, which is what the largest of
        independent exponential waiting times give.
        """
        N = len(self.labels)
        rates = -0.5 * (np.arange(N) / (gamma * N)) ** 2
        waiting = np.log(rng.standard_exponential((GRAIN, N))) - rates
        chosen: list[IntArray] = []
        parts = [np.arange(N)] if together else [np.flatnonzero(self.labels == s) for s in (-1, 1)]
        for of_class in parts:
            first = np.argpartition(waiting[:, of_class], count - 1, axis=1)[:, :count]
            chosen.append(of_class[np.sort(first, axis=1)])
        rows = np.concatenate(chosen, axis=1)
        return ShiftedSamples(
            self.rows[rows], self.labels[rows], self.rows[None], self.labels[None]
        )


def days_of(
    data: Mapping[str, Data], seed: int, n_components: int, count: int, *, together: bool
) -> Days:
    """Return the rows of the data set that plays the role, or generated ones."""
    if ROLE not in data:
        days = _generated(stream(seed, "study_population"), n_components)
    else:
        days = _given(data[ROLE], n_components)
    smaller = int(min((days.labels < 0).sum(), (days.labels > 0).sum()))
    there = len(days.labels) if together else smaller
    if there < count:
        whose = "in all" if together else "in the smaller class"
        raise InsufficientData(
            f"{count} rows are to be drawn, and there are {there} {whose}",
            loc=("per_class",),
            value=count,
        )
    return days


def _given(data: Data, n_components: int) -> Days:
    loc = ("data", ROLE)
    if data.n_classes != 2:
        raise InvalidParameter(
            f"a target of two classes is needed, and there are {data.n_classes}", loc=loc
        )
    rows, labels = data.features.matrix(), np.where(data.y == 1, 1.0, -1.0)
    known = np.isfinite(rows).all(axis=1)
    rows, labels = rows[known], labels[known]
    spread = rows.std(axis=0) if len(rows) else np.zeros(rows.shape[1])
    if (spread > 0).sum() < n_components:
        raise InsufficientData(
            f"{n_components} components need as many features that vary in rows without missing "
            f"values, and there are {int((spread > 0).sum())}",
            loc=loc,
        )
    varies = spread > 0
    standard = (rows[:, varies] - rows[:, varies].mean(axis=0)) / spread[varies]
    if standard.shape[1] == n_components:
        # components themselves: standardising them would blow up the last ones
        return Days(rows[:, varies], labels, is_generated=False)
    _, _, axes = np.linalg.svd(standard, full_matrices=False)
    return Days(standard @ axes[:n_components].T, labels, is_generated=False)


def _generated(rng: np.random.Generator, n_components: int) -> Days:
    """Draw rows whose mean and spread drift, and label the most likely ones."""
    time = np.arange(_ROWS) / _ROWS
    sizes = 5.0 / np.arange(1, n_components + 1) ** 0.7
    season = np.cos(2 * np.pi * (7 * time[:, None] + rng.random(n_components)))
    rows = season + (1 + 0.5 * time[:, None]) * rng.standard_normal((_ROWS, n_components))
    rows += 0.5 * (time[:, None] - 0.5) * rng.standard_normal(n_components)
    score = rows @ rng.standard_normal(n_components) + 2 * rng.logistic(size=_ROWS)
    labels = np.full(_ROWS, -1.0)
    labels[np.argsort(score)[-_POSITIVE:]] = 1.0
    return Days(rows * sizes, labels, is_generated=True)
