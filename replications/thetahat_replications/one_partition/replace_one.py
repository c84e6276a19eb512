"""The replace-one variance of Austern and Zhou beside intervals from one loss of each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import NORMAL
from thetahat_replications.edges.table import Table, TableCell
from thetahat_replications.one_partition.candidates import CANDIDATES, RECOMMENDED, build_ends
from thetahat_replications.one_partition.designs import N_FOLDS, DrawnPopulation
from thetahat_replications.one_partition.measures import Measures, measure
from thetahat_replications.one_partition.simulation import (
    compute_losses,
    compute_moments,
    list_series,
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
    rows: list[tuple[TableCell, ...]] = []
    for population in populations:
        for place, is_difference, losses, variance in _simulate(population, repetitions, seed):
            moments = compute_moments(losses, place[1])
            target, true_sd = float(moments.mean.mean()), float(moments.mean.std(ddof=1))
            reach = NORMAL * np.sqrt(variance)
            replaced = measure(moments.mean - reach, moments.mean + reach, target, true_sd)
            ends = build_ends(recommended, moments, is_difference=is_difference)
            ours = measure(*ends, target, true_sd)
            rows.append((population.name, *place, _write(replaced), _write(ours)))
    return Table(
        title=title,
        about=ABOUT.format(repetitions=repetitions),
        columns=("population", "n", "folds", "loss", "of", "`austern_zhou`", f"`{RECOMMENDED}`"),
        rows=tuple(rows),
    )


def _write(measures: Measures) -> str:
    return f"{measures.coverage:.3f} / {measures.length:.2f} / {measures.power:.2f}"


def _simulate(
    population: DrawnPopulation, repetitions: int, seed: int
) -> Iterator[tuple[tuple[int, int, str, str], bool, FloatArray, FloatArray]]:
    """Yield n, folds, loss and subject, whether it is a difference, (R, n) losses, (R,) variances.

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
        losses = compute_losses(population, learners, x, y, n_folds)
        for loss, subject, is_difference, values in list_series(losses, population):
            variance = squares[loss, subject] / 4 * (2 * half / n)
            yield (n, n_folds, loss, subject), is_difference, values, variance


def _average(
    population: DrawnPopulation, learners: Sequence[str], x: FloatArray, y: FloatArray, n_folds: int
) -> dict[tuple[str, str], FloatArray]:
    """Return the (R,) mean losses and mean differences, by loss and subject."""
    losses = compute_losses(population, learners, x, y, n_folds)
    return {
        (loss, subject): values.mean(axis=1)
        for loss, subject, _, values in list_series(losses, population)
    }
