"""What a selection is made of: data, candidates, internal and external scheme, and a loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from service.jobs.kinds._cross_validation_plan import (
    built_learners,
    built_scheme,
    check_choices,
    check_roles,
    is_own,
    layout_for,
    likely_layout,
    loss_for,
    loss_of,
    told_classes,
    where_scheme,
)
from service.jobs.kinds._data_input import data_from
from service.jobs.kinds._job_key import JobKey
from service.jobs.kinds._methods_used import learners_used, method_used
from service.jobs.kinds.base import DatasetFile, Job
from thetahat.data import Data
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.resampling import rows_of
from thetahat.schemes.base import Rows, Scheme
from thetahat.selecting import SELECTED, own_internal
from thetahat.selecting.nesting import check_no_row_twice, rows_of_part
from thetahat.types import BlockKind

if TYPE_CHECKING:
    from service.jobs.kinds.selection import SelectionRequest

MOST_FITS = 50_000
"""Of one selection: candidates x (external splits x (internal splits + 1) + internal splits)."""
MOST_LOSSES = 50_000_000
"""That are in memory at once at the end."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Schemes:
    """How candidates are chosen and the choice is assessed.

    Parameters
    ----------
    internal : Scheme
        Inside the external training parts, and on all rows.
    external : Scheme or None
        None where the choice is not assessed.
    chooses_on_all : bool
        Whether a last choice is made on all rows: not in a three-way split, whose test rows are
        not to be looked at again.
    own : bool
        Whether the external scheme brought the internal one.
    """

    internal: Scheme
    external: Scheme | None
    chooses_on_all: bool
    own: bool

    @property
    def assessed(self) -> Scheme:
        """The scheme whose losses the result evaluates."""
        return self.internal if self.external is None else self.external

    @property
    def assessed_field(self) -> str:
        """Where the request names it."""
        return "internal" if self.external is None else "external"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Plan:
    """The parts, built; ``all_own`` says that no candidate needs scikit-learn."""

    data: Data
    rows: Rows
    schemes: Schemes
    candidates: Mapping[str, Learner]
    loss: Loss
    n_external: int
    n_internal: int
    n_on_all: int
    all_own: bool

    @property
    def n_fits(self) -> int:
        """Of one candidate."""
        return self.n_external * (self.n_internal + 1) + self.n_on_all

    def methods_used(self, wires: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return schemes, loss and candidates as records."""
        named = {"internal": self.schemes.internal, "external": self.schemes.external}
        return [
            *(
                method_used("schemes", scheme.info.name, scheme, role)
                for role, scheme in named.items()
                if scheme is not None
            ),
            method_used("losses", self.loss.info.name, self.loss),
            *learners_used(wires),
        ]


def schemes_of(given: SelectionRequest, rows: Rows) -> Schemes:
    """Return the schemes; an external one may bring its internal one, which is then not named."""
    external = None if given.external is None else built_scheme(given.external, "external")
    try:
        own = None if external is None else own_internal(external, rows)
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc, "external")
        raise
    if own is not None and external is not None:
        if given.internal is not None:
            raise InvalidParameter(
                f"{external.info.name} brings its internal splits; leave internal out",
                loc=("internal",),
            )
        last = external.block_kind is not BlockKind.HOLDOUT
        return Schemes(internal=own, external=external, chooses_on_all=last, own=True)
    if given.internal is None:
        raise InvalidParameter(
            "a selection needs the scheme that it chooses by, internal; only nested and "
            "three_way, as external, bring their own",
            loc=("internal",),
        )
    internal = built_scheme(given.internal, "internal")
    if own_internal(internal, rows) is not None:
        raise InvalidParameter(
            f"{internal.info.name} is a scheme for external, and brings its internal splits",
            loc=("internal",),
            value=internal.info.name,
        )
    return Schemes(internal=internal, external=external, chooses_on_all=True, own=False)


def check_selection(given: SelectionRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what the request alone shows to be wrong; no data set is opened."""
    loss = loss_of(given)
    names = tuple(built_learners(given, given.candidates, "candidates", loss))
    if SELECTED in names:
        raise InvalidParameter(
            f"{SELECTED!r} is what the procedure is called in the result; give the candidate "
            "another name",
            loc=("candidates", SELECTED),
            value=SELECTED,
        )
    if given.dataset is None:
        data = data_from(given, datasets)
        loss_for(given, loss, data)
        rows = rows_of(data)
    else:
        rows = Rows(n=datasets[given.dataset].rows)
    schemes = schemes_of(given, rows)
    scheme, field = schemes.assessed, schemes.assessed_field
    for one in (schemes.internal, scheme):
        check_roles(given, one)
    known = given.dataset is None or not (scheme.requires | schemes.internal.requires)
    layout = layout_for(given, scheme, rows, field) if known else likely_layout(scheme)
    models = names if schemes.external is None else (SELECTED, *(names if given.compare else ()))
    check_choices(layout, given.choices(), models, loss)
    if known:
        sizes_of(given, schemes, rows)


def sizes_of(given: SelectionRequest, schemes: Schemes, rows: Rows) -> tuple[int, int, int]:
    """Return the external splits, the internal ones of the first of them, and those on all rows.

    Raises
    ------
    InvalidParameter
        More fits or losses than one selection may have.
    EvaluationError
        What a scheme refuses, in place.
    """
    n_external, n_internal, n_on_all, n_tests = 0, 0, 0, 0
    inner = "external" if schemes.own else "internal"
    if schemes.external is not None:
        try:
            n_external = schemes.external.n_splits(rows)
            first = next(schemes.external.splits(rows, 0, stop=1))
            check_no_row_twice(first)
        except EvaluationError as error:
            error.loc = where_scheme(given, error.loc, "external")
            raise
        n_tests += n_external * len(first.test)
    try:
        if schemes.external is not None:
            n_internal = schemes.internal.n_splits(rows_of_part(rows, first.train))
        if schemes.chooses_on_all:
            n_on_all = schemes.internal.n_splits(rows)
            n_tests += n_on_all * len(next(schemes.internal.splits(rows, 0, stop=1)).test)
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc, inner)
        raise
    n = len(given.candidates)
    fits = n * (n_external * (n_internal + 1) + n_on_all)
    for what, found, most in (
        ("fits", fits, MOST_FITS),
        ("losses in memory", n * n_tests, MOST_LOSSES),
    ):
        if found > most:
            raise InvalidParameter(
                f"{n} candidates, {n_external} external splits, {n_internal} internal splits in "
                f"each and {n_on_all} on all rows make {found} {what}, and {most} is the most",
                loc=(schemes.assessed_field,),
                value=found,
            )
    return n_external, n_internal, n_on_all


def plan_of(job: Job, given: SelectionRequest) -> Plan:
    """Build the parts; the last job's are kept, for its chunks come one after another."""
    return _built(JobKey(job, given))


@lru_cache(maxsize=1)
def _built(key: JobKey[SelectionRequest]) -> Plan:
    given = key.given
    data = data_from(given, key.job.datasets)
    rows, loss = rows_of(data), loss_of(given)
    schemes = schemes_of(given, rows)
    n_external, n_internal, n_on_all = sizes_of(given, schemes, rows)
    return Plan(
        data=data,
        rows=rows,
        schemes=schemes,
        candidates=told_classes(
            built_learners(given, given.candidates, "candidates", loss), data, "candidates"
        ),
        loss=loss_for(given, loss, data),
        n_external=n_external,
        n_internal=n_internal,
        n_on_all=n_on_all,
        all_own=all(is_own(wire) for wire in given.candidates.values()),
    )
