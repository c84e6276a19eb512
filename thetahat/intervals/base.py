"""The interval, and the base classes of the methods that build it.

A method builds intervals on a variance estimate, on the losses of one model, or on bootstrap
replicates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from thetahat.cautions import FEW_REPLICATES_BEYOND_AN_END, FEW_RESAMPLES, Caution
from thetahat.distributions import compute_tail_probability
from thetahat.numerics.bootstrap import Replicates, reason_against_units
from thetahat.numerics.bootstrap.cautions import check_resamples, resampling_cautions
from thetahat.numerics.bootstrap.interval_ends import EndDistances
from thetahat.numerics.paired_rates import find_upper_end
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage, IntervalCalibration
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.time_order import explain_dependence_in_time
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances._applicability import explain_missing_rows
from thetahat.variances._building import TRAINING_IGNORED
from thetahat.variances.base import VarianceEstimate

Ends = tuple[float | None, float | None]
"""Lower and upper end; an open end is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence or prediction interval, as in results."""

    method: str
    """Wire name of the interval, or the request's ``as`` key."""
    variance: str | None
    """Wire name of the variance that it rests on, or the request's ``as`` key; None where none is
    used."""
    target: Target
    """The error that the interval is about."""
    mean: MeanKind
    """The mean that is the centre of the interval."""
    estimate: float
    """That mean, in units of the loss."""
    standard_error: float | None
    """In units of the loss."""
    level: float
    """Confidence level, in (0, 1)."""
    alternative: Alternative
    """``two_sided``; ``less`` has no lower end, ``greater`` no upper end."""
    lower: float | None
    """Lower end, in units of the loss; None if it is open."""
    upper: float | None
    """Upper end, in units of the loss; None if it is open."""
    degrees_of_freedom: float | None
    """None means normal."""
    simultaneous_pairs: int | None = None
    """Number of pairs of models whose intervals hold all at once at this level; left out where the
    interval holds by itself."""
    recommended: bool = False
    """Whether the service recommends it for its target."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the interval."""
    details: Mapping[str, Any] = field(default_factory=dict, hash=False, metadata={"inline": True})
    """Further fields for the result, as plain JSON values."""
    expected_coverage: ExpectedCoverage | None = field(default=None, hash=False)
    """How often such an interval covered in the nearest studied design; only of a recommended
    interval, where one was studied."""
    expected_coverage_missing: str | None = None
    """Why a recommended interval has no ``expected_coverage``: which of its numbers no studied
    design comes near."""
    measured: IntervalCalibration | None = field(
        default=None, hash=False, metadata={"inline": True}
    )
    """How often the interval covers on samples of the data, if the request asks for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cautions", tuple(dict.fromkeys(self.cautions)))


def drop_open_end(lower: float | None, upper: float | None, alternative: Alternative) -> Ends:
    """Return the ends with None for the one that the alternative leaves open."""
    return (
        None if alternative is Alternative.LESS else lower,
        None if alternative is Alternative.GREATER else upper,
    )


class IntervalMethod:
    """Base class of interval methods; the fields of the dataclass are their parameters."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    only_for: ClassVar[str] = ""
    """What it is for, where that is not the losses of 0 and 1 alone, as part of a sentence."""

    def inapplicable(self, layout: Layout) -> str | None:  # noqa: ARG002 - for methods with a reason
        """Return why the method cannot be used on this layout, or None."""
        return None

    def build(
        self,
        losses: BlockLosses,  # noqa: ARG002 - for methods that use a variance
        variance_method: MethodInfo,  # noqa: ARG002 - same
        variance: VarianceEstimate,  # noqa: ARG002 - same
        level: float,  # noqa: ARG002 - same
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> Interval | None:
        """Return the interval on one variance; None if the method does not fit it or uses none."""
        return None

    def explain_unbuilt(
        self,
        losses: BlockLosses,  # noqa: ARG002 - for methods that have a reason of their own
        level: float,  # noqa: ARG002 - same
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> str | None:
        """Return why the interval could not be built; None if its variance has a caution of it."""
        return None


class IntervalOfLosses(IntervalMethod, ABC):
    """Base class of intervals that are built from the losses of one model, on no variance.

    The difference of two models has no such interval, because a verdict needs a standard error.
    """

    __slots__ = ()

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there are no losses of independent instances, or None if there are."""
        if reason := explain_missing_rows(self.info, layout):
            return reason
        if layout.cluster is not None:
            return f"{self.info.name} takes the instances as independent, and these are in clusters"
        return explain_dependence_in_time(self.info.name, layout)

    @abstractmethod
    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if it does not fit the losses."""

    def explain_unbuilt(
        self,
        losses: BlockLosses,
        level: float,  # noqa: ARG002 - for methods whose reason depends on the level
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> str:
        """Return why the interval could not be built from these losses."""
        values = losses.layout.words.values
        return f"the {values} of a model do not vary, or are too few for the level"

    def with_ends(  # noqa: PLR0913 - one argument for each field that differs
        self,
        estimate: float,
        ends: tuple[float, float],
        level: float,
        alternative: Alternative,
        *,
        standard_error: float | None = None,
        degrees_of_freedom: float | None = None,
        cautions: tuple[Caution, ...] = (),
        details: Mapping[str, JsonValue] | None = None,
    ) -> Interval:
        """Return the interval with these ends; a one-sided interval gets one open end."""
        lower, upper = drop_open_end(*ends, alternative)
        return Interval(
            method=self.info.name,
            variance=None,
            target=Target.THESE_MODELS,
            mean=MeanKind.POOLED,
            estimate=estimate,
            standard_error=standard_error,
            level=level,
            alternative=alternative,
            lower=lower,
            upper=upper,
            degrees_of_freedom=degrees_of_freedom,
            cautions=(*cautions, TRAINING_IGNORED),
            details=details or {},
        )


class ZeroOneInterval(IntervalOfLosses, ABC):
    """Base class of intervals for one model whose losses are all 0 or 1."""

    __slots__ = ()


class ErrorRateInterval(ZeroOneInterval, ABC):
    """Base class of intervals for the error rate of one model, from losses that are all 0 or 1."""

    __slots__ = ()

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why a layout is not one test set of independent instances; None if it is."""
        if layout.kind is not BlockKind.HOLDOUT:
            return (
                f"{self.info.name} is for a holdout, and these are {layout.words.kind}: the "
                f"models of different {layout.words.blocks} have different error rates"
            )
        return IntervalOfLosses.inapplicable(self, layout)

    @abstractmethod
    def compute_lower_end(self, errors: int, n: int, tail: float) -> float:
        """Return the lower end for a number of errors in n, with ``tail`` beyond the end.

        The upper end is 1 minus the lower end of the correct predictions.
        """

    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if a loss is neither 0 nor 1."""
        if self.inapplicable(losses.layout) is not None:
            return None
        is_error = losses.rows == 1
        if not np.all(is_error | (losses.rows == 0)):
            return None
        errors, n = int(is_error.sum()), len(is_error)
        tail = compute_tail_probability(level, alternative)
        lower = self.compute_lower_end(errors, n, tail)
        upper = 1 - self.compute_lower_end(n - errors, n, tail)
        return self.with_ends(errors / n, (lower, upper), level, alternative)


class PairedRatesInterval(IntervalMethod, ABC):
    """Base class of intervals for the difference of two models whose losses are all 0 or 1."""

    __slots__ = ()
    of_clusters: ClassVar[bool] = False
    """Whether it is for instances in clusters, and not for independent ones."""
    cautions: ClassVar[tuple[Caution, ...]] = (TRAINING_IGNORED,)
    """Cautions about every such interval."""

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why a layout is not one test set of independent instances; None if it is."""
        if layout.kind not in self.info.blocks:
            suited = "a holdout" if BlockKind.HOLDOUT in self.info.blocks else "source blocks"
            if BlockKind.RANDOM in self.info.blocks:
                suited = "random folds"
            return (
                f"{self.info.name} is for {suited}, and these are {layout.words.kind}: the "
                f"models of different {layout.words.blocks} have different error rates"
            )
        if reason := explain_missing_rows(self.info, layout):
            return reason
        if self.of_clusters and layout.cluster is None:
            return f"{self.info.name} needs a cluster column"
        if self.of_clusters and len(layout.cluster_labels) < 2:
            return f"{self.info.name} needs at least two clusters"
        if not self.of_clusters and layout.cluster is not None:
            return f"{self.info.name} takes the instances as independent, and these are in clusters"
        return explain_dependence_in_time(self.info.name, layout)

    def compute_upper_end(self, counts: PairedCounts, tail: float) -> float:
        """Return the upper end for a minus b, with ``tail`` beyond the end: Tango's, by default.

        The lower end is minus the upper end of b minus a.
        """
        return find_upper_end(counts, tail)

    def compute_ends(self, counts: PairedCounts, tail: float) -> tuple[float, float]:
        """Return both ends for a minus b, with ``tail`` beyond each."""
        lower = -self.compute_upper_end(counts.swap(), tail)
        return lower + 0.0, self.compute_upper_end(counts, tail)  # -0.0 + 0.0 is 0.0

    def build_from_counts(
        self, counts: PairedCounts, level: float, alternative: Alternative
    ) -> Interval:
        """Build the interval for a minus b."""
        ends = self.compute_ends(counts, compute_tail_probability(level, alternative))
        lower, upper = drop_open_end(*ends, alternative)
        return Interval(
            method=self.info.name,
            variance=None,
            target=self.info.targets[0],
            mean=self.info.mean or MeanKind.POOLED,
            estimate=counts.difference,
            standard_error=counts.standard_error or None,
            level=level,
            alternative=alternative,
            lower=lower,
            upper=upper,
            degrees_of_freedom=counts.degrees_of_freedom,
            cautions=self.cautions,
            details=self.describe(counts),
        )

    def describe(self, counts: PairedCounts) -> Mapping[str, JsonValue]:
        """Return what the result says about the counts."""
        return {
            "only_a": round(counts.only_a * counts.design_effect),
            "only_b": round(counts.only_b * counts.design_effect),
            "n": counts.n_instances,
            **({"design_effect": counts.design_effect} if self.of_clusters else {}),
        }


@dataclass(frozen=True, slots=True)
class ResampledInterval(IntervalMethod, ABC):
    """Base class of intervals whose ends are found from bootstrap replicates of the mean."""

    n_resamples: int | None = None
    """B, in 99 to 1 000 000. Left out: 9 999, fewer for more than 1 000 units, so that n x B stays
    at ten million draws, and never below 999."""

    needs_errors: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout cannot be resampled, or None if it can."""
        if layout.kind not in self.info.blocks:
            return (
                f"{self.info.name} is not for {layout.kind.value} blocks, whose test parts may "
                "overlap"
            )
        return reason_against_units(self.info.name, layout)

    @abstractmethod
    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the mean, and the cautions about them."""

    def build_from_replicates(
        self, replicates: Replicates, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None where the losses do not vary."""
        if replicates.is_constant:
            return None
        units, estimate = replicates.units, replicates.estimate
        tail = compute_tail_probability(level, alternative)
        distances, cautions = self.find_ends(replicates, tail)
        lower, upper = (None if end is None else estimate + end for end in distances)
        lower, upper = drop_open_end(lower, upper, alternative)
        return Interval(
            method=self.info.name,
            variance=None,
            target=units.target,
            mean=units.mean,
            estimate=estimate,
            standard_error=replicates.variance**0.5,
            level=level,
            alternative=alternative,
            lower=lower,
            upper=upper,
            degrees_of_freedom=None,
            cautions=(
                *cautions,
                *check_replicates_beyond_end(replicates.n_resamples, tail),
                *resampling_cautions(units),
            ),
            details={
                "unit": units.unit,
                "n_units": units.n_units,
                "n_resamples": replicates.n_resamples,
            },
        )


def check_replicates_beyond_end(n_resamples: int, tail: float) -> Iterator[Caution]:
    """Yield a caution where few replicates are beyond an end of an interval."""
    beyond = n_resamples * min(tail, 1 - tail)
    if beyond < FEW_REPLICATES_BEYOND_AN_END:
        yield FEW_RESAMPLES(
            subject="An end of the interval",
            n=f"about {format_number(beyond)}",
            what=f"of {n_resamples} replicates",
            least=FEW_REPLICATES_BEYOND_AN_END,
        )
