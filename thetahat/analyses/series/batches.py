"""The values of a batch: differences of two models, or losses of one, by row or by cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.series.design import SeriesDesign, Unit
from thetahat.errors import InvalidParameter
from thetahat.similar_names import suggest_name
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The losses of some rows, and the cluster of each row."""

    losses: Mapping[str, FloatArray]
    """(n,) losses or scores of each model."""
    cluster: Sequence[Label] | None = None
    """Cluster of each row, in a series whose units are clusters."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.losses.values()), ()))


def compute_values(design: SeriesDesign, batch: Batch) -> FloatArray:
    """Return the values of a batch by unit, in the order of arrival.

    Raises ``InvalidParameter`` for other models than those of the series, lists of unequal length,
    values that are not finite, clusters where rows are independent, and none where clusters are.
    """
    _check_models(design, batch.losses)
    _check_rows(batch)
    columns = [np.asarray(batch.losses[name], dtype=np.float64) for name in design.models]
    _check_zero_one(design, columns)
    values = columns[0] - columns[1] if design.is_pair else columns[0]
    if design.unit is Unit.ROW:
        if batch.cluster is not None:
            raise InvalidParameter(
                "The rows of this series are independent, so its batches have no cluster. If they "
                "are not, make a series with the unit cluster.",
                loc=("cluster",),
            )
        return values
    if batch.cluster is None:
        raise InvalidParameter(
            "The units of this series are clusters, so each row needs its cluster.",
            loc=("cluster",),
        )
    if len(batch.cluster) != len(values):
        raise InvalidParameter(
            f"cluster has {len(batch.cluster)} entries for {len(values)} rows.", loc=("cluster",)
        )
    return average_clusters(values, batch.cluster)


def average_clusters(values: FloatArray, cluster: Sequence[Label]) -> FloatArray:
    """Return the mean of each cluster, in the order of their first rows.

    Values are added in the order of their size, so that the order of a cluster's rows is the same
    to the last bit.
    """
    places: dict[Label, int] = {}
    codes = np.array([places.setdefault(label, len(places)) for label in cluster], dtype=np.intp)
    order = np.lexsort((values, codes))
    starts = np.searchsorted(codes[order], np.arange(len(places)))
    sums = np.add.reduceat(values[order], starts)
    return np.asarray(sums / np.bincount(codes))


def _check_models(design: SeriesDesign, losses: Mapping[str, FloatArray]) -> None:
    for name in losses:
        if name not in design.models:
            raise InvalidParameter(
                f"The series has no model {name!r}{suggest_name(name, design.models)}. Its models "
                f"are {', '.join(design.models)}; other models need a series of their own.",
                loc=("losses", name),
            )
    for name in design.models:
        if name not in losses:
            raise InvalidParameter(
                f"The batch has no losses of {name}. Every batch has those of all models of the "
                "series, on the same rows.",
                loc=("losses",),
            )


def _check_rows(batch: Batch) -> None:
    n_rows = batch.n_rows
    for name, column in batch.losses.items():
        if len(column) != n_rows:
            raise InvalidParameter(
                f"The models of a batch need losses of the same rows: {name} has {len(column)}, "
                f"and {next(iter(batch.losses))} has {n_rows}.",
                loc=("losses", name),
            )
        broken = np.flatnonzero(~np.isfinite(column))
        if broken.size:
            row = int(broken[0])
            raise InvalidParameter(
                f"The loss of {name} in row {row} is not a finite number.",
                loc=("losses", name, row),
            )
    if n_rows == 0:
        raise InvalidParameter("A batch needs at least one row.", loc=("losses",))


def _check_zero_one(design: SeriesDesign, columns: Sequence[FloatArray]) -> None:
    if not design.method.info.only_zero_one:
        return
    for name, column in zip(design.models, columns, strict=True):
        other = np.flatnonzero((column != 0) & (column != 1))
        if other.size:
            row = int(other[0])
            raise InvalidParameter(
                f"{design.method.info.name} is for losses that are 0 or 1, and {name} has "
                f"{float(column[row])!r} in row {row}. The method was fixed when the series was "
                "made; a series of other losses can be asymptotic or bounded.",
                loc=("losses", name, row),
                value=float(column[row]),
            )
