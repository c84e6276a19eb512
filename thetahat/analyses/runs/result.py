"""What a result says about the runs of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from thetahat.values.coverage import ExpectedCoverage


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponent:
    """One part of the variance of the mean over items and runs."""

    variance: float
    """Estimated variance of one loss that comes from it, in squared units of the loss; it may be
    negative."""
    share: float | None
    """Its share of the variance of the mean over these numbers of items and runs; None where a
    component is negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The standard error that other numbers of items and runs would give."""

    items: int
    """Number of items."""
    runs: int
    """Number of runs of each item."""
    standard_error: float
    """Standard error of the mean, in units of the loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """How often runs succeed, with its interval over items."""

    estimate: float
    """Mean over the items of the unbiased estimate of each."""
    standard_error: float | None
    """Standard error of the estimate over items; None without spread."""
    lower: float | None
    """Lower end of its interval, at least 0."""
    upper: float | None
    """Upper end of its interval, at most 1."""
    level: float
    """Level of the interval."""
    method: str | None
    """How the interval is built: ``student_t``, or with fewer than five items of one outcome
    ``wilson`` or ``wilson_clusters``, as of one run for each item, which is cautious; None without
    one."""
    reason: str | None = None
    """Why there is no interval."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such an interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAt(SuccessRate):
    """How often at least one of k runs of an item succeeds (pass@k), and how often all do."""

    all_succeed: SuccessRate
    """How often all of k runs succeed (pass^k)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsOfModel:
    """The runs of the items of one model."""

    items: int
    """Number of items."""
    runs_per_item: tuple[int, int]
    """Least and largest number of runs of an item."""
    design: Literal["nested", "crossed"]
    """``crossed`` if each run, such as a seed, has a loss of every item; else ``nested``."""
    components: Mapping[str, VarianceComponent] | None
    """``item`` and ``residual`` (the runs of an item), and ``run`` of crossed runs; None with one
    item, or one run of each."""
    standard_error_of_new_runs: float | None = None
    """Standard error of the mean over other items and other crossed runs, such as other seeds; the
    intervals are for other items and these runs."""
    plans: tuple[RunPlan, ...]
    """Twice the items, and twice the runs."""
    flip_rate: float | None = None
    """How often two runs of an item differ, for losses of 0 and 1."""
    pass_at: Mapping[str, PassAt] | None = None
    """By the number k that the request asks for."""
    sentence: str
    """The above in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsOfPair:
    """The runs of the items in the difference of two models."""

    share_of_runs: float | None
    """Share of the variance of the mean difference that the runs add, which more runs would take
    away; None where it cannot be estimated."""
    sentence: str
    """The above in words."""
