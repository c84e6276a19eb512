"""The penalised least squares fit of a density ratio, shared by ``ulsif`` and ``rulsif``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from thetahat.cautions import COEFFICIENTS_CUT, Caution
from thetahat.errors import InsufficientData
from thetahat.importance_weights._kernels import compute_log_kernel, compute_width, draw_centres
from thetahat.importance_weights._width_search import (
    PENALTIES,
    SEARCH,
    WidthChoice,
    list_candidate_widths,
    search_by_least_squares,
)
from thetahat.importance_weights.base import ImportanceWeights, Samples, check_some_positive
from thetahat.values.number_text import format_percent
from thetahat.values.types import FloatArray


def fit_ratio(  # noqa: PLR0913 - the parameters of two methods
    samples: Samples,
    rng: np.random.Generator,
    *,
    width: float | WidthChoice,
    n_centres: int,
    penalty: float | Literal["cross_validation"],
    share: float,
) -> ImportanceWeights:
    """Fit p_T / (share p_T + (1 - share) p_S) by kernels; negative coefficients become 0."""
    widths = (
        list_candidate_widths(samples, rng)
        if width == SEARCH
        else [compute_width(width, samples, rng)]
    )
    centres = draw_centres(samples, n_centres, rng)
    penalties = PENALTIES if isinstance(penalty, str) else (penalty,)
    s, penalty_used, search_details = widths[0], penalties[0], {}
    if SEARCH in {width, penalty}:
        search = search_by_least_squares(samples, centres, widths, penalties, share)
        s, penalty_used, search_details = search.width, search.penalty, search.build_details()
    source_kernels = np.exp(compute_log_kernel(samples.source, centres, s))
    target_kernels = np.exp(compute_log_kernel(samples.target, centres, s))
    H = share / samples.m * target_kernels.T @ target_kernels
    H += (1 - share) / samples.n * source_kernels.T @ source_kernels
    h = target_kernels.mean(axis=0)
    H.flat[:: len(H) + 1] += penalty_used
    try:
        solution = np.linalg.solve(H, h)
    except np.linalg.LinAlgError:
        raise InsufficientData(
            "The kernels at the centres are linearly dependent over the sample. Give a penalty "
            "above 0.",
            loc=("penalty",),
        ) from None
    alpha = np.maximum(solution, 0)
    n_cut = int((solution < 0).sum())
    objective = float(0.5 * alpha @ H @ alpha - h @ alpha)
    details = {
        "width": s,
        "penalty": penalty_used,
        "n_centres": len(centres),
        "n_cut": n_cut,
        "objective": objective,
        **search_details,
    }
    return ImportanceWeights(
        values=check_some_positive(source_kernels @ alpha),
        target_values=target_kernels @ alpha,
        details=details,
        cautions=tuple(_list_cautions(solution)),
        weight_function=lambda rows: np.asarray(
            np.exp(compute_log_kernel(rows, centres, s)) @ alpha
        ),
    )


def _list_cautions(solution: FloatArray) -> Iterator[Caution]:
    share_cut = float(-solution[solution < 0].sum() / np.abs(solution).sum())
    if share_cut > 0.1:
        yield COEFFICIENTS_CUT(share=format_percent(round(share_cut, 2)))
