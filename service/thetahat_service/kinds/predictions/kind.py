"""Kind ``predictions``: models are compared by the losses of their predictions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar
from uuid import UUID

from thetahat.analyses.losses import evaluate
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.metrics.result import compute_metrics
from thetahat.cautions import BLOCKS_ASSUMED_RANDOM
from thetahat.tables.labels import find_similar_blocks, find_similar_labels
from thetahat_service.errors import run_checks
from thetahat_service.kinds.base import DatasetFile, Finished, Job, JobKind
from thetahat_service.kinds.loss_columns import tabulate_losses
from thetahat_service.kinds.methods_used import record_method, record_methods
from thetahat_service.kinds.predictions.plan import build_plan, check_dataset, check_form
from thetahat_service.kinds.predictions.request import PredictionsRequest
from thetahat_service.kinds.predictions.result import PredictionsResult


class PredictionsKind(JobKind[PredictionsRequest]):
    """Predictions of models, evaluated without chunks whatever their number."""

    name: ClassVar[str] = "predictions"
    title: ClassVar[str] = "Models compared by their predictions"
    request = PredictionsRequest
    result = PredictionsResult

    def check(self, request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Compute the losses of inline predictions; of a data set, check the names of columns."""
        check_form(request)
        dataset, columns = request.dataset, request.columns
        if dataset is not None and columns is not None:
            run_checks(
                request.check_choices,
                lambda: check_dataset(request, columns, datasets[dataset]),
            )
        else:
            request.check_choices()
            build_plan(request, datasets)

    def start(self, job: Job[PredictionsRequest]) -> Finished:
        """Compute the losses, and evaluate them together with the metrics."""
        request = job.request
        plan = build_plan(request, job.datasets)
        table, choices = plan.table, request.choices
        assumed = [BLOCKS_ASSUMED_RANDOM()] if request.blocks is None else []
        parts = Parts(
            refits=plan.fits.compute(choices),
            make_metrics=partial(
                compute_metrics, plan.metrics, plan.judged, table.layout, table.names, seed=job.seed
            ),
            cautions=(
                *plan.cautions,
                *assumed,
                *find_similar_labels(plan.classes, "labels"),
                *find_similar_blocks(table.layout),
            ),
        )
        evaluation = evaluate(table, choices, job.seed, parts)
        result = PredictionsResult(evaluation=evaluation, bias_variance=plan.bias_variance)
        methods = (
            record_method("losses", plan.loss),
            *record_methods("metrics", plan.metrics),
            *evaluation.methods,
            *plan.fits.list_methods_used(),
        )
        return Finished(result, tabulate_losses(table), methods)


KIND = PredictionsKind()
