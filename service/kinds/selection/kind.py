"""Kind ``selection``: internal estimation chooses a learner, external estimation assesses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    DatasetFile,
    Finished,
    Job,
    JobKind,
    run_chunks,
)
from service.kinds.fields.data import check_data_fields
from service.kinds.fields.learners import FitsRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import parse_metric
from service.kinds.selection.plan import Plan, check_selection, plan_of
from service.kinds.selection.result import finish
from service.kinds.selection.run import fits_of, parts_of, run_part
from thetahat.analyses.losses import Chosen
from thetahat.errors import UnsupportedCombination
from thetahat.metrics.base import Metric
from thetahat.refit_estimators import RequestedRefit

SMALL = 3_000_000
"""Values looked at, over all splits and candidates, below which one unit does it all."""


class SelectionRequest(FitsRequest):
    """Data, candidates, and the schemes that choose and assess."""

    kind: Literal["selection"] = "selection"
    candidates: dict[str, str | dict[str, Any]] = Field(
        min_length=1,
        max_length=200,
        description="Learners by the name each has in the result; of equal ones the first wins. "
        "One with 'grid', values by parameter, is a candidate at each of them.",
        examples=[
            {
                "mean": "mean",
                "ridge": {
                    "name": "ridge",
                    "grid": {"penalty": {"from": 0.001, "to": 1000, "count": 7}},
                },
            }
        ],
    )
    internal: Method | None = Field(
        None, description="The scheme that chooses; left out where external brings its own."
    )
    external: Method | None = Field(
        None,
        description="The scheme that assesses what is chosen; nested and three_way bring their "
        "internal one. Left out: nothing is assessed.",
    )
    rule: Literal["least", "one_standard_error"] = Field(
        "least",
        description="one_standard_error: the first candidate within one standard error of the "
        "least; list the simplest first.",
    )
    select_by: Method | None = Field(
        None,
        description="A metric to choose by, in the place of the mean loss: roc_auc, f1, ...",
    )
    metrics: list[Method] = Field(
        default_factory=list,
        max_length=50,
        description="Of what is assessed, beside the loss: roc_auc, f1, ...",
    )
    compare: bool = Field(
        False,
        strict=True,
        description="Whether every candidate is evaluated beside what is selected.",
    )

    def chosen_by(self) -> Chosen[Metric] | None:
        """Return the metric that is chosen by, its parameters checked."""
        return None if self.select_by is None else parse_metric(self.select_by, "select_by")

    def refits(self) -> tuple[RequestedRefit, ...]:
        """Refuse methods that fit learners again, and say why."""
        try:
            return super().refit_methods
        except UnsupportedCombination as error:
            raise UnsupportedCombination(
                f"{error.value} fits the learner again, and here the learner is the whole "
                "selection: each of those fits would choose anew among all candidates, inside "
                "its own training part. The external scheme estimates the error of the selection; "
                "of one candidate, once it is chosen, the kind 'cross_validation' offers it",
                loc=error.loc,
                value=error.value,
            ) from None


class Selection(JobKind[SelectionRequest]):
    """Candidates x external splits x internal splits, spread over the workers."""

    name: ClassVar[str] = "selection"
    title: ClassVar[str] = "Selection among learners"
    request = SelectionRequest
    has_partial_results: ClassVar[bool] = True

    def check(self, request: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = request
        check_data_fields(given, datasets)
        check_selection(given, datasets)

    def start(self, job: Job[SelectionRequest]) -> Finished | Chunks:
        """Cut the splits of each candidate into chunks, or do a small selection at once."""
        given = job.request
        plan = plan_of(job, given)
        if _work(plan) <= SMALL and plan.all_own:
            chunks = [Chunk(part) for part in parts_of(plan, whole=True)]
            return finish(job.seed, given, plan, run_chunks(self, job, chunks))
        chunks = [
            Chunk(part, size=fits_of(part, plan), part=_name(part, plan)) for part in parts_of(plan)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job[SelectionRequest], payload: dict[str, Any]) -> Arrays:
        """Fit and test some candidates inside and outside of some external splits, or on all."""
        return run_part(plan_of(job, job.request), job.seed, payload)

    def gather(self, job: Job[SelectionRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        """Choose among the candidates that have outputs, and evaluate what was chosen."""
        given = job.request
        whole = plan_of(job, given)
        bundles = {one.payload["bundle"] for one in outputs}
        there = {name for at in bundles for name in whole.groups.bundles[at].names}
        some = {name: one for name, one in whole.candidates.items() if name in there}
        return finish(job.seed, given, replace(whole, candidates=some), outputs)


def _name(part: Mapping[str, Any], plan: Plan) -> str:
    name: str = plan.groups.bundles[part["bundle"]].part
    return name


def _work(plan: Plan) -> int:
    return sum(b.cells(plan.data, plan.sizes.n_fits) for b in plan.groups.bundles)


KIND = Selection()
