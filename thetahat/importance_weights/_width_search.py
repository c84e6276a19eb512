"""Kernel widths, and penalties, chosen by cross-validation of the method's own objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.importance_weights._kernels import WidthRule, compute_log_kernel, compute_width
from thetahat.importance_weights.base import Samples
from thetahat.parameter_checks import check_choice, check_not_negative
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray

SEARCH: Final = "cross_validation"
WidthChoice = WidthRule | Literal["cross_validation"]
"""A rule for the width, or the search by cross-validation."""

N_FOLDS: Final = 5
SHARES: Final = tuple(float(x) for x in np.geomspace(0.1, 3.0, 10))
"""Candidate widths, as shares of the median distance between two rows of both samples."""
PENALTIES: Final = tuple(float(x) for x in np.geomspace(1e-3, 10.0, 9))


def check_penalty(penalty: float | str) -> None:
    """Raise ``InvalidParameter`` if a penalty is neither a number of at least 0 nor the search."""
    if isinstance(penalty, str):
        check_choice("penalty", penalty, ("a number", SEARCH))
    else:
        check_not_negative("penalty", penalty)


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthSearch:
    """The width and the penalty that cross-validation chose."""

    width: float
    penalty: float
    """Those with the best score; a penalty of 0 if the method has none."""
    scores: tuple[tuple[float, float, float | None], ...]
    """(width, penalty, score) of every candidate; the largest score is the best, and None stands
    for an undefined score."""

    def build_details(self) -> dict[str, JsonValue]:
        """Return the scores as an entry of the method's ``details``."""
        names = ("width", "penalty", "score")
        return {"searched": [dict(zip(names, entry, strict=True)) for entry in self.scores]}


def list_candidate_widths(samples: Samples, rng: np.random.Generator) -> list[float]:
    """Return the candidate widths."""
    median = compute_width("median", samples, rng)
    return [share * median for share in SHARES]


def search_by_likelihood(
    samples: Samples,
    centres: FloatArray,
    solve: Callable[[FloatArray, FloatArray], FloatArray],
    rng: np.random.Generator,
) -> WidthSearch:
    r"""Choose the width with the largest mean log ratio of left-out target rows.

    .. math:: \hat J(s) = \frac1F \sum_f \frac1{|Z_f|} \sum_{z \in Z_f} \log \hat w_{-f}(z)

    with the target cut into F = 5 parts at random, fewer if it has fewer rows.

    Parameters
    ----------
    solve : callable
        Takes the logarithms of the kernels at source and target rows and returns the logarithms
        of the (L,) coefficients; raises ``InsufficientData`` if a width is unusable.

    Source: sugiyama2008, section 2.4.
    """
    if samples.m < 2:
        raise InsufficientData(
            "Choosing a width by cross-validation needs two target rows; there is one.",
            loc=("target",),
        )
    part = rng.permutation(samples.m) % min(N_FOLDS, samples.m)
    scores: list[tuple[float, float, float | None]] = []
    for width in list_candidate_widths(samples, rng):
        source_kernels = compute_log_kernel(samples.source, centres, width)
        target_kernels = compute_log_kernel(samples.target, centres, width)
        total = 0.0
        for k in range(part.max() + 1):
            try:
                logs = solve(source_kernels, target_kernels[part != k])
            except InsufficientData:
                total = -np.inf
                break
            with np.errstate(divide="ignore"):
                total += float(_log_sums(target_kernels[part == k] + logs).mean())
        score = total / (part.max() + 1)
        scores.append((width, 0.0, score if np.isfinite(score) else None))
    return _find_best(scores)


def search_by_least_squares(
    samples: Samples,
    centres: FloatArray,
    widths: Sequence[float],
    penalties: Sequence[float],
    share: float,
) -> WidthSearch:
    r"""Choose the width and the penalty with the least error on left-out pairs of rows.

    .. math::

        \frac1N \sum_i \tfrac\eta2 \hat w_{-i}(z_i)^2 + \tfrac{1 - \eta}2 \hat w_{-i}(x_i)^2
        - \hat w_{-i}(z_i), \qquad N = \min(n, m)

    with one row of each sample left out at a time. Each of the N linear systems is a rank-two
    change of one system, and is solved from that one's solution.

    Source: kanamori2009, section 2.3.3, with share 0; yamada2013.
    """
    scores: list[tuple[float, float, float | None]] = []
    for width in widths:
        source_kernels = np.exp(compute_log_kernel(samples.source, centres, width))
        target_kernels = np.exp(compute_log_kernel(samples.target, centres, width))
        for penalty in penalties:
            error = _estimate_left_out_error(source_kernels, target_kernels, penalty, share)
            scores.append((width, penalty, -error if np.isfinite(error) else None))
    return _find_best(scores)


def _estimate_left_out_error(
    source_kernels: FloatArray, target_kernels: FloatArray, penalty: float, share: float
) -> float:
    """Return the mean error from (n, L) and (m, L) kernels; NaN if a system is singular."""
    n, m = len(source_kernels), len(target_kernels)
    if min(n, m) < 2:
        return float("nan")
    target_factor, source_factor = share / (m - 1), (1 - share) / (n - 1)
    H = (
        target_factor * target_kernels.T @ target_kernels
        + source_factor * source_kernels.T @ source_kernels
    )
    H.flat[:: len(H) + 1] += penalty
    count = min(n, m)
    x, z = source_kernels[:count], target_kernels[:count]
    # the rank-two change of the system without a pair, (N, L, 2), and its right side, (N, L)
    U = np.stack([np.sqrt(target_factor) * z, np.sqrt(source_factor) * x], axis=2)
    right = (target_kernels.sum(axis=0) - z) / (m - 1)
    try:
        inverse = np.linalg.inv(H)
        plain, sides = right @ inverse, np.einsum("kl,nlj->nkj", inverse, U)
        inner = np.eye(2) - U.transpose(0, 2, 1) @ sides
        along = np.linalg.solve(inner, U.transpose(0, 2, 1) @ plain[..., None])
    except np.linalg.LinAlgError:
        return float("nan")
    alpha = np.maximum(plain + (sides @ along)[..., 0], 0)
    at_x, at_z = (alpha * x).sum(axis=1), (alpha * z).sum(axis=1)
    return float((0.5 * share * at_z**2 + 0.5 * (1 - share) * at_x**2 - at_z).mean())


def _find_best(scores: Sequence[tuple[float, float, float | None]]) -> WidthSearch:
    known = [(score, -at) for at, (_, _, score) in enumerate(scores) if score is not None]
    if not known:
        raise InsufficientData(
            "No candidate width gives a density ratio on left-out rows. Give a number or a rule.",
            loc=("width",),
        )
    width, penalty, _ = scores[-max(known)[1]]
    return WidthSearch(width=width, penalty=penalty, scores=tuple(scores))


def _log_sums(logs: FloatArray) -> FloatArray:
    """Return (n,) logarithms of the row sums of (n, L) exponentials; -inf if all are 0."""
    top = logs.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(safe + np.log(np.exp(logs - safe[:, None]).sum(axis=1)))
