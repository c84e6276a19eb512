"""Kind ``cross_validation``: fit learners under a resampling scheme, then evaluate their losses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
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
from service.kinds.cross_validation.calibration import (
    CALIBRATION,
    CalibrationFields,
    add_calibration,
    calibration_of,
    check_calibration,
    parts_of_calibration,
    run_calibration,
)
from service.kinds.cross_validation.plan import Plan, check_plan, plan_of
from service.kinds.cross_validation.run import parts_of, run_part, splits_of, work_of
from service.kinds.fields.data import check_data_fields
from service.kinds.fields.learners import LearnersRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import parse_metrics
from service.kinds.fitting.data_cautions import cautions_of_data
from service.kinds.fitting.failures import failure_of
from service.kinds.fitting.fewer_learners import choices_left
from service.kinds.fitting.learner_groups import Bundle
from service.kinds.fitting.metrics import check_learners, judged_of
from service.kinds.fitting.outcomes import told_by
from service.kinds.fitting.refits import found_again
from service.kinds.fitting.target_sample import (
    TargetSampleFields,
    check_target_sample,
    importance_of,
    sources_of,
)
from service.kinds.loss_columns import tabulate_losses
from service.kinds.methods_used import record_methods
from thetahat.analyses.losses import check, evaluate
from thetahat.analyses.losses.weighted_risks import add_risks
from thetahat.analyses.metrics.result import add_metrics
from thetahat.cautions import LEARNER_LEFT_OUT, Caution
from thetahat.cross_validation import (
    Outcomes,
    cautions_of,
    cautions_of_clusters,
    joined,
    loss_table,
    path_of,
    unpack,
)
from thetahat.errors import InsufficientData
from thetahat.refit_estimators import reasons_against_pairs
from thetahat.values.json_values import to_json, told

SMALL = 3_000_000
"""Values looked at, over all splits and learners, below which one unit does it all."""


class CrossValidationRequest(LearnersRequest, TargetSampleFields, CalibrationFields):
    """Data, learners and a scheme; and a sample of another population, if that is asked about."""

    fits_learners: ClassVar[bool] = True

    kind: Literal["cross_validation"] = "cross_validation"
    metrics: list[Method] = Field(
        default_factory=list, max_length=50, description="Beside the loss: roc_auc, f1, ..."
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets of the data and of the target sample."""
        target = None if self.target_sample is None else self.target_sample.dataset
        named = (self.dataset, target)
        return tuple(dict.fromkeys(each for each in named if each is not None))


class CrossValidation(JobKind[CrossValidationRequest]):
    """Splits x learners, spread over the workers."""

    name: ClassVar[str] = "cross_validation"
    title: ClassVar[str] = "From data and learners"
    request = CrossValidationRequest
    has_partial_results: ClassVar[bool] = True

    def check(self, request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = request
        check_data_fields(given, datasets)
        check_target_sample(given, datasets)
        check_plan(given, datasets)
        check_calibration(given, datasets)
        check_learners(parse_metrics(given.metrics), given, datasets)

    def start(self, job: Job[CrossValidationRequest]) -> Finished | Chunks:
        """Cut the splits of the learners into chunks, or do a small evaluation at once."""
        given = job.request
        plan = plan_of(job, given)
        repetitions = parts_of_calibration(calibration_of(given))
        if work_of(plan) <= SMALL and plan.all_own and not repetitions:
            chunks = [Chunk(part) for part in parts_of(plan, whole=True)]
            return _finish(job, given, plan, run_chunks(self, job, chunks))
        chunks = [
            Chunk(part, size=splits_of(part, plan), part=_name(part, plan))
            for part in parts_of(plan)
        ]
        per_sample = plan.n_splits * len(plan.learners)
        chunks += [
            Chunk(part, size=(part["stop"] - part["start"]) * per_sample, part=CALIBRATION)
            for part in repetitions
        ]
        return Chunks(chunks, unit="splits")

    def run(self, job: Job[CrossValidationRequest], payload: dict[str, Any]) -> Arrays:
        """Fit and test some learners on some of the splits."""
        given = job.request
        if CALIBRATION in payload:
            return run_calibration(plan_of(job, given), given, job.seed, payload)
        return run_part(plan_of(job, given), job.seed, payload)

    def gather(self, job: Job[CrossValidationRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        """Put the losses of the learners that have outputs together and evaluate them."""
        given = job.request
        whole = plan_of(job, given)
        of_learners = [one for one in outputs if CALIBRATION not in one.payload]
        there = {name for one in of_learners for name in whole.bundles[one.payload["bundle"]].names}
        if not there:
            raise InsufficientData("no learner is complete yet")
        some = {name: learner for name, learner in whole.learners.items() if name in there}
        finished = _finish(job, given, replace(whole, learners=some), of_learners)
        of_calibration = [one.read() for one in outputs if CALIBRATION in one.payload]
        add_calibration(finished.result, whole, given, job.seed, of_calibration)
        return finished

    def learners_of_parts(
        self, job: Job[CrossValidationRequest], parts: Collection[str]
    ) -> list[str]:
        """Return the learners of these parts, and the calibration where it is one of them."""
        plan = plan_of(job, job.request)
        there = {name for bundle in plan.bundles if bundle.part in parts for name in bundle.names}
        also = [CALIBRATION] if CALIBRATION in parts else []
        return [name for name in plan.learners if name in there] + also


def _name(part: Mapping[str, Any], plan: Plan) -> str:
    bundle: Bundle = plan.bundles[part["bundle"]]
    return bundle.part


def _finish(
    job: Job[CrossValidationRequest],
    given: CrossValidationRequest,
    plan: Plan,
    outputs: Sequence[ChunkOutput],
) -> Finished:
    """Evaluate the learners that ran; those that failed are named with their message."""
    failures: dict[str, dict[str, Any]] = {}
    outcomes: dict[str, list[Outcomes]] = {name: [] for name in plan.learners}
    again: dict[str, dict[int, list[Arrays]]] = {name: {} for name in plan.learners}
    for output in outputs:
        part = output.payload
        piece = told_by(output.read(), plan.bundles[part["bundle"]].names)
        for name, failure in piece.failures.items():
            failures.setdefault(name, failure)
        for name, arrays in piece.ran.items():
            if "design" in part:
                again[name].setdefault(part["design"], []).append(arrays)
            else:
                outcomes[name].append(unpack(arrays))
    ran = {name: joined(of_one) for name, of_one in outcomes.items() if name not in failures}
    if not ran:
        raise failure_of(next(iter(failures.values())))
    table = loss_table(plan.data, plan.scheme.block_kind, ran, plan.loss)
    left = (given.choices, table.layout, list(given.learners), list(ran))
    choices, fewer, let_go = choices_left(*left)
    check(table.layout, plan.extra.choices_to_check(choices), table.names)
    fitted = {name: again[name] for name in ran}
    found, cautions = found_again(plan, job.seed, fitted, choices)
    evaluation = evaluate(table, choices, job.seed, refits=found)
    importance = importance_of(job, given, plan.data)
    if importance is not None:
        tested = np.concatenate([outcome.test for outcome in next(iter(ran.values()))])
        weights, sources = importance.weights.validation[tested], sources_of(plan.data, tested)
        evaluation = add_risks(evaluation, table, weights, choices, importance.risks, sources)
    metrics = parse_metrics(given.metrics)
    judged = judged_of(metrics, plan.data, ran)
    evaluation = add_metrics(evaluation, metrics, judged, table.layout, choices, job.seed)
    result = to_json(evaluation)
    if importance is not None:
        result["weights"] = importance.told(given, job.seed)
    of_split = cautions_of_clusters(plan.data, plan.scheme.block_kind, next(iter(ran.values())))
    of_scheme = (
        *getattr(plan.scheme, "cautions", ()),
        *of_split,
        *cautions_of_data(given, plan.data),
    )
    of_fits = cautions_of(ran)
    result["failures"] = failures
    result["learners"] = {name: path_of(of_one.reasons) for name, of_one in ran.items()}
    result["cautions"] += told([*_left_out(failures), *of_scheme, *fewer, *of_fits, *cautions])
    result["not_applicable"] += let_go
    result["not_applicable"] += (
        [] if len(ran) < 2 else list(reasons_against_pairs(plan.extra.asked))
    )
    result["methods"] = [
        *plan.methods_used({name: given.learners[name] for name in plan.learners}),
        *record_methods("metrics", metrics),
        *evaluation.methods,
        *plan.extra.methods_used(),
        *([] if importance is None else importance.methods_used()),
    ]
    return Finished(result, tabulate_losses(table, _said(plan, ran)))


def _left_out(failures: Mapping[str, Mapping[str, Any]]) -> Iterator[Caution]:
    for name, failure in failures.items():
        yield LEARNER_LEFT_OUT(name=name, reason=failure["message"])


def _said(plan: Plan, ran: Mapping[str, Outcomes]) -> Arrays:
    """Return the predictions as columns: labels or values."""
    return {
        f"prediction:{name}": plan.labels(np.asarray(of_one.output)) for name, of_one in ran.items()
    }


KIND = CrossValidation()
