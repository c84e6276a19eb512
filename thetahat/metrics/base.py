"""The interface of metrics, their input, and a metric as a function of the rows' weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final, Protocol, runtime_checkable

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.types import BoolArray, FloatArray, IntArray, Label, MeanKind, Needs, Target

MAX_ROWS = 100_000
"""Largest number of rows for which resamples are drawn by default."""
describe_metric: Final = partial(
    MethodInfo,
    assumptions=(
        "Independent instances, clusters or sources. The trained models are treated as fixed. For "
        "random folds the pooled value is reported."
    ),
    needs=Needs.PREDICTIONS,
    blocks=EVERY_BLOCK_KIND,
    targets=(Target.THESE_MODELS, Target.THESE_SOURCES, Target.NEW_SOURCE),
)
"""What most metrics have in common; other assumptions are named beside it."""
_DEFAULT_RESAMPLES = 1000
_MIN_RESAMPLES = 100
_MAX_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TruthAndPredictions:
    """The true values and the predictions of one model for the same test instances."""

    task: str
    """``classification`` or ``regression``."""
    truth: np.ndarray
    """(n,) class codes, or values."""
    output: np.ndarray
    """(n,) predicted class codes, or values."""
    scores: FloatArray | None = None
    """(n,) score of the second class, or (n, C) one column a class; any scale, higher for likelier.
    None where the model gives none."""
    classes: tuple[Label, ...] = ()
    """(C,) labels of the codes; empty for a regression."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.truth)

    def rows(self, index: IntArray | slice) -> TruthAndPredictions:
        """Return the rows with these indices."""
        scores = None if self.scores is None else self.scores[index]
        return replace(self, truth=self.truth[index], output=self.output[index], scores=scores)


class WeightedMetric(Protocol):
    r"""A metric of given rows, as a function of the rows' weights.

    Multiplying all weights by the same number does not change any of these metrics. The influence
    function at a row is therefore the derivative with respect to the weight of that row,

    .. math::
        \mathrm{IF}_i = \frac{\partial T(w)}{\partial w_i}\Big|_{w = 1/m},
        \qquad T - E[T] \approx \frac1m \sum_i \mathrm{IF}_i,

    and its mean over the rows is 0 (Euler's identity for functions of degree 0).

    Source: hampel1974 for the influence function.
    """

    def value(self) -> float:
        """Return the metric; NaN where it is undefined."""
        ...

    def influence(self) -> FloatArray:
        """Return the (m,) influence of each instance on the metric; called if it is defined."""
        ...

    def fold_influence(self) -> FloatArray | None:
        """Return (m,) influences within folds, for the variance ``ledell``; None if unknown."""
        return None

    def find_bound_at_limit(
        self,
        tail: float,  # noqa: ARG002 - for metrics with a bound
        unit: IntArray | None,  # noqa: ARG002 - same
    ) -> float | None:
        """Return the value farthest from the end of the range that no error excludes.

        Called where the metric is at an end of its range. k independent units without an error
        have a probability of at least ``tail`` while errors have a share of at most
        :math:`1 - tail^{1/k}`. ``unit`` has the (m,) cluster of each row; None if rows are
        independent. The result is None where there is no such value.
        """
        return None

    def leave_out(
        self,
        unit: IntArray,  # noqa: ARG002 - for metrics with a closed form
        n_units: int,  # noqa: ARG002 - same
    ) -> FloatArray | None:
        """Return (U,) metrics without each unit, NaN where undefined; None if no interval needs it.

        ``unit`` has the (m,) code of each row's unit, below ``n_units``.
        """
        return None

    def resampled(self, counts: FloatArray, *, many: bool = False) -> FloatArray:
        """Return (B,) metrics under (B, m) weights; NaN where one is undefined.

        ``many`` means that there are enough resamples for compiled loops to be faster.
        """
        ...


def count_units(rows: BoolArray, unit: IntArray | None) -> int:
    """Return the number of marked rows, or of the clusters that have one."""
    return int(rows.sum()) if unit is None else len(np.unique(unit[rows]))


@runtime_checkable
class MetricOfKinds(Protocol):
    """A metric that depends only on the number of rows of each kind, such as cells of a table."""

    def kinds(self) -> tuple[IntArray, int]:
        """Return the (m,) kind of each row, from 0, and the number of kinds."""
        ...

    def resampled_by_kind(self, counts: FloatArray) -> FloatArray:
        """Return the same (B,) values as ``resampled``, from (B, K) weights of the kinds."""
        ...


class Metric(ABC):
    """Base class of metrics; the fields of the dataclass are their parameters."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    undefined_if: ClassVar[str]  # the end of a sentence
    n_resamples: int | None  # of the bootstrap intervals; 0 for none, None for the default
    task: ClassVar[str] = "classification"  # or "regression"
    uses: ClassVar[str] = "output"  # or "scores"
    higher_is_better: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)  # inf where unbounded
    fold_mean: ClassVar[MeanKind] = MeanKind.POOLED  # the mean to read for random folds
    is_agreement: ClassVar[bool] = False  # beyond chance: as uncertain as the rarer class makes it

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    @abstractmethod
    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the metric on those rows."""

    def check(self, classes: tuple[Label, ...]) -> None:  # noqa: B027 - most accept any classes
        """Raise ``InvalidParameter`` if a parameter does not fit the classes."""

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:  # noqa: ARG002 - it has none
        """Return (n,) codes of groups within which the influence averages to 0; None if none."""
        return None

    def count_hits(self, judged: TruthAndPredictions) -> FloatArray | None:  # noqa: ARG002 - same
        """Return (n,) 1 where a row counts, else 0, of a mean over ``strata`` of their shares.

        None of metrics that are no such mean of equal weights.
        """
        return None


def check_resamples(n_resamples: int | None) -> None:
    """Raise ``InvalidParameter`` if there are too few resamples for an interval, or too many."""
    if n_resamples is None or n_resamples == 0:
        return
    if not _MIN_RESAMPLES <= n_resamples <= _MAX_RESAMPLES:
        raise InvalidParameter(
            f"n_resamples must be 0, or {_MIN_RESAMPLES} to {_MAX_RESAMPLES}, and is "
            f"{n_resamples}.",
            loc=("n_resamples",),
            value=n_resamples,
        )


def choose_n_resamples(metric: Metric, n_rows: int) -> int:
    """Return the number of resamples: as requested; by default 1000, and 0 for very many rows."""
    if metric.n_resamples is not None:
        return metric.n_resamples
    return _DEFAULT_RESAMPLES if n_rows <= MAX_ROWS else 0
