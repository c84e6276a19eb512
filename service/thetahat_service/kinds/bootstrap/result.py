"""The result of kind ``bootstrap``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.bootstrap.result import StatisticEstimate
from thetahat.analyses.bootstrap.vectors import VectorEstimate
from thetahat.analyses.losses.result import NotApplicable
from thetahat.two_sample_tests import TwoSampleOutcome
from thetahat_service.kinds.provenance import KindResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapResult(KindResult):
    """A statistic of a sample, with its bias, variance and intervals."""

    kind: Literal["bootstrap"] = "bootstrap"
    """``bootstrap``."""
    statistic_estimate: StatisticEstimate | VectorEstimate = field(metadata={"inline": True})
    """The statistic and its replicates, or its components; its fields are fields of the result."""
    not_applicable: tuple[NotApplicable, ...]
    """Intervals and tests that do not fit the statistic, with the reason."""
    tests: Mapping[str, TwoSampleOutcome] | None = None
    """Tests that two independent samples have the same mean, by name."""
