"""Kind ``agreement``: how far raters of the same items agree."""

from __future__ import annotations

from typing import ClassVar

from thetahat.analyses.losses.result import MethodUsed
from thetahat_service.kinds.agreement.plan import check_request, measure
from thetahat_service.kinds.agreement.request import AgreementRequest
from thetahat_service.kinds.agreement.result import RatersResult
from thetahat_service.kinds.base import Finished, Job, JobKind


class Agreement(JobKind[AgreementRequest]):
    """Coefficients of agreement, computed without chunks."""

    name: ClassVar[str] = "agreement"
    title: ClassVar[str] = "Agreement of raters"
    request = AgreementRequest
    result = RatersResult
    check = staticmethod(check_request)

    def start(self, job: Job[AgreementRequest]) -> Finished:
        """Measure the agreement."""
        measured = measure(job.request, job.datasets, job.seed)
        methods = tuple(
            MethodUsed(family="agreement", name=name, params={"scale": measured.scale})
            for name in ("kappa", *measured.coefficients)
        )
        return Finished(RatersResult(agreement=measured), methods=methods)


KIND = Agreement()
