"""Parameters of preparation steps, as a grid names them: ``PCA__n_components``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

SEPARATOR: Final = "__"
Path = tuple[str | int, ...]


def place_of(wire: Mapping[str, Any], key: str, *, loc: Loc) -> Path:
    """Return where the parameter that a grid calls ``key`` stands in the spec of a learner.

    A plain name is a parameter of the learner. ``step__parameter`` is one of a step of
    ``prepare``: a step is called by its name, or by its number among all steps, from 0 on, those
    inside groups in their turn; by number alone where several have the name.

    Parameters
    ----------
    wire : mapping
        The spec, as a request has it.
    loc : tuple
        Where the key stands in the request.

    Raises
    ------
    InvalidParameter
        No such step, several, or one whose ``params`` have a value for the parameter.
    """
    step, found, parameter = key.partition(SEPARATOR)
    place: Path = ("params", key)
    if found:
        place = (*_step_called(wire, step, loc), "params", parameter)
    params = _at(wire, place[:-1])
    if isinstance(params, Mapping) and place[-1] in params:
        raise InvalidParameter(f"{key} stands in params and in the grid", loc=loc)
    return place


def with_values(wire: Mapping[str, Any], values: Mapping[Path, Any]) -> dict[str, Any]:
    """Return the spec with values at places of ``place_of``; the given one is left as it is."""
    changed: dict[str, Any] = dict(wire)
    for place, value in values.items():
        changed = _put(changed, place, value)
    return changed


def _step_called(wire: Mapping[str, Any], step: str, loc: Loc) -> Path:
    steps = list(_steps(wire.get("prepare"), ("prepare",)))
    if step.isdecimal() and int(step) < len(steps):
        return steps[int(step)][0]
    called = [at for at, (_, name) in enumerate(steps) if name == step]
    if len(called) == 1:
        return steps[called[0]][0]
    told = ", ".join(f"{at} ({name})" for at, (_, name) in enumerate(steps)) or "none"
    what = f"several steps are called {step!r}" if called else f"no step is called {step!r}"
    raise InvalidParameter(
        f"{what}; the steps of prepare are {told}, and a step is called by its name or its number",
        loc=loc,
        value=step,
    )


def _steps(prepare: Any, place: Path) -> Iterator[tuple[Path, str]]:
    """Give the place and the name of each step; what is no step is refused with the spec."""
    if not isinstance(prepare, Sequence) or isinstance(prepare, str):
        return
    for at, step in enumerate(prepare):
        here = (*place, at)
        if isinstance(step, str):
            yield here, step
        elif isinstance(step, Mapping) and isinstance(step.get("name"), str):
            yield here, step["name"]
        elif isinstance(step, Mapping) and isinstance(step.get("groups"), Sequence):
            for k, group in enumerate(step["groups"]):
                if isinstance(group, Mapping):
                    yield from _steps(group.get("prepare"), (*here, "groups", k, "prepare"))


def _at(wire: Any, place: Path) -> Any:
    for key in place:
        if isinstance(wire, str):  # a step that is its name alone
            return None
        wire = wire.get(key) if isinstance(wire, Mapping) else wire[key]
    return wire


def _put(wire: Any, place: Path, value: Any) -> Any:
    if not place:
        return value
    key, *rest = place
    if isinstance(key, int):
        return [_put(one, tuple(rest), value) if at == key else one for at, one in enumerate(wire)]
    body = {"name": wire} if isinstance(wire, str) else dict(wire or {})
    body[key] = _put(body.get(key), tuple(rest), value)
    return body
