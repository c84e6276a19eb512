"""What a request says of a learner, checked for its form only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

MOST_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class StepSpec:
    """One preparation step by name.

    Parameters
    ----------
    name : str
        Wire name: one of ours or a class name from the reviewed list.
    params : mapping
        JSON values by parameter name.
    columns : tuple of str or None
        The columns it acts on; None means those of the kind the step is made for.
    weighted : bool
        Whether it learns with the weights of the instances.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None
    weighted: bool = False


@dataclass(frozen=True, slots=True)
class LearnerSpec:
    """A learner by name, behind its preparation steps.

    Parameters
    ----------
    name : str
        Wire name: one of ours, a class name from the reviewed list, or an allowed entry point.
    params : mapping
        JSON values by parameter name.
    prepare : tuple of StepSpec
        Steps in the order in which they are learnt and applied.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    prepare: tuple[StepSpec, ...] = ()


def learner_spec(wire: Any, *, loc: Loc = ()) -> LearnerSpec:
    """Return the spec that a JSON value describes; a bare string is short for its name.

    Parameters
    ----------
    wire : Any
        ``{"name": .., "params"?: {..}, "prepare"?: [..]}`` or a string.
    loc : tuple
        Where the value stands in the request, put in front of every refusal's ``loc``.
    """
    body = _body(wire, {"name", "params", "prepare"}, loc)
    steps = body.get("prepare", [])
    if not isinstance(steps, list | tuple) or len(steps) > MOST_STEPS:
        raise InvalidParameter(
            f"prepare must be a list of at most {MOST_STEPS} steps", loc=(*loc, "prepare")
        )
    prepare = tuple(
        step_spec(step, loc=(*loc, "prepare", position)) for position, step in enumerate(steps)
    )
    return LearnerSpec(body["name"], body.get("params", {}), prepare)


def step_spec(wire: Any, *, loc: Loc = ()) -> StepSpec:
    """Return the step that a JSON value describes; a bare string is short for its name."""
    body = _body(wire, {"name", "params", "columns", "weighted"}, loc)
    columns, weighted = body.get("columns"), body.get("weighted", False)
    if not isinstance(weighted, bool):
        raise InvalidParameter(
            "weighted must be true or false", loc=(*loc, "weighted"), value=weighted
        )
    if columns is None:
        return StepSpec(body["name"], body.get("params", {}), None, weighted)
    if not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
        raise InvalidParameter(
            "columns must be a list of column names", loc=(*loc, "columns"), value=columns
        )
    if not columns or len(set(columns)) < len(columns):
        raise InvalidParameter(
            "columns must name at least one column, and each once",
            loc=(*loc, "columns"),
            value=columns,
        )
    return StepSpec(body["name"], body.get("params", {}), tuple(columns), weighted)


def _body(wire: Any, known: set[str], loc: Loc) -> Mapping[str, Any]:
    if isinstance(wire, str):
        return {"name": wire}
    if not isinstance(wire, Mapping) or not isinstance(wire.get("name"), str):
        raise InvalidParameter(
            'expected a name, or an object like {"name": "ridge", "params": {}}', loc=loc
        )
    for key in wire:
        if key not in known:
            fields = ", ".join(sorted(known))
            raise InvalidParameter(
                f"{key!r} is not a field here; the fields are {fields}", loc=(*loc, str(key))
            )
    params = wire.get("params", {})
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise InvalidParameter(
            "params must be an object of values by parameter name", loc=(*loc, "params")
        )
    return wire
