r"""The variance of losses, split into that of the items and that of the runs of an item.

Nested: the runs of an item are exchangeable, and those of two items have nothing in common. With
:math:`MS_B` and :math:`MS_W` the mean squares between and within I items of :math:`k_i` runs, N in
all, the components are :math:`MS_W` and :math:`(MS_B - MS_W) / k_0` with
:math:`k_0 = (N - \sum k_i^2 / N) / (I - 1)`. Crossed: run r is the same seed for all items, and has
a component of its own. Estimates may be negative and are left so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.analyses.runs.values import RunValues
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Components of the variance of one loss; of crossed runs with that of the run."""

    n_items: int
    """I."""
    n_runs: float
    """R: the harmonic mean of the numbers of runs, which the variance of the mean depends on."""
    item: float
    """Variance of the expected losses of items."""
    residual: float
    """Variance of the runs of one item, without what a crossed run adds to all items."""
    run: float | None = None
    """Variance of what a run adds to all items; None for nested runs."""

    def compute_variance_of_mean(self, n_items: int, n_runs: float, *, new_runs: bool) -> float:
        """Return the variance of the mean over so many items and runs.

        ``new_runs`` counts what a crossed run adds to all items, which matters if other seeds are
        meant than those that were used. Negative components count as 0.
        """
        variance = max(0.0, self.item) / n_items + self.residual / (n_items * n_runs)
        if new_runs and self.run is not None:
            variance += max(0.0, self.run) / n_runs
        return variance


def split_variance(runs: RunValues) -> Components | None:
    """Return the components of the losses of one model; None without two items and a second run.

    Source: searle1992, shrout1979.
    """
    matrix = runs.matrix
    if matrix is not None and len(matrix) > 1:
        return _split_crossed(matrix)
    counts = runs.counts
    n_items, n = len(counts), len(runs.values)
    if n_items < 2 or n == n_items:
        return None
    means = runs.means
    deviations = runs.values - means[runs.item]
    within = float(deviations @ deviations) / (n - n_items)
    centred = means - float(counts @ means) / n
    between = float(counts @ centred**2) / (n_items - 1)
    k0 = (n - float(counts @ counts) / n) / (n_items - 1)
    return Components(
        n_items=n_items,
        n_runs=1 / float(np.mean(1 / counts)),
        item=(between - within) / k0,
        residual=within,
    )


def _split_crossed(matrix: FloatArray) -> Components:
    n_items, n_runs = matrix.shape
    by_item, by_run, mean = matrix.mean(axis=1), matrix.mean(axis=0), float(matrix.mean())
    of_items = n_runs * float(((by_item - mean) ** 2).sum()) / (n_items - 1)
    of_runs = n_items * float(((by_run - mean) ** 2).sum()) / (n_runs - 1)
    rest = matrix - by_item[:, None] - by_run + mean
    residual = float((rest**2).sum()) / ((n_items - 1) * (n_runs - 1))
    return Components(
        n_items=n_items,
        n_runs=n_runs,
        item=(of_items - residual) / n_runs,
        run=(of_runs - residual) / n_items,
        residual=residual,
    )


def find_share_of_runs(a: RunValues, b: RunValues) -> float | None:
    r"""Return the share of the variance of a mean difference that the runs add.

    It is :math:`\overline{s_a^2 / k_{ai} + s_b^2 / k_{bi}}` over the variance of the differences of
    item means, with the variances :math:`s^2` of the runs within items. None where that is 0, or an
    item has a single run for each model.
    """
    differences = a.means - b.means
    spread = float(differences.var(ddof=1)) if len(differences) > 1 else 0.0
    parts = [split_variance(one) for one in (a, b)]
    if spread == 0 or any(part is None for part in parts):
        return None
    noise = float(sum(part.residual / part.n_runs for part in parts if part is not None))
    if all(part is not None and part.run is not None for part in parts):
        noise = _compute_crossed_noise(a, b)
    return noise / spread


def _compute_crossed_noise(a: RunValues, b: RunValues) -> float:
    """Return the residual variance of the differences of the same runs, over their number."""
    first, second = a.matrix, b.matrix
    assert first is not None  # noqa: S101 - they are crossed
    assert second is not None  # noqa: S101 - likewise
    if first.shape != second.shape:
        return sum(_split_crossed(m).residual / int(m.shape[1]) for m in (first, second))
    return _split_crossed(first - second).residual / int(first.shape[1])
