"""Kind ``bootstrap``: bias, variance and intervals of any statistic of a sample."""

from __future__ import annotations

from typing import ClassVar

from thetahat.analyses.bootstrap.intervals import build_intervals, needs_errors
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.bootstrap.result import describe_statistic
from thetahat.analyses.bootstrap.vectors import estimate_vector
from thetahat.analyses.losses.result import MethodUsed, NotApplicable
from thetahat.seeds import make_random_stream
from thetahat_service.kinds.base import Finished, Job, JobKind
from thetahat_service.kinds.bootstrap.plan import (
    build_plan,
    build_vector_plan,
    check_request,
    is_of_vector,
)
from thetahat_service.kinds.bootstrap.request import BootstrapRequest
from thetahat_service.kinds.bootstrap.result import BootstrapResult
from thetahat_service.kinds.methods_used import record_method


class Bootstrap(JobKind[BootstrapRequest]):
    """A statistic of a sample and of its resamples, computed without chunks."""

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "Bootstrap of a statistic"
    request = BootstrapRequest
    result = BootstrapResult
    check = staticmethod(check_request)

    def start(self, job: Job[BootstrapRequest]) -> Finished:
        """Compute the statistic of every resample, and the intervals."""
        if is_of_vector(job.request):
            return _bootstrap_vector(job)
        request, plan = job.request, build_plan(job.request, job.datasets, job.seed)
        replicates = bootstrap_statistic(
            plan.statistic,
            plan.sample,
            plan.resamples,
            with_errors=any(needs_errors(name) for name in plan.intervals),
        )
        intervals = build_intervals(
            replicates, plan.statistic, plan.intervals, request.level, request.alternative
        )
        tests = {
            test.key: test.method.test(
                plan.sample, request.alternative, make_random_stream(job.seed, "two-sample tests")
            )
            for test in plan.tests
        }
        result = BootstrapResult(
            statistic_estimate=describe_statistic(
                plan.statistic, plan.sample, replicates, intervals
            ),
            not_applicable=tuple(
                NotApplicable(name=name, reason=reason, family=family)
                for family, reasons in (("intervals", plan.reasons), ("tests", plan.test_reasons))
                for name, reason in reasons.items()
            ),
            tests=tests or None,
        )
        used = (MethodUsed(family="intervals", name=name, params={}) for name in plan.intervals)
        tested = (record_method("tests", test.method, test.key) for test in plan.tests)
        return Finished(
            result, methods=(record_method("statistics", plan.statistic), *used, *tested)
        )


def _bootstrap_vector(job: Job[BootstrapRequest]) -> Finished:
    """Compute a statistic with several components of every resample, and their intervals."""
    request, plan = job.request, build_vector_plan(job.request, job.datasets, job.seed)
    result = BootstrapResult(
        statistic_estimate=estimate_vector(
            plan.statistic,
            plan.sample,
            plan.resamples,
            plan.intervals,
            request.level,
            request.alternative,
        ),
        not_applicable=tuple(
            NotApplicable(name=name, reason=reason, family="intervals")
            for name, reason in plan.reasons.items()
        ),
    )
    used = (MethodUsed(family="intervals", name=name, params={}) for name in plan.intervals)
    return Finished(result, methods=(record_method("statistics", plan.statistic), *used))


KIND = Bootstrap()
