"""Specifications of learners and steps, read from JSON and checked for their form only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NotRequired, TypedDict, cast

from thetahat.errors import InvalidParameter, Loc
from thetahat.values.json_values import JsonValue

MAX_STEPS: Final = 20
"""Largest number of steps in one list, and of groups in one place."""
MAX_DEPTH: Final = 4
"""Largest depth of groups inside groups."""
MAX_TOTAL_STEPS: Final = 100
"""Largest number of steps of a learner, including those inside groups."""


@dataclass(frozen=True, slots=True)
class StepSpec:
    """One preparation step by name."""

    name: str
    """Wire name: one of our own steps or a scikit-learn class from the reviewed list."""
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """JSON values by parameter name."""
    columns: tuple[str, ...] | None = None
    """Columns it transforms; None means those of the kind that the step is for."""
    weighted: bool = False
    """Whether it is fitted with the instance weights."""


@dataclass(frozen=True, slots=True)
class ColumnGroupSpec:
    """Columns and the steps that prepare them."""

    columns: tuple[str, ...] | None = None
    """None means all columns."""
    prepare: tuple[StepSpec | ColumnGroupsSpec, ...] = ()
    """Steps in order; an empty list leaves the columns unchanged."""


@dataclass(frozen=True, slots=True)
class ColumnGroupsSpec:
    """Groups of columns that are prepared separately."""

    groups: tuple[ColumnGroupSpec, ...]
    """The groups, in the order of their output columns."""
    rest: str = "keep"
    """What happens to columns in no group: ``keep`` or ``drop``."""

    @property
    def n_steps(self) -> int:
        """Number of steps in all groups and in the groups inside them."""
        return count_steps([step for group in self.groups for step in group.prepare])


def count_steps(steps: Sequence[StepSpec | ColumnGroupsSpec]) -> int:
    """Return the number of steps in a list, including those inside groups."""
    return sum(step.n_steps if isinstance(step, ColumnGroupsSpec) else 1 for step in steps)


@dataclass(frozen=True, slots=True)
class LearnerSpec:
    """A learner by name with its preparation steps."""

    name: str
    """Wire name: one of our own learners, a scikit-learn class from the reviewed list, or an
    installed learner of an allowed package."""
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """JSON values by parameter name."""
    prepare: tuple[StepSpec | ColumnGroupsSpec, ...] = ()
    """Steps in the order in which they are fitted and applied."""


def read_learner_spec(wire: Any, *, loc: Loc = ()) -> LearnerSpec:
    """Return the specification in a JSON value; a plain string is short for its name.

    ``wire`` is ``{"name": .., "params"?: {..}, "prepare"?: [..]}`` or a string. The ``loc`` of
    every exception starts with ``loc``, the path of the value in the request.
    """
    body = _check_body(wire, {"name", "params", "prepare"}, loc)
    prepare = _read_steps(body.get("prepare", []), 0, (*loc, "prepare"))
    if count_steps(prepare) > MAX_TOTAL_STEPS:
        raise InvalidParameter(
            f"prepare has {count_steps(prepare)} steps including those inside groups. At most "
            f"{MAX_TOTAL_STEPS} are allowed.",
            loc=(*loc, "prepare"),
        )
    return LearnerSpec(body["name"], body["params"], prepare)


def _read_steps(wire: Any, depth: int, loc: Loc) -> tuple[StepSpec | ColumnGroupsSpec, ...]:
    if not isinstance(wire, list | tuple) or len(wire) > MAX_STEPS:
        raise InvalidParameter(f"prepare must be a list of at most {MAX_STEPS} steps.", loc=loc)
    return tuple(
        _read_groups(step, depth + 1, (*loc, at))
        if isinstance(step, Mapping) and "groups" in step
        else read_step_spec(step, loc=(*loc, at))
        for at, step in enumerate(wire)
    )


def _read_groups(wire: Mapping[str, object], depth: int, loc: Loc) -> ColumnGroupsSpec:
    if depth > MAX_DEPTH:
        raise InvalidParameter(
            f"groups are nested more than {MAX_DEPTH} levels deep. Put consecutive steps into one "
            "list.",
            loc=loc,
        )
    _check_fields(wire, {"groups", "rest"}, loc)
    groups, rest = wire["groups"], wire.get("rest", "keep")
    if not isinstance(groups, list | tuple) or not 0 < len(groups) <= MAX_STEPS:
        raise InvalidParameter(
            f"groups must be a list of 1 to {MAX_STEPS} groups of columns.", loc=(*loc, "groups")
        )
    if rest not in {"keep", "drop"}:
        raise InvalidParameter("rest must be 'keep' or 'drop'.", loc=(*loc, "rest"), value=rest)
    here = (*loc, "groups")
    branches = (_read_branch(group, depth, (*here, at)) for at, group in enumerate(groups))
    return ColumnGroupsSpec(tuple(branches), rest)


def _read_branch(wire: Any, depth: int, loc: Loc) -> ColumnGroupSpec:
    if not isinstance(wire, Mapping):
        raise InvalidParameter(
            'Expected a group like {"columns": ["age"], "prepare": ["standardise"]}.', loc=loc
        )
    _check_fields(wire, {"columns", "prepare"}, loc)
    steps = _read_steps(wire.get("prepare", []), depth, (*loc, "prepare"))
    return ColumnGroupSpec(_read_columns(wire.get("columns"), (*loc, "columns")), steps)


def read_step_spec(wire: Any, *, loc: Loc = ()) -> StepSpec:
    """Return the step specification in a JSON value; a plain string is short for its name."""
    body = _check_body(wire, {"name", "params", "columns", "weighted"}, loc)
    columns, weighted = body.get("columns"), body.get("weighted", False)
    if not isinstance(weighted, bool):
        raise InvalidParameter(
            "weighted must be true or false.", loc=(*loc, "weighted"), value=weighted
        )
    chosen = _read_columns(columns, (*loc, "columns"))
    return StepSpec(body["name"], body["params"], chosen, weighted)


def _read_columns(columns: Any, loc: Loc) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
        raise InvalidParameter("columns must be a list of column names.", loc=loc, value=columns)
    if not columns or len(set(columns)) < len(columns):
        raise InvalidParameter(
            "columns must name at least one column, and each once.", loc=loc, value=columns
        )
    return tuple(columns)


class _Body(TypedDict):
    """The JSON object of a learner or a step; the values of the other fields are not checked."""

    name: str
    params: Mapping[str, JsonValue]
    prepare: NotRequired[JsonValue]
    columns: NotRequired[JsonValue]
    weighted: NotRequired[JsonValue]


def _check_body(wire: Any, known: set[str], loc: Loc) -> _Body:
    if isinstance(wire, str):
        return {"name": wire, "params": {}}
    if not isinstance(wire, Mapping) or not isinstance(wire.get("name"), str):
        raise InvalidParameter(
            'Expected a name or an object with a name, like {"name": "ridge", "params": {}}.',
            loc=loc,
            value=wire,
        )
    _check_fields(wire, known, loc)
    params = wire.get("params", {})
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise InvalidParameter(
            "params must be an object of values by parameter name.", loc=(*loc, "params")
        )
    return cast("_Body", {**wire, "params": params})


def _check_fields(wire: Mapping[str, object], known: set[str], loc: Loc) -> None:
    for key in wire:
        if key not in known:
            fields = ", ".join(sorted(known))
            raise InvalidParameter(
                f"{key!r} is not a field here; the fields are {fields}.", loc=(*loc, str(key))
            )
