"""Grids of parameter values, and the candidates of a grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat.analyses.selection.grid_values import GridValue, format_value, read_values
from thetahat.analyses.selection.step_parameters import Path, find_parameter, set_values
from thetahat.errors import InvalidParameter, Loc

MAX_CANDIDATES: Final = 2000
"""Largest number of candidates over all grids, with those that are named one by one."""
GRID: Final = "grid"
"""The key of the grid in the specification of a learner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateGrid:
    """One learner at every combination of values of its parameters."""

    values: Mapping[str, tuple[GridValue, ...]]
    """By parameter, in order; the last parameter changes fastest from candidate to candidate. A
    parameter of a preparation step is called ``step__parameter``."""
    paths: Mapping[Path, str]
    """The parameter by its path in the specification of a candidate."""
    candidates: Mapping[str, tuple[GridValue, ...]]
    """By the name of the candidate, its value of each parameter."""


def expand_grids(
    wires: Mapping[str, Any], *, loc: Loc = ("candidates",)
) -> tuple[dict[str, Any], dict[str, CandidateGrid]]:
    """Return the specifications of all candidates, and the grids by name.

    A candidate of a grid is called ``ridge[penalty=0.1]``, with as many digits as the values need
    to differ. The candidates of a grid are in the place of the grid. ``wires`` has specifications
    of learners by name, as a request has them; one with ``grid`` is a grid. Raises
    ``InvalidParameter`` if a grid is malformed, there are too many candidates, or two have the same
    name.
    """
    specs: dict[str, Any] = {}
    grids: dict[str, CandidateGrid] = {}
    for name, wire in wires.items():
        new_specs: dict[str, Any] = {name: wire}
        if isinstance(wire, Mapping) and GRID in wire:
            grids[name] = grid = _read_grid(name, wire, (*loc, name))
            new_specs = {
                candidate: _build_spec(wire, grid, values)
                for candidate, values in grid.candidates.items()
            }
        for candidate, spec in new_specs.items():
            if candidate in specs:
                raise InvalidParameter(
                    f"Two candidates have the name {candidate!r}. Rename one of them.",
                    loc=(*loc, name),
                    value=candidate,
                )
            specs[candidate] = spec
    if len(specs) > MAX_CANDIDATES:
        raise InvalidParameter(
            f"The request has {len(specs)} candidates, more than the limit of {MAX_CANDIDATES}.",
            loc=loc,
            value=len(specs),
        )
    return specs, grids


def _read_grid(name: str, wire: Mapping[str, object], loc: Loc) -> CandidateGrid:
    parameters = wire[GRID]
    if not isinstance(parameters, Mapping) or not parameters:
        raise InvalidParameter(
            "A grid is an object with the values of each parameter by name, such as "
            '{"penalty": [0.1, 1, 10]}.',
            loc=(*loc, GRID),
        )
    values: dict[str, tuple[GridValue, ...]] = {}
    paths: dict[Path, str] = {}
    for key, wire_values in parameters.items():
        path = find_parameter(wire, str(key), loc=(*loc, GRID, str(key)))
        if path in paths:
            raise InvalidParameter(
                f"The names {paths[path]} and {key} are the same parameter. Leave one of them out.",
                loc=(*loc, GRID, str(key)),
            )
        paths[path] = str(key)
        values[key] = read_values(wire_values, (*loc, GRID, str(key)))
    n = math.prod(len(of_parameter) for of_parameter in values.values())
    if n > MAX_CANDIDATES:
        raise InvalidParameter(
            f"The grid {name!r} has {n} candidates, more than the limit of {MAX_CANDIDATES}.",
            loc=(*loc, GRID),
            value=n,
        )
    texts = [
        [f"{key}={text}" for text in _format_distinctly(of_parameter)]
        for key, of_parameter in values.items()
    ]
    names = [f"{name}[{','.join(combination)}]" for combination in itertools.product(*texts)]
    candidates = dict(zip(names, itertools.product(*values.values()), strict=True))
    if len(candidates) < n:
        raise InvalidParameter(
            f"Two candidates of the grid {name!r} would have the same name.", loc=(*loc, GRID)
        )
    return CandidateGrid(values=values, paths=paths, candidates=candidates)


def _build_spec(
    wire: Mapping[str, object], grid: CandidateGrid, values: Sequence[GridValue]
) -> dict[str, object]:
    """Return the specification of one candidate of a grid."""
    spec = {key: value for key, value in wire.items() if key != GRID}
    if not isinstance(spec.get("params", {}), Mapping):  # refused with the specification
        return spec
    return set_values(spec, dict(zip(grid.paths, values, strict=True)))


def _format_distinctly(values: Sequence[GridValue]) -> list[str]:
    """Return the values as texts with the fewest digits, at least six, that make them differ."""
    for digits in range(6, 18):
        texts = list(_format_values(values, digits))
        if len(set(texts)) == len(texts):
            break
    return texts


def _format_values(values: Sequence[GridValue], digits: int) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        else:
            yield f"{value:.{digits}g}" if isinstance(value, float) else format_value(value)
