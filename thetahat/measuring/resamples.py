"""A metric under the bootstrap: each row's statistics are sorted once, then only counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.layout import Layout
from thetahat.metrics.base import Metric, Statistic, resamples_of
from thetahat.seeds import stream
from thetahat.types import BlockKind, FloatArray, IntArray

GROUP = 16
"""Resamples that are drawn together, from one stream; part of what a seed means."""

Part = tuple[IntArray, Statistic]
"""Some rows, and the metric on them."""


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Values of a metric under resampling.

    Parameters
    ----------
    values : ndarray of float
        (B,) NaN where a resample has no value.
    unit : str
        What was drawn: ``instance``, ``cluster`` or ``source``.
    """

    values: FloatArray
    unit: str

    def minus(self, other: Replicates) -> Replicates:
        """Return the replicates of a difference; both come from the same resamples."""
        return replace(self, values=self.values - other.values)

    @property
    def known(self) -> FloatArray:
        """The values of the resamples that have one."""
        return self.values[~np.isnan(self.values)]


def unit_of(layout: Layout) -> str | None:
    """Return what is drawn, or None where rows of several repeats cannot be matched."""
    if layout.kind is BlockKind.SOURCE:
        return "source"
    if layout.cluster is not None:
        return "cluster"
    return "instance" if layout.is_matched else None


def replicates_of(  # noqa: PLR0913 - what is resampled, how, and from which stream
    metric: Metric,
    layout: Layout,
    parts: Sequence[Part],
    splits: FloatArray,
    seed: int,
    key: str,
) -> Replicates | None:
    """Return the metric's main mean under resampling.

    Sources are drawn whole: the metric of each stays, and only its count changes. Clusters are
    drawn whole over all blocks, instances within their blocks; over all where there are repeats,
    and where every block has one.

    Parameters
    ----------
    parts : sequence of Part
        The statistics whose average is the main mean: splits, or repeats as a whole.
    splits : ndarray of float
        (J,) values by split.
    """
    n_resamples, unit = resamples_of(metric, layout.n_rows), unit_of(layout)
    if n_resamples == 0 or unit is None:
        return None
    # the estimate itself leaves out what has no value
    defined = [(rows, one) for rows, one in parts if not np.isnan(one.value())]
    values = np.empty(n_resamples)
    for g, start in enumerate(range(0, n_resamples, GROUP)):
        rng = stream(seed, f"metrics/{key}", g)
        wanted = slice(start, min(start + GROUP, n_resamples))
        if unit == "source":
            drawn = _of_sources(splits, layout, rng)
        else:
            drawn = _of_parts(defined, _counts(layout, unit, rng))
        values[wanted] = drawn[: wanted.stop - start]
    return Replicates(values, unit)


def _of_sources(splits: FloatArray, layout: Layout, rng: np.random.Generator) -> FloatArray:
    counts = _drawn(len(layout.block_labels), rng)[:, layout.split_block]
    known = ~np.isnan(splits)
    weights = counts[:, known]
    total = weights.sum(axis=1)
    undefined = np.full(GROUP, np.nan)
    return np.asarray(np.divide(weights @ splits[known], total, out=undefined, where=total > 0))


def _of_parts(parts: Sequence[Part], counts: FloatArray) -> FloatArray:
    """(B,) averages over the parts; NaN where there is none."""
    if not parts:
        return np.full(len(counts), np.nan)
    values = (statistic.resampled(counts[:, rows]) for rows, statistic in parts)
    return np.asarray(sum(values) / len(parts))


def _counts(layout: Layout, unit: str, rng: np.random.Generator) -> FloatArray:
    """(GROUP, n) how often each row is in each resample."""
    if unit == "cluster":
        assert layout.cluster is not None  # noqa: S101 - unit_of saw to it
        return _drawn(len(layout.cluster_labels), rng)[:, layout.cluster]
    if not layout.has_one_row_each:
        assert layout.instance is not None  # noqa: S101 - unit_of saw to it
        return _drawn(layout.n_instances, rng)[:, layout.instance]
    assert layout.starts is not None  # noqa: S101 - predictions come by row
    if layout.n_test.max() < 2:
        return _drawn(layout.n_rows, rng)  # inside blocks of one nothing can be drawn
    sizes = np.diff(layout.starts).tolist()
    ordered = np.hstack([_drawn(size, rng) for size in sizes])
    if layout.order is None:
        return ordered
    counts = np.empty_like(ordered)
    counts[:, layout.order] = ordered
    return counts


def _drawn(n: int, rng: np.random.Generator) -> FloatArray:
    """(GROUP, n) counts of n draws with replacement out of n."""
    index = rng.integers(0, n, size=(GROUP, n))
    index += n * np.arange(GROUP)[:, None]
    return np.bincount(index.ravel(), minlength=GROUP * n).reshape(GROUP, n).astype(np.float64)
