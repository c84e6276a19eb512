"""Kind ``cross_validation``: fit learners under a resampling scheme, then evaluate their losses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
from pydantic import Field

from service.jobs.kinds._analysis import AnalysisRequest
from service.jobs.kinds._cross_validation_plan import Plan, check_plan, plan_of
from service.jobs.kinds._data_input import DataFields, check_data_fields
from service.jobs.kinds._failures import failure_of
from service.jobs.kinds._loss_output import losses_as_columns
from service.jobs.kinds._methods import Method, entry_of
from service.jobs.kinds._methods_used import methods_used
from service.jobs.kinds.base import Chunk, Chunks, DatasetFile, Finished, Job
from service.schemas.base import EvaluationRequest
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.evaluation import check, evaluate
from thetahat.resampling import (
    SplitOutcome,
    cautions_of,
    loss_table,
    pack,
    run_splits,
    unpack,
)

SMALL = 3_000_000
"""Cells (splits x rows x columns x learners) below which one unit does it all."""
MOST_CHUNKS = 64
"""Per evaluation, about: enough to keep many workers busy, few enough to store."""


class CrossValidationRequest(AnalysisRequest, DataFields):
    """Data, learners and a scheme."""

    kind: Literal["cross_validation"] = "cross_validation"
    learners: dict[str, str | dict[str, Any]] = Field(
        min_length=1,
        max_length=200,
        description="By the name it has in the result.",
        examples=[{"nb": {"name": "multinomial_naive_bayes"}, "majority": "majority"}],
    )
    scheme: Method
    loss: Method | None = Field(
        None, description="zero_one for classification and squared for regression, if left out."
    )
    metrics: list[Method] = Field(default_factory=list, max_length=50)

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data set, if there is one."""
        return () if self.dataset is None else (self.dataset,)


class CrossValidation:
    """Splits x learners, spread over the workers."""

    name: ClassVar[str] = "cross_validation"
    title: ClassVar[str] = "From data and learners"
    request: ClassVar[type[CrossValidationRequest]] = CrossValidationRequest

    def check(self, request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = _narrow(request)
        for i, metric in enumerate(given.metrics):
            raise InvalidParameter(
                f"{entry_of(metric).name!r} is not one of the metrics: none yet",
                loc=("metrics", i),
            )
        check_data_fields(given, datasets)
        check_plan(given, datasets)

    def start(self, job: Job) -> Finished | Chunks:
        """Cut the splits of each learner into chunks, or do a small evaluation at once."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        cells = plan.n_splits * plan.data.n * max(1, len(plan.data.features.names))
        if cells * len(plan.learners) <= SMALL and plan.all_own:
            outputs = [_run(plan, job.seed, name, 0, plan.n_splits) for name in plan.learners]
            return _finish(job, given, plan, list(plan.learners), outputs)
        chunks = [
            Chunk({"learner": name, "start": start, "stop": stop}, size=stop - start)
            for name in plan.learners
            for start, stop in _cuts(plan.n_splits, len(plan.learners))
        ]
        return Chunks(chunks, unit="splits")

    def run(self, job: Job, payload: dict[str, Any]) -> dict[str, np.ndarray]:
        """Fit and test one learner on some of the splits."""
        plan = plan_of(job, _narrow(job.request))
        return _run(plan, job.seed, payload["learner"], payload["start"], payload["stop"])

    def gather(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Put the losses together and evaluate them."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        order = [name for name in plan.learners for _ in _cuts(plan.n_splits, len(plan.learners))]
        return _finish(job, given, plan, order, outputs)


def _narrow(request: EvaluationRequest) -> CrossValidationRequest:
    assert isinstance(request, CrossValidationRequest)  # noqa: S101 - the registry pairs them
    return request


def _cuts(n_splits: int, n_learners: int) -> list[tuple[int, int]]:
    """Return (start, stop) of about equal parts; a function of the request alone."""
    parts = min(n_splits, max(1, MOST_CHUNKS // n_learners))
    edges = [n_splits * i // parts for i in range(parts + 1)]
    return list(pairwise(edges))


def _run(plan: Plan, seed: int, name: str, start: int, stop: int) -> dict[str, np.ndarray]:
    """Return the losses and the predictions of a learner's splits, or what it failed with."""
    splits = plan.scheme.splits(plan.rows, seed, start=start, stop=stop)
    learner = plan.learners[name]
    try:
        outcomes = run_splits(
            name, learner, plan.data, splits, plan.loss, seed, keep_predictions=True
        )
    except EvaluationError as error:
        said = {"code": error.code, "message": error.message, "loc": ["learners", name]}
        return {"failed": np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)}
    return pack(outcomes)


def _finish(
    job: Job,
    given: CrossValidationRequest,
    plan: Plan,
    order: Sequence[str],
    outputs: Sequence[dict[str, np.ndarray]],
) -> Finished:
    """Evaluate the learners that ran; those that failed are named with their message."""
    failures: dict[str, dict[str, Any]] = {}
    outcomes: dict[str, list[SplitOutcome]] = {name: [] for name in plan.learners}
    for name, output in zip(order, outputs, strict=True):
        if "failed" in output:
            failures.setdefault(name, json.loads(output["failed"].tobytes()))
        else:
            outcomes[name].extend(unpack(output))
    ran = {name: of_one for name, of_one in outcomes.items() if name not in failures}
    if not ran:
        raise failure_of(next(iter(failures.values())))
    table = loss_table(plan.data, plan.scheme.block_kind, ran, plan.loss)
    choices = given.choices()
    if choices.control in failures:
        raise failure_of(failures[choices.control])
    check(table.layout, choices, table.names)
    result = evaluate(table, choices, job.seed)
    result["failures"] = failures
    result["cautions"] += [
        {"code": "learner_left_out", "message": f"{name!r} is left out: {failure['message']}"}
        for name, failure in failures.items()
    ] + [{"code": c.code, "message": c.message} for c in cautions_of(ran)]
    result["methods"] = [*plan.methods_used(given.learners), *methods_used(choices, result)]
    return Finished(result, losses_as_columns(table, _said(plan, ran)))


def _said(plan: Plan, ran: Mapping[str, Sequence[SplitOutcome]]) -> dict[str, np.ndarray]:
    """Return the predictions as columns: labels or values."""
    return {
        f"prediction:{name}": plan.labels(np.concatenate([np.asarray(o.output) for o in of_one]))
        for name, of_one in ran.items()
    }


METHOD = CrossValidation()
