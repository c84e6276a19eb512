"""Kind ``losses``: models are compared by their losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar
from uuid import UUID

from thetahat.analyses.losses import evaluate
from thetahat.analyses.losses.cautions import suspect_values
from thetahat.analyses.losses.checks import check_weights_fit
from thetahat.analyses.losses.evaluation import weigh_losses
from thetahat.analyses.losses.parts import Parts
from thetahat.cautions import BLOCKS_ASSUMED_RANDOM, TOTAL_ROW, Caution
from thetahat.tables.column_profiles import profile_raw_column
from thetahat.tables.labels import find_similar_blocks
from thetahat.tables.totals import find_named_total
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.errors import run_checks
from thetahat_service.kinds.base import DatasetFile, Finished, Job, JobKind
from thetahat_service.kinds.loss_columns import tabulate_losses
from thetahat_service.kinds.losses.logs import check_logs
from thetahat_service.kinds.losses.loss_table import check_columns, check_form, read_losses
from thetahat_service.kinds.losses.plan import LossesPlan, build_plan
from thetahat_service.kinds.losses.request import LossesRequest
from thetahat_service.kinds.losses.result import LossesResult
from thetahat_service.kinds.test_sets import identify_by_instances


class Losses(JobKind[LossesRequest]):
    """Losses of models, evaluated without chunks whatever their number."""

    name: ClassVar[str] = "losses"
    title: ClassVar[str] = "Models compared by their losses"
    request = LossesRequest
    result = LossesResult

    def check(self, request: LossesRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Build the table of inline losses; of a data set, check the names of its columns."""
        check_form(request)
        if request.dataset is not None or request.logs is not None:
            run_checks(
                request.check_choices,
                lambda: check_columns(request, datasets),
                lambda: check_logs(request, datasets),
            )
            return
        request.check_choices_and(lambda: read_losses(request, datasets))
        plan = build_plan(request, datasets)
        if plan.weights is not None:
            check_weights_fit(plan.table.layout)
            for losses in plan.table.models.values():
                WEIGHTED_RISKS["weighted"]().estimate(losses.rows, plan.weights)

    def check_contents(self, request: LossesRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Read the losses, and match the items of logs, as the worker does."""
        if datasets:
            build_plan(request, datasets)

    def start(self, job: Job[LossesRequest]) -> Finished:
        """Evaluate the losses."""
        plan = build_plan(job.request, job.datasets)
        choices = job.request.choices
        knows_blocks = job.request.blocks or job.request.logs
        assumed = () if knows_blocks else (BLOCKS_ASSUMED_RANDOM(),)
        parts = Parts(
            refits=plan.fits.compute(choices),
            make_risks=partial(weigh_losses, plan.table, plan.weights),
            runs=plan.runs,
            first_cautions=tuple(_suspect_values(job.request, plan)),
            groups=plan.groups,
            costs=plan.costs,
            cautions=(*plan.cautions, *assumed, *find_similar_blocks(plan.table.layout)),
        )
        evaluation = evaluate(plan.table, choices, job.seed, parts)
        methods = (*evaluation.methods, *plan.fits.list_methods_used())
        return Finished(
            LossesResult(evaluation=evaluation),
            tabulate_losses(plan.table),
            methods,
            identify_by_instances(plan.table.layout),
            has_trained_models=job.request.has_trained_models,
        )


def _suspect_values(request: LossesRequest, plan: LossesPlan) -> Iterator[Caution]:
    """Yield the doubts about the values; a row of totals is named once, by its text first."""
    names, instance = plan.table.layout.instance_labels, plan.table.layout.instance
    known = {caution.code for caution in plan.cautions}
    if names is not None and instance is not None and TOTAL_ROW.code not in known:
        found = find_named_total([profile_raw_column("instance", list(names[instance]))])
        if found is not None:
            known.add(TOTAL_ROW.code)
            yield TOTAL_ROW(row=found.row, reason=found.reason)
    for caution in suspect_values(plan.table, better_is_stated=request.better is not None):
        if caution.code != TOTAL_ROW.code or TOTAL_ROW.code not in known:
            yield caution


KIND = Losses()
