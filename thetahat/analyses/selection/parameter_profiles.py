"""The internal error along each parameter of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from thetahat.analyses.selection.grid_values import GridValue
from thetahat.analyses.selection.grids import CandidateGrid
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.result import GridProfile, ParameterProfile
from thetahat.cautions import GRID_EDGE, Caution
from thetahat.values.types import FloatArray

MIN_VALUES_FOR_EDGE: Final = 3
"""Smallest number of values with which a parameter has ends and values between them."""


def build_grid_profile(
    grid: CandidateGrid,
    internal: Mapping[str, InternalEstimate],
    external: Mapping[str, FloatArray],
    *,
    higher_is_better: bool = False,
) -> GridProfile:
    """Return the internal estimate against the value of each parameter.

    With several parameters, it is that of the best candidate with a value: the profile of the
    internal error over the other parameters.

    Parameters
    ----------
    grid : CandidateGrid
        Parameters and candidates.
    internal : mapping of str to InternalEstimate
        On all rows, of the candidates that ran.
    external : mapping of str to ndarray of float
        (J,) errors of each candidate on the external test parts; empty without external splits.
    higher_is_better : bool
        Whether the candidate with the largest value is best.
    """
    sign = -1.0 if higher_is_better else 1.0
    parameters = {}
    for at, (parameter, values) in enumerate(grid.values.items()):
        best = [_find_best(grid, at, value, internal, sign) for value in values]
        estimates = [None if name is None else internal[name] for name in best]
        parameters[parameter] = ParameterProfile(
            values=values,
            candidates=tuple(best),
            mean=tuple(None if estimate is None else estimate.mean for estimate in estimates),
            standard_error=tuple(
                None if estimate is None else estimate.standard_error for estimate in estimates
            ),
            external=tuple(_average_known(external.get(name or "")) for name in best)
            if external
            else None,
        )
    ran = [name for name in grid.candidates if name in internal]
    least = min(ran, key=lambda name: sign * internal[name].mean) if ran else None
    return GridProfile(parameters=parameters, least=least, n_candidates=len(grid.candidates))


def check_grid_edges(name: str, grids: Mapping[str, CandidateGrid]) -> Iterator[Caution]:
    """Yield a caution for each numeric parameter whose chosen value is at an end of its grid."""
    for grid in grids.values():
        if name not in grid.candidates:
            continue
        for (parameter, values), value in zip(
            grid.values.items(), grid.candidates[name], strict=True
        ):
            numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            if len(numbers) == len(values) >= MIN_VALUES_FOR_EDGE and value in {
                min(numbers),
                max(numbers),
            }:
                yield GRID_EDGE(parameter=parameter, name=name)


def _find_best(
    grid: CandidateGrid,
    at: int,
    value: GridValue,
    internal: Mapping[str, InternalEstimate],
    sign: float,
) -> str | None:
    """Return the best candidate with this value, of equal ones the first, or None."""
    having = [
        name for name, values in grid.candidates.items() if values[at] is value and name in internal
    ]
    return min(having, key=lambda name: sign * internal[name].mean) if having else None


def _average_known(values: FloatArray | None) -> float | None:
    known = np.empty(0) if values is None else values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
