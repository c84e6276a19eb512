"""Checking the column names in a learner's first step before the data are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.spec import ColumnGroupsSpec, LearnerSpec, StepSpec
from thetahat.similar_names import suggest_name

_LISTED = 20


def check_column_names(spec: LearnerSpec, known: Collection[str], *, loc: Loc = ()) -> None:
    """Raise ``InvalidParameter`` if the first step names a column that the data do not have.

    The columns of later steps depend on the output of earlier ones, so they are checked in the fit.

    Parameters
    ----------
    spec : LearnerSpec
        A learner with its steps; the first step inside each group is checked too.
    known : collection of str
        The features' names.
    loc : tuple
        Path of the learner in the request.
    """
    _check(spec.prepare, known, (*loc, "prepare"))


def _check(steps: Sequence[StepSpec | ColumnGroupsSpec], known: Collection[str], loc: Loc) -> None:
    if not steps:
        return
    first, here = steps[0], (*loc, 0)
    if isinstance(first, StepSpec):
        _check_names(first.columns or (), known, (*here, "columns"))
        return
    for at, branch in enumerate(first.groups):
        inside = (*here, "groups", at)
        _check_names(branch.columns or (), known, (*inside, "columns"))
        _check(branch.prepare, branch.columns or known, (*inside, "prepare"))


def _check_names(names: Sequence[str], known: Collection[str], loc: Loc) -> None:
    for at, name in enumerate(names):
        if name not in known:
            listed = ", ".join(list(known)[:_LISTED])
            more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
            raise InvalidParameter(
                f"There is no column {name!r}{suggest_name(name, known)}. The input columns of "
                f"this step are {listed}{more}.",
                loc=(*loc, at),
                value=name,
            )
