"""The parts of a result that are about groups of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.types import Label


class SharedLevel(StrEnum):
    """How the level of all groups is shared out among them."""

    SIDAK = "sidak"
    BONFERRONI = "bonferroni"


class GroupDecision(StrEnum):
    """The answer on models a and b in one group."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    NOT_WORSE = "not_worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimultaneousLevel:
    """The level at which the intervals of all groups hold together."""

    method: SharedLevel
    """``sidak`` for groups without common rows or clusters, else ``bonferroni``."""
    groups: int
    """Number of groups that are allowed for: all that have rows."""
    level: float
    """Level at which all of them hold."""
    level_of_each: float
    """Level of each interval alone."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such intervals of all groups covered at once in the nearest studied design, where
    one was studied."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMetric:
    """A metric of one model in one group."""

    estimate: float | None
    """The metric over the rows of the group; None where it is undefined."""
    interval: Interval | None
    """Its interval, which holds together with those of the other groups; None where there is none.
    """
    reason: str | None = None
    """Why there is no value or no interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """One model in one group."""

    group: Mapping[str, Label | None]
    """The value of each column; null is a missing value, whose rows are a group of their own."""
    n: int
    """Number of its instances; 0 where all were left out."""
    clusters: int | None
    """Number of clusters that they come from; None without clusters."""
    share: float
    """Its share of all instances."""
    mean: float | None
    """Mean over its instances; None without any."""
    interval: Interval | None
    """The interval of the mean, which holds together with those of the other groups."""
    bound: float | None
    """End on the side of worse values of a one-sided interval, which holds together with those of
    the other groups."""
    too_few: bool
    """Whether the group has too few rows to say: fewer than ten, no interval, or one that reaches
    further than the margin."""
    reason: str | None = None
    """Why there is no interval."""
    metrics: Mapping[str, GroupMetric] | None = None
    """Metrics in this group, where the request names any."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about these numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstGroup:
    """The group with the worst mean, and what is certain of the worst group, whichever it is."""

    group: Mapping[str, Label | None]
    """The group with the worst mean of these data."""
    mean: float
    """Its mean."""
    upper_bound: float | None = None
    """No group has a larger mean loss, with the level as confidence; None for scores, or where a
    group has no bound."""
    lower_bound: float | None = None
    """No group has a smaller mean score; None for losses, or where a group has no bound."""
    groups_without_bound: int
    """Groups that the bound says nothing about, because they have no interval."""
    sentence: str
    """Both in words."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such a bound held in the nearest studied design, where one was studied."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """A test that all groups have the same mean, or the same difference of two models."""

    name: Literal["welch", "wald", "wald_f"] | None
    """Welch's F, Wald's chi-squared, or Wald's F over clusters; None where there is no test."""
    statistic: float | None
    """The test statistic."""
    degrees_of_freedom: float | tuple[float, ...] | None
    """Of chi-squared, or of numerator and denominator of F."""
    p_value: float | None
    """p-value of equal groups."""
    reason: str | None = None
    """Why there is no test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGap:
    """The gap between two groups, or of one from the mean of all rows."""

    group: Mapping[str, Label | None]
    """The first group."""
    against: Mapping[str, Label | None] | None
    """The group that is subtracted; None for all rows, which contain the first group."""
    estimate: float
    """Mean of the first minus mean of the second, or the same of a metric."""
    standard_error: float | None
    """Its standard error."""
    degrees_of_freedom: float | None
    """Degrees of freedom by Welch and Satterthwaite; None means normal."""
    method: Literal["joint_t", "hybrid_score", "square_and_add"]
    """``joint_t``: t quantiles of the probability at which all gaps hold together. Of two error
    rates Newcombe's ``hybrid_score``, from the intervals of both groups at that probability, and of
    metrics ``square_and_add``, the same with the correlation of both."""
    lower: float
    """Lower end of the interval, which holds together with those of the other gaps."""
    upper: float
    """Upper end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGaps:
    """Gaps whose intervals hold together."""

    level: float
    """Level at which all of them hold."""
    critical_value: float | None
    """Quantile of the largest standardised gap, from their joint normal distribution."""
    items: tuple[GroupGap, ...] | None = None
    """The gaps; only if ``group_gaps`` are included."""
    largest: GroupGap | None
    """The largest one. Of groups that are equal it is above 0 as well, so read its interval."""
    reason: str | None = None
    """Why there are none, or which groups have none."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such intervals of all gaps covered at once in the nearest studied design, where
    one was studied."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelGroups:
    """One model by the groups of a column, or of an intersection of columns."""

    columns: tuple[str, ...]
    """The columns."""
    whole: float
    """Mean over all instances."""
    simultaneous: SimultaneousLevel
    """The level at which the intervals hold together."""
    items: tuple[GroupMean, ...]
    """The groups, in the order of their labels."""
    worst: WorstGroup | None
    """The worst group; None where no group has a mean."""
    equal_means: GroupTest
    """Whether all groups could have the same mean."""
    gaps: GroupGaps
    """Gaps of all pairs of groups."""
    against_whole: GroupGaps | None = None
    """Gap of each group from the mean of all instances; only if ``group_gaps`` are included."""
    simultaneous_metrics: Mapping[str, SimultaneousLevel] | None = None
    """By metric, the level at which its intervals in all groups hold together, where the request
    names any."""
    metric_gaps: Mapping[str, GroupGaps] | None = None
    """By metric, the gaps of all pairs of groups, where the request names any metric."""
    metrics_against_whole: Mapping[str, GroupGaps] | None = None
    """By metric, the gap of each group from the metric over all instances; only if ``group_gaps``
    are included."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about all groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """Two models in one group."""

    group: Mapping[str, Label | None]
    """The value of each column; null is a missing value."""
    n: int
    """Number of its instances; 0 where all were left out."""
    clusters: int | None
    """Number of clusters that they come from; None without clusters."""
    difference: float | None
    """Mean of a minus mean of b; None without instances."""
    interval: Interval | None
    """The interval of the difference, which holds together with those of the other groups."""
    worse_by_at_most: float | None
    """a is worse than b by less than this, at the level of the request for this group alone: a gate
    passes if it is below the margin in every group. Below 0, a is better."""
    worse_by_at_least: float | None
    """a is worse than b by more than this, at the level of the request for all groups of all
    columns together: a gate fails if it is above the margin in a group."""
    decision: GroupDecision
    """What the interval shows."""
    too_few: bool
    """Whether the group has too few rows to say: undecided with fewer than ten, no interval, or one
    that reaches further than the margin from its middle."""
    reason: str | None = None
    """Why there is no interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairGroups:
    """Two models by the groups of a column, or of an intersection of columns."""

    columns: tuple[str, ...]
    """The columns."""
    whole: float
    """Difference over all instances."""
    simultaneous: SimultaneousLevel
    """The level at which the intervals hold together; of several pairs, those of all pairs do."""
    items: tuple[GroupDifference, ...]
    """The groups, in the order of their labels."""
    depends_on_group: GroupTest
    """Whether the difference of the models depends on the group."""
    gaps: GroupGaps
    """Gaps between the differences of all pairs of groups."""
    sentence: str
    """The groups in words."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about all groups."""
