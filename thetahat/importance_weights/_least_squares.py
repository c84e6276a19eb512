"""A density ratio fitted by penalised least squares, shared by the plain and the relative one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from thetahat.cautions import COEFFICIENTS_CUT, Caution
from thetahat.errors import InsufficientData
from thetahat.importance_weights._checks import usable
from thetahat.importance_weights._kernels import centres_of, log_kernel, width_of
from thetahat.importance_weights._width_search import (
    PENALTIES,
    SEARCH,
    Searched,
    by_least_squares,
    candidate_widths,
)
from thetahat.importance_weights.base import Samples, Weighing
from thetahat.values.types import FloatArray


def fitted(  # noqa: PLR0913 - the parameters of two methods
    samples: Samples,
    rng: np.random.Generator,
    *,
    width: float | Searched,
    n_centres: int,
    penalty: float | Literal["cross_validation"],
    share: float,
) -> Weighing:
    """Fit p_T / (share p_T + (1 - share) p_S) by kernels; coefficients below 0 become 0."""
    widths = candidate_widths(samples, rng) if width == SEARCH else [width_of(width, samples, rng)]
    centres = centres_of(samples, n_centres, rng)
    penalties = PENALTIES if isinstance(penalty, str) else (penalty,)
    s, level, searched = widths[0], penalties[0], {}
    if SEARCH in {width, penalty}:
        found = by_least_squares(samples, centres, widths, penalties, share)
        s, level, searched = found.width, found.penalty, found.as_details()
    of_source = np.exp(log_kernel(samples.source, centres, s))
    of_target = np.exp(log_kernel(samples.target, centres, s))
    H = share / samples.m * of_target.T @ of_target
    H += (1 - share) / samples.n * of_source.T @ of_source
    h = of_target.mean(axis=0)
    H.flat[:: len(H) + 1] += level
    try:
        solution = np.linalg.solve(H, h)
    except np.linalg.LinAlgError:
        raise InsufficientData(
            "the kernels on the centres are linearly dependent over the sample; give a penalty "
            "above 0",
            loc=("penalty",),
        ) from None
    alpha = np.maximum(solution, 0)
    n_cut = int((solution < 0).sum())
    objective = float(0.5 * alpha @ H @ alpha - h @ alpha)
    details = {
        "width": s,
        "penalty": level,
        "n_centres": len(centres),
        "n_cut": n_cut,
        "objective": objective,
        **searched,
    }
    return Weighing(
        values=usable(of_source @ alpha),
        of_target=of_target @ alpha,
        details=details,
        cautions=tuple(_cautions(solution)),
        function=lambda rows: np.asarray(np.exp(log_kernel(rows, centres, s)) @ alpha),
    )


def _cautions(solution: FloatArray) -> Iterator[Caution]:
    lost = float(-solution[solution < 0].sum() / np.abs(solution).sum())
    if lost > 0.1:
        yield COEFFICIENTS_CUT(share=f"{lost:.0%}")
