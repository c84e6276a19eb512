"""What a selection is made of: data, candidates, internal and external scheme, and a loss."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from service.kinds.base import DatasetFile, Job
from service.kinds.cross_validation.plan import (
    built_learners,
    check_choices,
    is_own,
    loss_for,
    loss_of,
    told_classes,
)
from service.kinds.fields.data import feature_names, read_data
from service.kinds.fields.metrics import Metrics, check_metrics, parse_metrics
from service.kinds.fitting.job_key import JobKey
from service.kinds.fitting.metrics import silent_of
from service.kinds.fitting.scheme_layout import layout_for, likely_layout
from service.kinds.methods_used import record_learners, record_method, record_methods
from service.kinds.selection.groups import MOST_SHOWN, Groups, groups_of
from service.kinds.selection.schemes import (
    Schemes,
    Sizes,
    check_schemes,
    schemes_of,
    sizes_of,
)
from thetahat.analyses.losses import Chosen
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.selection import SELECTED, Criterion, Grid, expand, place_in_request
from thetahat.cross_validation import rows_of
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.metrics.base import Metric
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data

if TYPE_CHECKING:
    from service.kinds.selection.kind import SelectionRequest


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """The parts, built.

    Parameters
    ----------
    wires : mapping
        Specs of the candidates, grids in full.
    grids : mapping
        By name in the request.
    candidates : mapping of str to Learner
        In the request's order.
    groups : Groups
        Which candidates are run together, and what their parts are called.
    criterion : Criterion
        What they are chosen by; ``select_by`` is its name, None for the mean loss.
    all_own : bool
        Whether no candidate needs scikit-learn.
    """

    data: Data
    rows: Rows
    schemes: Schemes
    wires: Mapping[str, Any]
    grids: Mapping[str, Grid]
    candidates: Mapping[str, Learner]
    groups: Groups
    loss: Loss
    criterion: Criterion
    select_by: Chosen[Metric] | None
    metrics: Metrics
    sizes: Sizes
    all_own: bool

    @property
    def chosen_by(self) -> str:
        """What the candidates are chosen by, in words."""
        return "error" if self.select_by is None else self.select_by.name

    @property
    def keeps_scores(self) -> bool:
        """Whether scores of the rows are needed when all is put together."""
        asked = [entry.method for entry in self.metrics]
        if self.criterion.metric is not None and self.criterion.is_pooled:
            asked.append(self.criterion.metric)
        return any(metric.uses == "scores" for metric in asked)

    @property
    def keeps_rows_on_all(self) -> bool:
        """Whether the rows of the internal splits on all rows are looked at in the end."""
        return self.schemes.external is None or self.criterion.is_pooled

    def methods_used(self, names: Mapping[str, Any]) -> list[MethodUsed]:
        """Return schemes, loss, criterion, metrics and candidates as records."""
        named = {"internal": self.schemes.internal, "external": self.schemes.external}
        by = self.select_by
        return [
            *(
                record_method("schemes", scheme, role)
                for role, scheme in named.items()
                if scheme is not None
            ),
            record_method("losses", self.loss),
            *([] if by is None else [record_method("metrics", by.method, "select_by")]),
            *record_methods("metrics", self.metrics),
            *record_learners({name: self.wires[name] for name in names}),
        ]


def _candidates(
    given: SelectionRequest, loss: Loss, features: Collection[str] | None = None
) -> tuple[dict[str, Any], dict[str, Grid], dict[str, Learner]]:
    """Return the specs with every grid in full, the grids, and the learners, by name."""
    wires, grids = expand(given.candidates)
    try:
        return wires, grids, built_learners(given, wires, "candidates", loss, features)
    except EvaluationError as error:
        error.loc = place_in_request(error.loc, grids)
        raise


def check_selection(given: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what the request alone shows to be wrong; no data set is opened."""
    loss = loss_of(given)
    _, grids, learners = _candidates(given, loss, feature_names(given, datasets))
    _check_names(given, tuple(learners), grids)
    rows = Rows(n=0)
    classes = None
    if given.dataset is None:
        data = read_data(given, datasets)
        loss_for(given, loss, data)
        rows = rows_of(data)
        classes = data.classes if given.task == "classification" else None
    else:
        rows = Rows(n=datasets[given.dataset].rows)
    silent = silent_of(learners)
    check_metrics(parse_metrics(given.metrics), given.task, classes=classes, without_scores=silent)
    by = given.chosen_by()
    try:
        asked = () if by is None else (by,)
        check_metrics(asked, given.task, classes=classes, without_scores=silent)
    except EvaluationError as error:
        error.loc = ("select_by", *error.loc[2:])
        raise
    schemes = schemes_of(given, rows)
    check_schemes(given, schemes)
    scheme, field = schemes.assessed, schemes.assessed_field
    known = given.dataset is None or not (scheme.requires | schemes.internal.requires)
    layout = layout_for(given, scheme, rows, field) if known else likely_layout(scheme)
    names = tuple(learners)
    models = names if schemes.external is None else (SELECTED, *(names if given.compare else ()))
    check_choices(layout, given.choices, models, loss)
    if known:
        sizes_of(given, schemes, rows, groups_of(learners, grids, rows.n))


def _check_names(
    given: SelectionRequest, names: tuple[str, ...], grids: Mapping[str, Grid]
) -> None:
    for name in (*names, *grids):
        if name == SELECTED:
            raise InvalidParameter(
                f"{SELECTED!r} is what the procedure is called in the result; give the candidate "
                "another name",
                loc=("candidates", SELECTED),
                value=SELECTED,
            )
    if given.compare and len(names) > MOST_SHOWN:
        raise InvalidParameter(
            f"compare evaluates every candidate beside the others, and {MOST_SHOWN} of the "
            f"{len(names)} are the most; leave it out",
            loc=("compare",),
            value=True,
        )


def plan_of(job: Job[Any], given: SelectionRequest) -> Plan:
    """Build the parts; the last job's are kept, for its chunks come one after another."""
    return _built(JobKey(job, given))


@lru_cache(maxsize=1)
def _built(key: JobKey[SelectionRequest]) -> Plan:
    given = key.given
    data = read_data(given, key.job.datasets)
    rows, loss = rows_of(data), loss_of(given)
    schemes = schemes_of(given, rows)
    wires, grids, built = _candidates(given, loss)
    candidates = told_classes(built, data, "candidates")
    groups = groups_of(candidates, grids, rows.n)
    sizes = sizes_of(given, schemes, rows, groups)
    by = given.chosen_by()
    return Plan(
        data=data,
        rows=rows,
        schemes=schemes,
        wires=wires,
        grids=grids,
        candidates=candidates,
        groups=groups,
        loss=loss_for(given, loss, data),
        criterion=Criterion(None if by is None else by.method),
        select_by=by,
        metrics=parse_metrics(given.metrics),
        sizes=sizes,
        all_own=all(is_own(wire) for wire in wires.values()),
    )
