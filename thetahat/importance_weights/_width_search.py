"""Kernel widths, and penalties, chosen by cross-validation of the method's own objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.importance_weights._kernels import WidthRule, log_kernel, width_of
from thetahat.importance_weights.base import Samples
from thetahat.values.types import FloatArray

SEARCH: Final = "cross_validation"
Searched = WidthRule | Literal["cross_validation"]
"""A rule for the width, or the search for it."""

N_FOLDS: Final = 5
SHARES: Final = tuple(float(x) for x in np.geomspace(0.1, 3.0, 10))
"""Widths that are tried, as shares of the median distance between two rows of both samples."""
PENALTIES: Final = tuple(float(x) for x in np.geomspace(1e-3, 10.0, 9))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search chose.

    Parameters
    ----------
    width, penalty : float
        With the best score; a penalty of 0 where there is none.
    scores : tuple of tuple
        (width, penalty, score) of all that were tried; the largest score is the best, and None
        stands for one that is not defined.
    """

    width: float
    penalty: float
    scores: tuple[tuple[float, float, float | None], ...]

    def as_details(self) -> dict[str, Any]:
        """Return them for the method's details."""
        names = ("width", "penalty", "score")
        return {"searched": [dict(zip(names, one, strict=True)) for one in self.scores]}


def candidate_widths(samples: Samples, rng: np.random.Generator) -> list[float]:
    """Return the widths that are tried."""
    median = width_of("median", samples, rng)
    return [share * median for share in SHARES]


def by_likelihood(
    samples: Samples,
    centres: FloatArray,
    solve: Callable[[FloatArray, FloatArray], FloatArray],
    rng: np.random.Generator,
) -> Found:
    r"""Choose the width with the largest mean log ratio of target rows that were left out.

    .. math:: \hat J(s) = \frac1F \sum_f \frac1{|Z_f|} \sum_{z \in Z_f} \log \hat w_{-f}(z)

    with the target cut into F = 5 parts at random, fewer where it has fewer rows.

    Parameters
    ----------
    solve : callable
        Takes the logarithms of kernels of source and target rows, and gives those of the (L,)
        coefficients; refuses a width with which it cannot.

    Source: sugiyama2008, section 2.4.
    """
    if samples.m < 2:
        raise InsufficientData(
            "a width by cross-validation needs two target rows, and there is one", loc=("target",)
        )
    part = rng.permutation(samples.m) % min(N_FOLDS, samples.m)
    scores: list[tuple[float, float, float | None]] = []
    for width in candidate_widths(samples, rng):
        of_source = log_kernel(samples.source, centres, width)
        of_target = log_kernel(samples.target, centres, width)
        total = 0.0
        for k in range(part.max() + 1):
            try:
                logs = solve(of_source, of_target[part != k])
            except InsufficientData:
                total = -np.inf
                break
            with np.errstate(divide="ignore"):
                total += float(_log_sums(of_target[part == k] + logs).mean())
        score = total / (part.max() + 1)
        scores.append((width, 0.0, score if np.isfinite(score) else None))
    return _best(scores)


def by_least_squares(
    samples: Samples,
    centres: FloatArray,
    widths: Sequence[float],
    penalties: Sequence[float],
    share: float,
) -> Found:
    r"""Choose width and penalty with the least error where pairs of rows are left out.

    .. math::

        \frac1N \sum_i \tfrac\eta2 \hat w_{-i}(z_i)^2 + \tfrac{1 - \eta}2 \hat w_{-i}(x_i)^2
        - \hat w_{-i}(z_i), \qquad N = \min(n, m)

    with one row of each sample left out at a time. The N fits differ from one system by two
    vectors each, and follow from its solution.

    Source: kanamori2009, section 2.3.3, with share 0; yamada2013.
    """
    scores: list[tuple[float, float, float | None]] = []
    for width in widths:
        of_source = np.exp(log_kernel(samples.source, centres, width))
        of_target = np.exp(log_kernel(samples.target, centres, width))
        for penalty in penalties:
            error = _left_out_error(of_source, of_target, penalty, share)
            scores.append((width, penalty, -error if np.isfinite(error) else None))
    return _best(scores)


def _left_out_error(
    of_source: FloatArray, of_target: FloatArray, penalty: float, share: float
) -> float:
    """Return the mean error, from (n, L) and (m, L) kernels; NaN where a system is singular."""
    n, m = len(of_source), len(of_target)
    if min(n, m) < 2:
        return float("nan")
    of_target_share, of_source_share = share / (m - 1), (1 - share) / (n - 1)
    H = of_target_share * of_target.T @ of_target + of_source_share * of_source.T @ of_source
    H.flat[:: len(H) + 1] += penalty
    count = min(n, m)
    x, z = of_source[:count], of_target[:count]
    # what leaving a pair out takes from the system, (N, L, 2), and its right side, (N, L)
    U = np.stack([np.sqrt(of_target_share) * z, np.sqrt(of_source_share) * x], axis=2)
    right = (of_target.sum(axis=0) - z) / (m - 1)
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


def _best(scores: Sequence[tuple[float, float, float | None]]) -> Found:
    known = [(score, -at) for at, (_, _, score) in enumerate(scores) if score is not None]
    if not known:
        raise InsufficientData(
            "no width that cross-validation tries gives a ratio on the rows left out; give a "
            "number or a rule",
            loc=("width",),
        )
    width, penalty, _ = scores[-max(known)[1]]
    return Found(width=width, penalty=penalty, scores=tuple(scores))


def _log_sums(logs: FloatArray) -> FloatArray:
    """(n,) logarithms of the sums over (n, L) exponentials; -inf where all vanish."""
    top = logs.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(safe + np.log(np.exp(logs - safe[:, None]).sum(axis=1)))
