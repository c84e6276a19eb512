"""The advice as a result: scheme, interval, test and precision, each with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thetahat.values.coverage import ExpectedCoverage, ExpectedSize
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceReason:
    """Why something is advised."""

    reason: str
    """One or two sentences."""
    sources: tuple[str, ...]
    """Publications, or the path of the page on which the service shows the study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedScheme:
    """The scheme."""

    name: str
    """Wire name."""
    parameters: Mapping[str, JsonValue]
    """Its parameters."""
    folds: int
    """Test parts of one partition."""
    repeats: int
    """How often the rows are partitioned or drawn."""
    n_fits: int
    """Trained models, over all learners."""
    seconds: float | None = None
    """Time of these fits, by the time of one; left out where that is not known."""
    columns: Mapping[str, str]
    """What ``columns`` of the request must name for this scheme, by role."""
    reasons: tuple[AdviceReason, ...]
    """Why this scheme, and why so many folds and repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedInterval:
    """The interval that the result will recommend."""

    method: str
    """Wire name of the interval."""
    variance: str | None
    """Wire name of the variance that it rests on; None if it rests on none."""
    target: Target
    """What it is about."""
    expected_coverage: ExpectedCoverage | None = field(default=None, metadata={"in_place": True})
    """How often it covered in the nearest studied design; left out where none is like this one."""
    reasons: tuple[AdviceReason, ...]
    """Why this interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedTest:
    """The test that decides between two models."""

    method: str
    """Wire name of the interval of the difference, on which the verdict rests."""
    variance: str | None
    """Wire name of its variance; None if it rests on none."""
    expected_size: ExpectedSize | None = field(default=None, metadata={"in_place": True})
    """How often the verdict called equal models different in the nearest studied design; left out
    where none is like this one."""
    alternative: str | None = None
    """The paired test that had the largest power there among those that kept their level; left out
    where none did."""
    alternative_size: ExpectedSize | None = field(default=None, metadata={"in_place": True})
    """How often that test called equal models different."""
    reasons: tuple[AdviceReason, ...]
    """Why this test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedPrecision:
    """The precision to expect."""

    half_width: float
    """Half the width of the interval of one model's mean loss, in units of the loss."""
    half_width_of_difference: float | None = None
    """The same for the difference of two models; left out for a single model."""
    detectable_difference: float | None = None
    """The smallest true difference that is found with the requested power, with the correction for
    all pairs of models; left out for a single model."""
    power_at_margin: float | None = None
    """The chance to find a difference as large as the margin; left out without a margin."""
    loss_spread: float
    """Standard deviation of one model's losses that was assumed."""
    reasons: tuple[AdviceReason, ...]
    """How these numbers were computed and what they assume."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeScheme:
    """Another scheme that fits the situation."""

    name: str
    """Wire name."""
    parameters: Mapping[str, JsonValue]
    """Its parameters."""
    reason: AdviceReason
    """The reason for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The advised scheme, interval and test for these data, and the precision to expect."""

    request: Mapping[str, JsonValue]
    """A fragment of a request of POST /v1/evaluations, to which data, task and learners are
    added."""
    scheme: AdvisedScheme
    """How rows are divided."""
    interval: AdvisedInterval | None = None
    """The interval of a model's mean loss; left out where none can be built."""
    test: AdvisedTest | None = None
    """How two models are compared; left out for a single model."""
    precision: AdvisedPrecision | None = None
    """What precision to expect; left out where no interval can be built."""
    alternatives: tuple[AlternativeScheme, ...]
    """Other schemes that fit."""
    cautions: tuple[str, ...]
    """What limits the answer."""
