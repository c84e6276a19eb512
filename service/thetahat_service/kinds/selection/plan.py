"""The plan of a selection: data, candidates, loss, and the internal and external scheme."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from thetahat.analyses.cross_validation.evaluation import OutcomesTask
from thetahat.analyses.losses import ChosenMethod
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.metrics.checks import check_metric, check_metrics
from thetahat.analyses.selection.criterion import Criterion
from thetahat.analyses.selection.external_choices import SELECTED
from thetahat.analyses.selection.grids import CandidateGrid, expand_grids
from thetahat.analyses.selection.nested_splits import derive_seed_on_all_rows
from thetahat.cross_validation import build_rows
from thetahat.cross_validation.fitting import learners_without_scores
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.metrics.base import Metric
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data
from thetahat_service.errors import run_checks
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.data import (
    check_data_fields,
    list_feature_names,
    name_group_columns,
    read_data,
)
from thetahat_service.kinds.fields.metrics import Metrics, parse_metrics
from thetahat_service.kinds.fitting.building import (
    build_checked_loss,
    build_learners,
    build_loss,
    build_scheme,
    is_own_learner,
    set_classes,
    set_loss_classes,
)
from thetahat_service.kinds.fitting.bundles import Bundle
from thetahat_service.kinds.fitting.data_doubts import find_data_doubts
from thetahat_service.kinds.fitting.engine import (
    FittingPlan,
    FittingStage,
    count_chunks,
    divide_chunks,
)
from thetahat_service.kinds.fitting.expected_layout import approximate_layout, expect_layout
from thetahat_service.kinds.fitting.open_task import set_task_of_job
from thetahat_service.kinds.fitting.scheme_plan import check_choices
from thetahat_service.kinds.fitting.work_estimate import check_work
from thetahat_service.kinds.learners_used import record_learners
from thetahat_service.kinds.methods_used import record_method, record_metrics
from thetahat_service.kinds.selection.bundles import MOST_SHOWN, bundle_candidates
from thetahat_service.kinds.selection.request import SelectionRequest
from thetahat_service.kinds.selection.schemes import (
    SelectionSchemes,
    SelectionSizes,
    build_schemes,
    check_columns,
    count_splits,
)

EXTERNAL: Final = "external"
"""The stage with the external splits and the internal splits inside their training parts."""
ON_ALL_ROWS: Final = "all rows"
"""The stage with the internal splits of all rows."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionPlan(FittingPlan):
    """The plan of one job."""

    job: Job[SelectionRequest]
    data: Data
    rows: Rows
    schemes: SelectionSchemes
    specs: Mapping[str, object]
    """Specifications of the candidates, each candidate of a grid by itself."""
    grids: Mapping[str, CandidateGrid]
    """By name in the request."""
    candidates: Mapping[str, Learner]
    """In the request's order."""
    request_names: Mapping[str, str]
    """By candidate, its name in the request: that of its grid, or its own."""
    bundles: tuple[Bundle, ...]
    """Candidates that are fitted together."""
    loss: Loss
    criterion: Criterion
    """The number that candidates are chosen by; its metric is ``select_by``, None for the loss."""
    select_by: ChosenMethod[Metric] | None
    metrics: Metrics
    sizes: SelectionSizes
    all_own: bool
    """Whether no candidate needs scikit-learn."""

    @property
    def request(self) -> SelectionRequest:
        """The request of the job."""
        return self.job.request

    @property
    def chosen_by(self) -> str:
        """The name of the number that candidates are chosen by: ``error``, or that of a metric."""
        return "error" if self.select_by is None else self.select_by.name

    @property
    def keeps_scores(self) -> bool:
        """Whether the result needs the scores of the rows."""
        metrics = [entry.method for entry in self.metrics]
        if self.criterion.metric is not None and self.criterion.is_pooled:
            metrics.append(self.criterion.metric)
        return any(metric.uses == "scores" for metric in metrics)

    @property
    def keeps_rows_on_all(self) -> bool:
        """Whether the result needs the rows of the internal splits of all rows."""
        return self.schemes.external is None or self.criterion.is_pooled

    @property
    def n_cells(self) -> int:
        """About the number of values of the data that are read over all fits."""
        return sum(bundle.count_cells(self.data, self.sizes.n_fits) for bundle in self.bundles)

    def build_learner_path(self, name: str) -> Loc:
        """Return the path of a candidate in the request."""
        return ("candidates", self.request_names[name])

    def build_stages(self, bundle: Bundle) -> Sequence[FittingStage]:
        """Return the external splits with their internal splits, then the splits of all rows."""
        sizes = self.sizes
        stages = (
            (EXTERNAL, sizes.n_external, sizes.n_tests, sizes.n_internal + 1),
            (ON_ALL_ROWS, sizes.n_on_all, sizes.n_tests_on_all, 1),
        )
        return [
            FittingStage(
                name=name,
                n_splits=n_splits,
                n_chunks=count_chunks(
                    bundle,
                    self.data,
                    n_splits=n_splits,
                    n_tests=n_tests,
                    max_chunks=divide_chunks(len(self.bundles)),
                    n_fits=sizes.n_fits,
                ),
                fits_per_split=fits_per_split,
            )
            for name, n_splits, n_tests, fits_per_split in stages
        ]

    def build_outcomes_task(self, requested: Sequence[str]) -> OutcomesTask:
        """Return what the outcomes of the models of the result are evaluated with."""
        seed, is_nested = self.job.seed, self.schemes.external is not None
        return OutcomesTask(
            data=self.data,
            scheme=self.schemes.assessed,
            loss=self.loss,
            choices=self.request.choices,
            metrics=self.metrics,
            scheme_seed=seed if is_nested else derive_seed_on_all_rows(seed),
            seed=seed,
            requested=requested,
            about_data=[
                *self.job.decisions,
                *find_data_doubts(self.request, self.data),
            ],
            columns=name_group_columns(self.request),
        )

    def list_methods_used(self, names: Collection[str]) -> list[MethodUsed]:
        """Return schemes, loss, criterion, metrics and these candidates as records."""
        schemes = {"internal": self.schemes.internal, "external": self.schemes.external}
        select_by = []
        if self.select_by is not None:
            select_by.append(record_method("metrics", self.select_by.method, "select_by"))
        return [
            *(
                record_method("schemes", scheme, role)
                for role, scheme in schemes.items()
                if scheme is not None
            ),
            record_method("losses", self.loss),
            *select_by,
            *record_metrics(self.metrics),
            *record_learners({name: self.specs[name] for name in names}),
        ]


def _build_candidates(
    request: SelectionRequest, loss: Loss, features: Collection[str] | None = None
) -> tuple[dict[str, Any], dict[str, CandidateGrid], dict[str, Learner]]:
    """Return the specifications and learners of all candidates, and the grids.

    Errors have the path in the request, also for the candidates of a grid.
    """
    specs, grids = expand_grids(request.candidates)
    with located_errors(_build_candidate_paths(grids)):
        learners = build_learners(request, specs, loss, features, field="candidates")
    return specs, grids, learners


def _build_candidate_paths(grids: Mapping[str, CandidateGrid]) -> dict[str, Loc]:
    """Return the path in the request by the path of a candidate of a grid, or of its parameter.

    ``candidates.r[k=0].params.k`` is ``("candidates", "r", "grid", "k")`` in the request.
    """
    paths: dict[str, Loc] = {}
    for name, grid in grids.items():
        for candidate in grid.candidates:
            paths[f"candidates.{candidate}"] = ("candidates", name)
            for path, parameter in grid.paths.items():
                key = ".".join(map(str, ("candidates", candidate, *path)))
                paths[key] = ("candidates", name, "grid", parameter)
    return paths


def check_request(request: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse a request that is invalid whatever its data set contains; no data set is opened."""
    check_data_fields(request, datasets)
    features = list_feature_names(request, datasets)
    run_checks(
        lambda: _build_candidates(request, build_checked_loss(request), features),
        lambda: build_loss(request),
        lambda: parse_metrics(request.metrics),
        request.build_select_by,
        lambda: request.choices,
        lambda: request.internal and build_scheme(request.internal, "internal"),
        lambda: request.external and build_scheme(request.external, "external"),
    )
    loss = build_loss(request)
    _, grids, learners = _build_candidates(request, loss, features)
    _check_names(request, tuple(learners), grids)
    classes = None
    if request.dataset is None:
        data = read_data(request, datasets)
        set_loss_classes(request, loss, data)
        rows = build_rows(data)
        classes = data.classes if request.known_task == "classification" else None
    else:
        rows = Rows(n=datasets[request.dataset].rows)
    without_scores = learners_without_scores(learners)
    check_metrics(
        parse_metrics(request.metrics),
        request.known_task,
        classes=classes,
        without_scores=without_scores,
    )
    select_by = request.build_select_by()
    if select_by is not None:
        check_metric(
            select_by,
            request.known_task,
            ("select_by",),
            classes=classes,
            without_scores=without_scores,
        )
    schemes = build_schemes(request, rows)
    check_columns(request, schemes)
    scheme, field = schemes.assessed, schemes.assessed_field
    is_known = request.dataset is None or not (scheme.requires | schemes.internal.requires)
    if is_known:
        layout = expect_layout(request, scheme, rows, field=field)
    else:
        layout = approximate_layout(scheme)
    names = tuple(learners)
    models = names if schemes.external is None else (SELECTED, *(names if request.compare else ()))
    check_choices(layout, request.choices, models, loss)
    if is_known:
        sizes = count_splits(request, schemes, rows, bundle_candidates(learners, grids, rows.n))
        check_work(
            learners,
            n_fits=sizes.n_fits,
            n_rows=rows.n,
            n_features=len(list_feature_names(request, datasets)),
            loc=("candidates",),
        )


def _check_names(
    request: SelectionRequest, names: tuple[str, ...], grids: Mapping[str, CandidateGrid]
) -> None:
    for name in (*names, *grids):
        if name == SELECTED:
            raise InvalidParameter(
                f"The name {SELECTED!r} is that of the whole selection in the result. Give the "
                "candidate another name.",
                loc=("candidates", SELECTED),
                value=SELECTED,
            )
    if request.compare and len(names) > MOST_SHOWN:
        raise InvalidParameter(
            f"The option compare evaluates at most {MOST_SHOWN} candidates, and the request has "
            f"{len(names)}. Leave compare out, or ask for fewer candidates.",
            loc=("compare",),
            value=True,
        )


@lru_cache(maxsize=1)
def build_plan(job: Job[SelectionRequest]) -> SelectionPlan:
    """Build the plan of a job; the last plan is cached for the next chunk of the same job."""
    job = set_task_of_job(job)
    request = job.request
    data = read_data(request, job.datasets)
    rows, loss = build_rows(data), build_loss(request)
    schemes = build_schemes(request, rows)
    specs, grids, learners = _build_candidates(request, loss)
    candidates = set_classes(learners, data, field="candidates")
    bundles = bundle_candidates(candidates, grids, rows.n)
    select_by = request.build_select_by()
    return SelectionPlan(
        job=job,
        data=data,
        rows=rows,
        schemes=schemes,
        specs=specs,
        grids=grids,
        candidates=candidates,
        request_names={
            **{name: name for name in candidates},
            **{name: key for key, grid in grids.items() for name in grid.candidates},
        },
        bundles=bundles,
        loss=set_loss_classes(request, loss, data),
        criterion=Criterion(None if select_by is None else select_by.method),
        select_by=select_by,
        metrics=parse_metrics(request.metrics),
        sizes=count_splits(request, schemes, rows, bundles),
        all_own=all(is_own_learner(spec) for spec in specs.values()),
    )
