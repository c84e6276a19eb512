"""The replace-one variance of Austern and Zhou beside intervals from one loss of each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import NORMAL
from thetahat_replications.edges.table import Table, TableRow
from thetahat_replications.one_partition.candidates import CANDIDATES, RECOMMENDED
from thetahat_replications.one_partition.designs import N_FOLDS, DrawnPopulation
from thetahat_replications.one_partition.measures import measure_interval
from thetahat_replications.one_partition.simulation import (
    LossSeries,
    SeriesKey,
    compute_moments,
    list_losses,
)

SLOW: Final = ("tree", "logistic")
"""What is in the names of learners that are left out, because each sample takes n / 2 more
cross-validations."""
ABOUT: Final = """
`austern_zhou`, in its corrected form, fits the learner n / 2 more times in each fold: the rows of
one half of the sample are replaced one by one, and a quarter of the sum of the squared changes of
the mean loss is its variance. Smallest sample of each population, {repetitions} samples, learners
without trees and logistic regression. Each of the last columns is coverage / length / power, as in
the other tables.
"""


def build_table(
    title: str, populations: Sequence[DrawnPopulation], repetitions: int, seed: int
) -> Table:
    """Return coverage, length and power of the replace-one interval and of the recommended one."""
    (recommended,) = [candidate for candidate in CANDIDATES if candidate.name == RECOMMENDED]
    rows: list[TableRow] = []
    for population in populations:
        for series, variance in _simulate(population, repetitions, seed):
            moments = series.moments
            reach = NORMAL * np.sqrt(variance)
            replaced = measure_interval(moments, (moments.mean - reach, moments.mean + reach))
            ours = measure_interval(moments, recommended.build_ends(series))
            rows.append((*series.place, str(replaced), str(ours)))
    return Table(
        title=title,
        about=ABOUT.format(repetitions=repetitions),
        columns=("population", "n", "folds", "loss", "of", "`austern_zhou`", f"`{RECOMMENDED}`"),
        rows=tuple(rows),
    )


def _simulate(
    population: DrawnPopulation, repetitions: int, seed: int
) -> Iterator[tuple[LossSeries, FloatArray]]:
    """Yield every learner and comparison, with the (R,) variances of its mean loss.

    The first rows are the half whose rows are replaced, as many as fill the folds equally.
    """
    learners = [name for name in population.learners if not any(slow in name for slow in SLOW)]
    n = population.sizes[0]
    for n_folds in N_FOLDS:
        rng = make_random_stream(seed, f"replace one: {population.name} {n_folds}")
        x, y = population.draw(rng, repetitions, n)
        half = n // 2 // n_folds * n_folds
        before = _average(population, learners, x[:, :half], y[:, :half], n_folds)
        squares = {key: np.zeros(repetitions) for key in before}
        for i in range(half):
            x_new, y_new = x[:, :half].copy(), y[:, :half].copy()
            x_new[:, i], y_new[:, i] = x[:, n - half + i], y[:, n - half + i]
            for key, mean in _average(population, learners, x_new, y_new, n_folds).items():
                squares[key] += (mean - before[key]) ** 2
        for key, losses in list_losses(population, learners, x, y, n_folds).items():
            loss, subject, is_difference = key
            series = LossSeries(
                place=(population.name, n, n_folds, loss, subject),
                is_difference=is_difference,
                moments=compute_moments(losses, n_folds),
            )
            yield series, squares[key] / 4 * (2 * half / n)


def _average(
    population: DrawnPopulation, learners: Sequence[str], x: FloatArray, y: FloatArray, n_folds: int
) -> dict[SeriesKey, FloatArray]:
    """Return the (R,) mean losses and mean differences by series."""
    losses = list_losses(population, learners, x, y, n_folds)
    return {key: values.mean(axis=1) for key, values in losses.items()}
