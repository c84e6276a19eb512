"""Types of request fields that name a statistic or a test of two samples."""

from __future__ import annotations

from typing import Annotated

from thetahat.statistics.vector_statistics import EVERY_STATISTIC
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry

StatisticName = Annotated[str, Listed("StatisticName", "A statistic of a sample.", EVERY_STATISTIC)]


class StatisticEntry(MethodEntry[StatisticName]):
    """A statistic of a sample with its parameters."""


TwoSampleTestName = Annotated[
    str, Listed("TwoSampleTestName", "A test of two independent samples.", TWO_SAMPLE_TESTS)
]


class TwoSampleTestEntry(MethodEntry[TwoSampleTestName]):
    """A test of two independent samples with its parameters."""
