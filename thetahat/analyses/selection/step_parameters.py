"""Parameters of preparation steps, as a grid names them: ``PCA__n_components``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

SEPARATOR: Final = "__"
Path = tuple[str | int, ...]


def find_parameter(wire: Mapping[str, object], key: str, *, loc: Loc) -> Path:
    """Return the path of a parameter of a grid in the specification of a learner.

    A plain name is a parameter of the learner. ``step__parameter`` is one of a step of
    ``prepare``. A step has a name, and a number among all steps, counted from 0 with the steps
    inside groups in order. If several steps have the same name, their numbers must be used.

    Parameters
    ----------
    wire : mapping
        The specification, as a request has it.
    key : str
        Name of the parameter in the grid.
    loc : tuple
        Path of the key in the request.

    Raises
    ------
    InvalidParameter
        No step, or more than one, has the name, or ``params`` already have a value.
    """
    step, separator, parameter = key.partition(SEPARATOR)
    path: Path = ("params", key)
    if separator:
        path = (*_find_step(wire, step, loc), "params", parameter)
    params = _read_value(wire, path[:-1])
    if isinstance(params, Mapping) and path[-1] in params:
        raise InvalidParameter(
            f"The parameter {key} has a value in params and values in the grid. Leave one of them "
            "out.",
            loc=loc,
        )
    return path


def set_values(wire: Mapping[str, object], values: Mapping[Path, Any]) -> dict[str, object]:
    """Return a copy of the specification with these values by path."""
    changed: dict[str, object] = dict(wire)
    for path, value in values.items():
        changed = _set_value(changed, path, value)
    return changed


def _find_step(wire: Mapping[str, object], step: str, loc: Loc) -> Path:
    steps = list(_list_steps(wire.get("prepare"), ("prepare",)))
    if step.isdecimal() and int(step) < len(steps):
        return steps[int(step)][0]
    numbers = [number for number, (_, name) in enumerate(steps) if name == step]
    if len(numbers) == 1:
        return steps[numbers[0]][0]
    names = ", ".join(f"{number} ({name})" for number, (_, name) in enumerate(steps)) or "none"
    fault = f"Several steps have the name {step!r}" if numbers else f"No step has the name {step!r}"
    raise InvalidParameter(
        f"{fault}. The steps of prepare are: {names}. Use the name of a step or its number.",
        loc=loc,
        value=step,
    )


def _list_steps(prepare: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path and the name of each step; malformed steps are refused elsewhere."""
    if not isinstance(prepare, Sequence) or isinstance(prepare, str):
        return
    for number, step in enumerate(prepare):
        step_path = (*path, number)
        if isinstance(step, str):
            yield step_path, step
        elif isinstance(step, Mapping) and isinstance(step.get("name"), str):
            yield step_path, step["name"]
        elif isinstance(step, Mapping) and isinstance(step.get("groups"), Sequence):
            for k, group in enumerate(step["groups"]):
                if isinstance(group, Mapping):
                    yield from _list_steps(
                        group.get("prepare"), (*step_path, "groups", k, "prepare")
                    )


def _read_value(wire: Any, path: Path) -> Any:
    for key in path:
        if isinstance(wire, str):  # a step without parameters, written as its name
            return None
        wire = wire.get(key) if isinstance(wire, Mapping) else wire[key]
    return wire


def _set_value(wire: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    key, *rest = path
    if isinstance(key, int):
        return [
            _set_value(entry, tuple(rest), value) if i == key else entry
            for i, entry in enumerate(wire)
        ]
    body = {"name": wire} if isinstance(wire, str) else dict(wire or {})
    body[key] = _set_value(body.get(key), tuple(rest), value)
    return body
