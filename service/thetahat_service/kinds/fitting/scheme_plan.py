"""Learners under one scheme: the request checked, and the plan built from request and data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

from thetahat.analyses.cross_validation.evaluation import OutcomesTask
from thetahat.analyses.losses import Choices, check, list_fitting_methods
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.costs import CostsOfTable
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.metrics.checks import check_metrics
from thetahat.analyses.probabilities.options import Probabilities
from thetahat.cross_validation import build_rows
from thetahat.cross_validation.fitting import learners_without_scores
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.refit_estimators import drop_refit_target
from thetahat.schemes.base import Rows, Scheme
from thetahat.tables.data import Data
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind
from thetahat_service.errors import InvalidRequest, run_checks
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.data import (
    has_role,
    list_feature_names,
    name_group_columns,
    read_data,
)
from thetahat_service.kinds.fields.learners import LearnersRequest
from thetahat_service.kinds.fields.method_names import Method
from thetahat_service.kinds.fields.metrics import Metrics, parse_metrics
from thetahat_service.kinds.fitting.building import (
    build_checked_loss,
    build_learners,
    build_loss,
    build_scheme,
    check_scheme_columns,
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
from thetahat_service.kinds.fitting.expected_layout import (
    approximate_layout,
    expect_layout,
    locate_scheme_error,
)
from thetahat_service.kinds.fitting.refits import Refits, build_refits
from thetahat_service.kinds.fitting.work_estimate import check_work
from thetahat_service.kinds.learners_used import record_learners
from thetahat_service.kinds.methods_used import record_method

L = TypeVar("L", bound=LearnersRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedScheme:
    """The scheme and the rows that the check of a request has read."""

    scheme: Scheme
    """The scheme of the request."""
    rows: Rows
    """The rows of inline data, or their number alone where a data set was not opened."""
    learners: Mapping[str, Learner]
    """The learners of the request."""
    n_extra_fits: int
    """Fits of each learner for methods that fit the learners again."""
    n_features: int
    """Number of feature columns."""

    def check_work(self, n_sizes: int = 1) -> None:
        """Refuse the request if its fits at ``n_sizes`` training sizes would take too long.

        A scheme that needs columns of a data set, which is not opened here, has about as many
        splits as it has folds, or else one.
        """
        try:
            n_splits = self.scheme.n_splits(self.rows)
        except EvaluationError:
            n_splits = getattr(self.scheme, "n_folds", 1) * getattr(self.scheme, "n_repeats", 1)
        check_work(
            self.learners,
            n_fits=n_splits * n_sizes + self.n_extra_fits,
            n_rows=self.rows.n,
            n_features=self.n_features,
            loc=("learners",),
        )


def check_scheme_request(
    request: LearnersRequest, datasets: Mapping[UUID, DatasetFile], named_metrics: Sequence[Method]
) -> CheckedScheme:
    """Refuse a request that is invalid whatever its data set contains; no data set is opened."""
    features = list_feature_names(request, datasets)
    methods: tuple[Callable[[], object], ...] = (
        lambda: build_scheme(request.scheme, "scheme"),
        lambda: build_learners(request, request.learners, build_checked_loss(request), features),
        lambda: build_loss(request),
        lambda: parse_metrics(named_metrics),
        lambda: request.choices,
    )
    try:
        run_checks(*methods)
    except (EvaluationError, InvalidRequest):  # right methods leave the data to what comes next
        run_checks(*methods, lambda: request.dataset or read_data(request, datasets))
    metrics = parse_metrics(named_metrics)
    scheme, loss = build_scheme(request.scheme, "scheme"), build_loss(request)
    learners = build_learners(request, request.learners, loss, features)
    choices = request.choices
    check_scheme_columns(request, scheme)
    classes = None
    if request.dataset is None:
        data = read_data(request, datasets)
        set_loss_classes(request, loss, data)
        set_classes(learners, data)
        rows = build_rows(data)
        classes = data.classes if request.known_task == "classification" else None
    else:
        rows = Rows(n=datasets[request.dataset].rows)
    if request.dataset is not None and scheme.requires:
        layout = approximate_layout(scheme)
    else:
        layout = expect_layout(request, scheme, rows)
    try:
        refits = build_refits(request, scheme, rows)
    except UnsupportedCombination as error:
        any_loss = _explain_other_losses(loss) is not None
        fits = list_fitting_methods(str(error.loc[0]), layout, choices, any_loss=any_loss)
        message = f"{error.message.rstrip('.')}. {fits}"
        raise UnsupportedCombination(message, loc=error.loc, value=error.value) from None
    if scheme.block_kind is BlockKind.HOLDOUT and has_role(request, "cluster"):
        choices = replace(choices, unit=None, unit_plural=None)  # they name clusters, left out here
    check_choices(layout, drop_refit_target(choices, refits.methods), tuple(learners), loss)
    without_scores = learners_without_scores(learners)
    check_metrics(metrics, request.known_task, classes=classes, without_scores=without_scores)
    return CheckedScheme(
        scheme=scheme,
        rows=rows,
        learners=learners,
        n_extra_fits=sum(refits.n_splits),
        n_features=len(features),
    )


def check_choices(layout: Layout, choices: Choices, names: tuple[str, ...], loss: Loss) -> None:
    """Refuse choices that do not fit the layout, the models or the loss."""
    check(layout, choices, names, _explain_other_losses(loss))


def _explain_other_losses(loss: Loss) -> str | None:
    """Return why losses may be other than 0 and 1, or None."""
    return None if loss.info.loss.can_be_zero_one else f"the loss is {loss.info.name}"


@dataclass(frozen=True, eq=False, kw_only=True)
class SchemePlan(FittingPlan, Generic[L]):
    """The learners, scheme, loss and data of a job."""

    job: Job[L]
    """With the request and the seed."""
    data: Data
    rows: Rows
    scheme: Scheme
    learners: Mapping[str, Learner]
    loss: Loss
    n_splits: int
    all_own: bool
    """Whether no learner needs scikit-learn."""
    refits: Refits
    """Extra fits of methods that fit the learners again."""

    @property
    def request(self) -> L:
        """The request of the job."""
        return self.job.request

    @cached_property
    def n_tests(self) -> int:
        """About how many rows are tested on over all splits: blocks differ in size."""
        n: int = self.rows.n
        try:
            first = next(iter(self.scheme.splits(self.rows, 0, stop=1)))
        except EvaluationError:  # this draw is refused, but the draw of the job may be accepted
            return n
        return max(n, self.n_splits * len(first.test))

    @abstractmethod
    def name_stages(self, bundle: Bundle) -> list[str]:
        """Return the names of the stages that run the splits of the scheme."""

    def build_stages(self, bundle: Bundle) -> Sequence[FittingStage]:
        """Return the splits of the scheme for each of its stages, then the extra fits."""
        names = self.name_stages(bundle)
        n_chunks = count_chunks(
            bundle,
            self.data,
            n_splits=self.n_splits,
            n_tests=self.n_tests,
            max_chunks=divide_chunks(len(self.bundles) * len(names)),
        )
        per_learner = divide_chunks(len(self.learners))  # extra fits give many losses
        return [
            *(FittingStage(name=name, n_splits=self.n_splits, n_chunks=n_chunks) for name in names),
            *self.refits.build_stages(per_learner * len(bundle.names)),
        ]

    def build_outcomes_task(self, metrics: Metrics) -> OutcomesTask:
        """Return what the outcomes of the learners are evaluated with."""
        return OutcomesTask(
            data=self.data,
            scheme=self.scheme,
            loss=self.loss,
            choices=self.request.choices,
            metrics=metrics,
            scheme_seed=self.job.seed,
            seed=self.job.seed,
            requested=list(self.request.learners),
            about_data=[
                *self.job.decisions,
                *find_data_doubts(self.request, self.data),
            ],
            columns=name_group_columns(self.request),
            groups=self.read_groups(),
            costs=self.read_costs(),
            probabilities=self.read_probabilities(),
        )

    def read_costs(self) -> CostsOfTable | None:
        """Return what the learners cost; None of kinds without costs."""
        return None

    def read_groups(self) -> GroupsOfTable | None:
        """Return the groups of the rows; None of kinds without groups."""
        return None

    def read_probabilities(self) -> Probabilities | None:
        """Return what is asked about predicted probabilities; None of kinds without them."""
        return None

    def list_methods_used(self, names: list[str]) -> list[MethodUsed]:
        """Return the records of the scheme, the loss and these learners."""
        return [
            record_method("schemes", self.scheme),
            record_method("losses", self.loss),
            *record_learners({name: self.request.learners[name] for name in names}),
        ]


S = TypeVar("S", bound="SchemePlan[Any]")


def build_scheme_plan(kind: type[S], job: Job[L], data: Data, **fields: Any) -> S:
    """Build a plan of a class that may have further fields."""
    request = job.request
    scheme, loss, rows = (
        build_scheme(request.scheme, "scheme"),
        build_loss(request),
        build_rows(data),
    )
    learners = set_classes(build_learners(request, request.learners, loss), data)
    with locate_scheme_error(request):
        n_splits = scheme.n_splits(rows)
    return kind(
        job=job,
        data=data,
        rows=rows,
        scheme=scheme,
        learners=learners,
        loss=set_loss_classes(request, loss, data),
        n_splits=n_splits,
        all_own=all(is_own_learner(spec) for spec in request.learners.values()),
        refits=build_refits(request, scheme, rows),
        **fields,
    )
