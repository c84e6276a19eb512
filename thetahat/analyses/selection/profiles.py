"""What the internal estimates say of each parameter of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from thetahat.analyses.selection.grids import CandidateGrid
from thetahat.analyses.selection.internal import InternalEstimate
from thetahat.analyses.selection.values import Value
from thetahat.cautions import GRID_EDGE, Caution
from thetahat.values.json_values import plain
from thetahat.values.types import FloatArray

FEWEST_FOR_AN_EDGE = 3
"""Values from which on a parameter has ends and something between them."""


def profiles_of(
    grid: CandidateGrid,
    internal: Mapping[str, InternalEstimate],
    external: Mapping[str, FloatArray],
    *,
    higher_is_better: bool = False,
) -> dict[str, Any]:
    """Return, parameter by parameter, the internal estimate against the value.

    With one parameter it is that of each candidate. With more, a value stands for the best of the
    candidates that have it: the profile of the internal error over the other parameters.

    Parameters
    ----------
    grid : CandidateGrid
        Parameters and candidates.
    internal : mapping of str to InternalEstimate
        On all rows, of the candidates that ran; others are left out.
    external : mapping of str to ndarray of float
        (J,) of each candidate on the external test parts; empty where nothing is assessed.
    higher_is_better : bool
        Whether the largest is best.
    """
    sign = -1.0 if higher_is_better else 1.0
    parameters = {}
    for at, (parameter, values) in enumerate(grid.values.items()):
        best = [_best(grid, at, value, internal, sign) for value in values]
        found = [None if name is None else internal[name] for name in best]
        parameters[parameter] = {
            "values": list(values),
            "candidates": best,
            "mean": [None if e is None else plain(e.mean) for e in found],
            "standard_error": [None if e is None else plain(e.standard_error) for e in found],
            "external": [_mean(external.get(name or "")) for name in best] if external else None,
        }
    ran = [name for name in grid.candidates if name in internal]
    least = min(ran, key=lambda name: sign * internal[name].mean) if ran else None
    return {"parameters": parameters, "least": least, "n_candidates": len(grid.candidates)}


def edges_of(name: str, grids: Mapping[str, CandidateGrid]) -> Iterator[Caution]:
    """Yield a caution for each numeric parameter whose chosen value ends the grid."""
    for grid in grids.values():
        if name not in grid.candidates:
            continue
        for (parameter, values), value in zip(
            grid.values.items(), grid.candidates[name], strict=True
        ):
            numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            if len(numbers) == len(values) >= FEWEST_FOR_AN_EDGE and value in {
                min(numbers),
                max(numbers),
            }:
                yield GRID_EDGE(parameter=parameter, name=name)


def _best(
    grid: CandidateGrid,
    at: int,
    value: Value,
    internal: Mapping[str, InternalEstimate],
    sign: float,
) -> str | None:
    """Return the best of the candidates that have a value, the first of equal ones."""
    having = [
        name for name, values in grid.candidates.items() if values[at] is value and name in internal
    ]
    return min(having, key=lambda name: sign * internal[name].mean) if having else None


def _mean(values: FloatArray | None) -> float | None:
    known = np.empty(0) if values is None else values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
