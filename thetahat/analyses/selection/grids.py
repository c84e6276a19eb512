"""Grids of parameter values, and the candidates that they stand for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat.analyses.selection.step_parameters import Path, place_of, with_values
from thetahat.analyses.selection.values import Value, shown, values_of
from thetahat.errors import InvalidParameter, Loc

MOST_CANDIDATES: Final = 2000
"""Over all grids, with the candidates that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateGrid:
    """One learner at every combination of some values of its parameters.

    Parameters
    ----------
    values : mapping of str to tuple
        By parameter, in order; the last one moves fastest from candidate to candidate. One of a
        preparation step is called ``step__parameter``.
    candidates : mapping of str to tuple
        By candidate's name, its value of each parameter.
    """

    values: Mapping[str, tuple[Value, ...]]
    candidates: Mapping[str, tuple[Value, ...]]


def expand(
    wires: Mapping[str, Any], *, loc: Loc = ("candidates",)
) -> tuple[dict[str, Any], dict[str, CandidateGrid]]:
    """Return the candidates with every grid in full, and the grids by name.

    A candidate of a grid is called ``ridge[penalty=0.1]``, with as many digits as tell the values
    apart. Its place in the order is that of its grid.

    Parameters
    ----------
    wires : mapping
        Learner specs by name, as a request has them; one with ``grid`` is a grid.

    Raises
    ------
    InvalidParameter
        A grid that is none, too many candidates, or two of one name.
    """
    expanded: dict[str, Any] = {}
    grids: dict[str, CandidateGrid] = {}
    for name, wire in wires.items():
        here: dict[str, Any] = {name: wire}
        if isinstance(wire, Mapping) and "grid" in wire:
            grids[name] = grid = _grid(name, wire, (*loc, name))
            here = {one: _candidate(wire, grid.values, at) for one, at in grid.candidates.items()}
        for one, spec in here.items():
            if one in expanded:
                raise InvalidParameter(
                    f"two candidates are called {one!r}", loc=(*loc, name), value=one
                )
            expanded[one] = spec
    if len(expanded) > MOST_CANDIDATES:
        raise InvalidParameter(
            f"there are {len(expanded)} candidates, and {MOST_CANDIDATES} is the most",
            loc=loc,
            value=len(expanded),
        )
    return expanded, grids


def place_in_request(loc: Loc, grids: Mapping[str, CandidateGrid]) -> Loc:
    """Return where a fault of an expanded candidate stands in the request.

    ``("candidates", "r[k=0]", "params", "k")`` is ``("candidates", "r", "grid", "k")`` there.
    """
    if len(loc) < 2:
        return loc
    field, name, *rest = loc
    owner = next((key for key, grid in grids.items() if name in grid.candidates), None)
    if owner is None:
        return loc
    if len(rest) > 1 and rest[0] == "params" and rest[1] in grids[owner].values:
        return (field, owner, "grid", *rest[1:])
    return (field, owner, *rest)


def _grid(name: str, wire: Mapping[str, Any], loc: Loc) -> CandidateGrid:
    given = wire["grid"]
    if not isinstance(given, Mapping) or not given:
        raise InvalidParameter(
            'a grid is an object of values by parameter name, like {"penalty": [0.1, 1, 10]}',
            loc=(*loc, "grid"),
        )
    values: dict[str, tuple[Value, ...]] = {}
    places: dict[Path, str] = {}
    for key, wanted in given.items():
        place = place_of(wire, str(key), loc=(*loc, "grid", str(key)))
        if place in places:
            raise InvalidParameter(
                f"{places[place]} and {key} are one parameter", loc=(*loc, "grid", str(key))
            )
        places[place] = str(key)
        values[key] = values_of(wanted, (*loc, "grid", str(key)))
    n = math.prod(len(of_one) for of_one in values.values())
    if n > MOST_CANDIDATES:
        raise InvalidParameter(
            f"the grid {name!r} has {n} candidates, and {MOST_CANDIDATES} is the most",
            loc=(*loc, "grid"),
            value=n,
        )
    words = [[f"{key}={text}" for text in _texts(of_one)] for key, of_one in values.items()]
    names = [f"{name}[{','.join(one)}]" for one in itertools.product(*words)]
    candidates = dict(zip(names, itertools.product(*values.values()), strict=True))
    if len(candidates) < n:
        raise InvalidParameter(
            f"two candidates of the grid {name!r} would have the same name", loc=(*loc, "grid")
        )
    return CandidateGrid(values=values, candidates=candidates)


def _candidate(
    wire: Mapping[str, Any], values: Mapping[str, Any], at: Sequence[Value]
) -> dict[str, Any]:
    """Return the spec of one candidate of a grid."""
    plain = {key: value for key, value in wire.items() if key != "grid"}
    if not isinstance(plain.get("params", {}), Mapping):  # refused with the spec
        return plain
    places = [place_of(plain, key, loc=()) for key in values]
    return with_values(plain, dict(zip(places, at, strict=True)))


def _texts(values: Sequence[Value]) -> list[str]:
    """Return the values in as few digits as tell them apart, six at least."""
    for digits in range(6, 18):
        texts = list(_in_digits(values, digits))
        if len(set(texts)) == len(texts):
            break
    return texts


def _in_digits(values: Sequence[Value], digits: int) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        else:
            yield f"{value:.{digits}g}" if isinstance(value, float) else shown(value)
