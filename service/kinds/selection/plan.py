"""The plan of a selection: data, candidates, the schemes that choose and assess, and a loss."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from service.kinds.base import DatasetFile, Job
from service.kinds.fields.data import check_data_fields, feature_names, read_data
from service.kinds.fields.metrics import Metrics, check_metrics
from service.kinds.fitting.building import (
    build_learners,
    build_loss,
    is_own_learner,
    learners_without_scores,
    set_classes,
    set_loss_classes,
)
from service.kinds.fitting.bundles import Bundle
from service.kinds.fitting.engine import FittingPlan, FittingStage, count_chunks, share_chunks
from service.kinds.fitting.expected_layout import expect_layout, expect_layout_unread
from service.kinds.fitting.scheme_plan import check_choices
from service.kinds.methods_used import record_learners, record_method, record_methods
from service.kinds.selection.bundles import MOST_SHOWN, bundle_candidates
from service.kinds.selection.request import SelectionRequest
from service.kinds.selection.schemes import (
    SelectionSchemes,
    SelectionSizes,
    build_schemes,
    check_columns,
    count_splits,
)
from thetahat.analyses.losses import Chosen
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.selection import SELECTED, CandidateGrid, Criterion, expand, place_in_request
from thetahat.cross_validation import rows_of
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.metrics.base import Metric
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data

EXTERNAL: Final = "external"
"""The stage with the external splits and the internal splits inside their training parts."""
ON_ALL_ROWS: Final = "all rows"
"""The stage with the internal splits of all rows."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionPlan(FittingPlan):
    """The plan of one job.

    Parameters
    ----------
    specs : mapping
        Specs of the candidates, each of a grid by itself.
    grids : mapping of str to CandidateGrid
        By name in the request.
    candidates : mapping of str to Learner
        In the request's order.
    bundles : tuple of Bundle
        Candidates that are fitted together.
    criterion : Criterion
        What candidates are chosen by; ``select_by`` is its method, None for the mean loss.
    all_own : bool
        Whether no candidate needs scikit-learn.
    """

    job: Job[SelectionRequest]
    data: Data
    rows: Rows
    schemes: SelectionSchemes
    specs: Mapping[str, Any]
    grids: Mapping[str, CandidateGrid]
    candidates: Mapping[str, Learner]
    bundles: tuple[Bundle, ...]
    loss: Loss
    criterion: Criterion
    select_by: Chosen[Metric] | None
    metrics: Metrics
    sizes: SelectionSizes
    all_own: bool

    @property
    def request(self) -> SelectionRequest:
        """The request of the job."""
        return self.job.request

    @property
    def chosen_by(self) -> str:
        """The name of what the candidates are chosen by."""
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
        """About the number of values of the data that are looked at over all fits."""
        return sum(bundle.count_cells(self.data, self.sizes.n_fits) for bundle in self.bundles)

    def learner_path(self, name: str) -> Loc:
        """Return the path of a candidate in the request."""
        return ("candidates", name)

    def stages(self, bundle: Bundle) -> Sequence[FittingStage]:
        """Return the external splits, with all that is inside them, then those of all rows."""
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
                    most=share_chunks(len(self.bundles)),
                    n_fits=sizes.n_fits,
                ),
                fits_per_split=fits_per_split,
            )
            for name, n_splits, n_tests, fits_per_split in stages
        ]

    def methods_used(self, names: Collection[str]) -> list[MethodUsed]:
        """Return schemes, loss, criterion, metrics and these candidates as records."""
        schemes = {"internal": self.schemes.internal, "external": self.schemes.external}
        by = self.select_by
        return [
            *(
                record_method("schemes", scheme, role)
                for role, scheme in schemes.items()
                if scheme is not None
            ),
            record_method("losses", self.loss),
            *([] if by is None else [record_method("metrics", by.method, "select_by")]),
            *record_methods("metrics", self.metrics),
            *record_learners({name: self.specs[name] for name in names}),
        ]


def _build_candidates(
    request: SelectionRequest, loss: Loss, features: Collection[str] | None = None
) -> tuple[dict[str, Any], dict[str, CandidateGrid], dict[str, Learner]]:
    """Return the specs with each candidate of a grid by itself, the grids, and the learners."""
    specs, grids = expand(request.candidates)
    try:
        learners = build_learners(request, specs, loss, features, field="candidates")
    except EvaluationError as error:
        error.loc = place_in_request(error.loc, grids)
        raise
    return specs, grids, learners


def check_request(request: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what the request alone shows to be wrong; no data set is opened."""
    check_data_fields(request, datasets)
    loss = build_loss(request)
    _, grids, learners = _build_candidates(request, loss, feature_names(request, datasets))
    _check_names(request, tuple(learners), grids)
    classes = None
    if request.dataset is None:
        data = read_data(request, datasets)
        set_loss_classes(request, loss, data)
        rows = rows_of(data)
        classes = data.classes if request.task == "classification" else None
    else:
        rows = Rows(n=datasets[request.dataset].rows)
    without = learners_without_scores(learners)
    check_metrics(request.built_metrics(), request.task, classes=classes, without_scores=without)
    by = request.chosen_by()
    try:
        metrics = () if by is None else (by,)
        check_metrics(metrics, request.task, classes=classes, without_scores=without)
    except EvaluationError as error:
        error.loc = ("select_by", *error.loc[2:])
        raise
    schemes = build_schemes(request, rows)
    check_columns(request, schemes)
    scheme, field = schemes.assessed, schemes.assessed_field
    is_known = request.dataset is None or not (scheme.requires | schemes.internal.requires)
    if is_known:
        layout = expect_layout(request, scheme, rows, field=field)
    else:
        layout = expect_layout_unread(scheme)
    names = tuple(learners)
    models = names if schemes.external is None else (SELECTED, *(names if request.compare else ()))
    check_choices(layout, request.choices, models, loss)
    if is_known:
        count_splits(request, schemes, rows, bundle_candidates(learners, grids, rows.n))


def _check_names(
    request: SelectionRequest, names: tuple[str, ...], grids: Mapping[str, CandidateGrid]
) -> None:
    for name in (*names, *grids):
        if name == SELECTED:
            raise InvalidParameter(
                f"{SELECTED!r} is what the procedure is called in the result; give the candidate "
                "another name",
                loc=("candidates", SELECTED),
                value=SELECTED,
            )
    if request.compare and len(names) > MOST_SHOWN:
        raise InvalidParameter(
            f"compare evaluates every candidate beside the others, and {MOST_SHOWN} of the "
            f"{len(names)} are the most; leave it out",
            loc=("compare",),
            value=True,
        )


@lru_cache(maxsize=1)
def build_plan(job: Job[SelectionRequest]) -> SelectionPlan:
    """Build the plan of a job; the last one is kept, for its chunks come one after another."""
    request = job.request
    data = read_data(request, job.datasets)
    rows, loss = rows_of(data), build_loss(request)
    schemes = build_schemes(request, rows)
    specs, grids, learners = _build_candidates(request, loss)
    candidates = set_classes(learners, data, field="candidates")
    bundles = bundle_candidates(candidates, grids, rows.n)
    by = request.chosen_by()
    return SelectionPlan(
        job=job,
        data=data,
        rows=rows,
        schemes=schemes,
        specs=specs,
        grids=grids,
        candidates=candidates,
        bundles=bundles,
        loss=set_loss_classes(request, loss, data),
        criterion=Criterion(None if by is None else by.method),
        select_by=by,
        metrics=request.built_metrics(),
        sizes=count_splits(request, schemes, rows, bundles),
        all_own=all(is_own_learner(spec) for spec in specs.values()),
    )
