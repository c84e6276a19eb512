"""Kind ``predictions``: models are compared by the losses of their predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

from thetahat.analyses.losses.result import EvaluationResult
from thetahat.analyses.predictions.evaluation import evaluate_prediction_losses
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest, run_checks
from thetahat_service.kinds.base import DatasetFile, Finished, Job, JobKind
from thetahat_service.kinds.loss_columns import tabulate_losses
from thetahat_service.kinds.methods_used import record_method, record_metrics
from thetahat_service.kinds.predictions.plan import build_plan, check_dataset, check_form, read_rows
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
        options = (request.check_choices, request.build_probabilities)
        if dataset is not None and columns is not None:
            run_checks(*options, lambda: check_dataset(request, columns, datasets[dataset]))
            return
        try:
            run_checks(*options)
        except (EvaluationError, InvalidRequest):
            run_checks(*options, lambda: read_rows(request, datasets))
        build_plan(request, datasets)

    def check_contents(
        self, request: PredictionsRequest, datasets: Mapping[UUID, DatasetFile]
    ) -> None:
        """Compute the losses of the rows of a data set, as the worker does."""
        if datasets:
            build_plan(request, datasets)

    def start(self, job: Job[PredictionsRequest]) -> Finished:
        """Compute the losses, and evaluate them together with the metrics."""
        request = job.request
        plan = build_plan(request, job.datasets)
        losses, choices = plan.losses, request.choices
        evaluation = evaluate_prediction_losses(
            EvaluationResult,
            losses,
            choices,
            plan.metrics,
            job.seed,
            names_blocks=request.blocks is not None,
            refits=plan.fits.compute(choices),
            groups=plan.groups,
            costs=plan.costs,
        )
        result = PredictionsResult(evaluation=evaluation, bias_variance=losses.bias_variance)
        methods = (
            record_method("losses", plan.loss),
            *record_metrics(plan.metrics),
            *evaluation.methods,
            *plan.fits.list_methods_used(),
        )
        return Finished(result, tabulate_losses(losses.table), methods, plan.test_set)


KIND = PredictionsKind()
