"""Which columns a learner's first step names, looked at before there are data."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.spec import GroupsSpec, LearnerSpec, StepSpec
from thetahat.similar_names import meant

_LISTED = 20


def check_columns_named(spec: LearnerSpec, known: Collection[str], *, loc: Loc = ()) -> None:
    """Refuse a column that the first step names and the data do not have.

    What later steps may name depends on what the first one makes; that is seen when it has learnt.

    Parameters
    ----------
    spec : LearnerSpec
        A learner behind its steps; of groups, the first step inside each is looked at too.
    known : collection of str
        The features' names.
    loc : tuple
        Where the learner stands in the request.
    """
    _check(spec.prepare, known, (*loc, "prepare"))


def _check(steps: Sequence[StepSpec | GroupsSpec], known: Collection[str], loc: Loc) -> None:
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
                f"there is no column {name!r}{meant(name, known)}; the columns that reach this "
                f"step are {listed}{more}",
                loc=(*loc, at),
                value=name,
            )
