"""Weights of least Kullback-Leibler divergence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

import numpy as np
from scipy.special import logsumexp

from thetahat.cautions import EARLY_STOPPED, NOT_OPTIMAL, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights._checks import usable
from thetahat.importance_weights._kernels import (
    centres_of,
    check_count,
    check_width,
    log_kernel,
    width_of,
)
from thetahat.importance_weights._width_search import SEARCH, Searched, by_likelihood
from thetahat.importance_weights.base import Samples, Weighing
from thetahat.numerics.quadratic_programme import BoxProgramme
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

_LEAST: Final = 1e-290
"""Numbers near the end of their range have few digits, and no reciprocal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kliep:
    r"""Weights under which the target is likeliest: a sum of kernels on target rows.

    :math:`k(x, c) = \exp(-\|x - c\|^2 / (2 s^2))`, and the centres c are target rows.

    ``optimum`` solves this problem. With the kernels divided by their mean over the source it is
    the likelihood of the proportions of a mixture, maximised to 1e-9 by sequential quadratic
    programming; ``details`` has the objective and an upper bound on its distance from the maximum.
    ``early_stopped`` is the algorithm as published and as other packages have it: gradient steps of
    1000, 100, ..., 0.001, at most 100 of each, each size left at the first step that does not
    improve. It stops far from the maximum, which smooths the weights if the width is small.

    Deviations: ``optimum`` works with logarithms of kernels, so that no width makes them vanish.
    The default width is computed by a rule, as in kouw2019, and not by cross-validation.

    Degenerate cases: the mean weight is 1 by construction.

    Parameters
    ----------
    mode : {"optimum", "early_stopped"}
        The maximum, or the published heuristic.
    n_centres : int
        The largest number of centres; they are drawn from the target rows if there are more rows.
    width : float, "neighbours", "silverman", "median" or "cross_validation"
        s, or the rule that computes it; see kernel mean matching. ``cross_validation`` takes, of
        ten widths from 0.1 to 3 times the median distance, the one with the highest likelihood of
        left-out target rows, in five parts: 50 fits.
    """

    mode: Literal["optimum", "early_stopped"] = "optimum"
    n_centres: int = 100
    width: float | Searched = "neighbours"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="kliep",
        title="Kullback-Leibler importance estimation",
        summary=(
            "A sum of kernels on target rows with mean 1 over the source, under which the "
            "target sample has the highest likelihood."
        ),
        formula=(
            r"\max_\alpha \frac{1}{m} \sum_j \log \sum_l \alpha_l k(z_j, c_l),\quad \alpha \ge 0,"
            r"\quad \frac{1}{n} \sum_i \sum_l \alpha_l k(x_i, c_l) = 1"
        ),
        references=("sugiyama2008",),
        assumptions=(
            "The source covers the target. Features are in comparable units, and the width fits "
            "the target. Labels depend on the features in the same way in both populations."
        ),
        errs=(
            "With a small width the optimum follows the sample and its weights vary too much. "
            "The early-stopped mode is smoother then, but farther from the density ratio if the "
            "width is large."
        ),
    )

    def __post_init__(self) -> None:
        if self.mode not in {"optimum", "early_stopped"}:
            raise InvalidParameter(
                f"mode is {self.mode!r}; it must be optimum or early_stopped",
                loc=("mode",),
                value=self.mode,
            )
        check_count(self.n_centres)
        check_width(self.width, SEARCH)

    def estimate(self, samples: Samples, rng: np.random.Generator) -> Weighing:
        """Maximise; ``rng`` draws the centres."""
        solve = _published if self.mode == "early_stopped" else _best
        searched: dict[str, Any] = {}
        if self.width == SEARCH:
            centres = centres_of(samples, self.n_centres, rng)
            found = by_likelihood(samples, centres, lambda x, z: solve(x, z)[2], rng)
            width, searched = found.width, found.as_details()
        else:
            width = width_of(self.width, samples, rng)
            centres = centres_of(samples, self.n_centres, rng)
        of_source = log_kernel(samples.source, centres, width)
        of_target = log_kernel(samples.target, centres, width)
        values, there, logs, details = solve(of_source, of_target)

        def function(rows: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):
                return np.exp(logsumexp(log_kernel(rows, centres, width) + logs, axis=1))

        return Weighing(
            values=usable(values),
            of_target=there if np.isfinite(there).all() else None,
            details={
                "mode": self.mode,
                "width": width,
                "n_centres": len(centres),
                **details,
                **searched,
            },
            cautions=tuple(_cautions(details)),
            function=function,
        )


_Solution = tuple[FloatArray, FloatArray, FloatArray, dict[str, float | int]]
"""Weights of the source, those of the target, (L,) logarithms of the coefficients, details."""


def _best(of_source: FloatArray, of_target: FloatArray) -> _Solution:
    # kernels over their mean in the source: each is a density ratio of its own, with mean one
    means = logsumexp(of_source, axis=0) - np.log(len(of_source))
    unit_source, unit_target = of_source - means, of_target - means
    top = unit_target.max(axis=1)
    x, gap, n_steps = best_proportions(np.exp(unit_target - top[:, None]))
    kept = x > 0
    logs = np.log(x[kept])
    there = logsumexp(unit_target[:, kept] + logs, axis=1)
    with np.errstate(over="ignore"):
        values, ratios = np.exp(unit_source[:, kept]) @ x[kept], np.exp(there)
    coefficients = np.full(len(x), -np.inf)
    coefficients[kept] = logs - means[kept]
    details = {"objective": float(there.mean()), "gap": gap, "n_steps": n_steps}
    return values, ratios, coefficients, details


def _published(of_source: FloatArray, of_target: FloatArray) -> _Solution:
    A, K = np.exp(of_target), np.exp(of_source)
    if not reached(A, K):
        raise InsufficientData(
            "with this width some target rows are out of reach of every centre, or all source rows "
            "are; give a larger width, more centres, or take the mode optimum",
            loc=("width",),
        )
    alpha, objective, n_steps = early_stopped(A, K.mean(axis=0))
    if objective == -np.inf:
        raise InsufficientData(
            "with this width the algorithm starts where some target rows have weight 0, and cannot "
            "leave it; give a larger width, or take the mode optimum",
            loc=("width",),
        )
    coefficients = np.full(len(alpha), -np.inf)
    coefficients[alpha > 0] = np.log(alpha[alpha > 0])
    return K @ alpha, A @ alpha, coefficients, {"objective": objective, "n_steps": n_steps}


def reached(A: FloatArray, K: FloatArray) -> bool:
    """Whether all target rows and some source row have a kernel that has lost no digits."""
    return min(float(A.max(axis=1).min()), float(K.max())) > _LEAST


def _cautions(details: dict[str, float | int]) -> Iterator[Caution]:
    if "gap" not in details:
        yield EARLY_STOPPED()
    elif details["gap"] > 10 * GAP:
        yield NOT_OPTIMAL(details=f"up to {details['gap']:.2g} of the mean log ratio is missing")


GAP: Final = 1e-9
"""The mean log likelihood is within this of its maximum."""
_MOST_STEPS: Final = 200
_EM_STEPS: Final = 5
_SMALL: Final = 0.01
"""Of an equal share: what is less may well be 0, and enters where the model asks for it."""
_NO_STEP: Final = 1e-15


def best_proportions(densities: FloatArray) -> tuple[FloatArray, float, int]:
    r"""Return proportions that maximise the mean log density, and a bound on the remaining gap.

    .. math:: \max_x \frac1m \sum_j \log \sum_l A_{jl} x_l, \quad x \ge 0, \; \sum_l x_l = 1

    by sequential quadratic programming on the equivalent problem of minimising :math:`-\frac1m
    \sum_j \log (Ax)_j + \sum_l x_l` over x >= 0, each step by an active-set method. With :math:`d_l
    = \frac1m \sum_j A_{jl} / (Ax)_j`, the largest d less 1 bounds the distance of the objective
    from its maximum; the iteration ends when this bound is small.

    Parameters
    ----------
    densities : ndarray of float
        (m, L), not negative, no row all zero; a row's scale does not matter.

    Returns
    -------
    x : ndarray of float
        (L,) proportions.
    gap : float
        Upper bound on the distance of the mean log density from its maximum.
    n_steps : int
        Number of quadratic programmes solved.
    """
    L = densities.shape[1]
    x = np.full(L, 1 / L)
    for _ in range(_EM_STEPS):
        x = x * _slopes(densities, x)
    for step in range(_MOST_STEPS):
        x = x / x.sum()
        d = _slopes(densities, x)
        gap = float(d.max()) - 1
        if gap <= GAP:
            return x, max(gap, 0.0), step
        x = _stepped(densities, x, d)
    return x / x.sum(), float(_slopes(densities, x / x.sum()).max()) - 1, _MOST_STEPS


def _slopes(A: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray((A / (A @ x)[:, None]).mean(axis=0))


def _stepped(A: FloatArray, x: FloatArray, d: FloatArray) -> FloatArray:
    """Return x after one quadratic programme with a search along its step."""
    scaled = A / (A @ x)[:, None]
    H = scaled.T @ scaled / len(A)
    # around x: gradient 1 - d, Hessian H; the model in y >= 0 has the linear term H x - (1 - d)
    model = BoxProgramme(lambda j: H[j], H @ x - (1 - d), np.inf, 1e-12)
    model.start_from(np.where(x > _SMALL / len(x), x, 0.0))
    model.minimise()
    towards = model.w - x
    slope = float((1 - d) @ towards)
    by_row = scaled @ towards  # of the log density's argument, relative to what it is

    def falls(step: float) -> bool:
        if float((step * by_row).min()) <= -1:
            return False
        change = step * float(towards.sum()) - float(np.log1p(step * by_row).mean())
        return change <= 1e-4 * step * slope

    step = 1.0
    while step > _NO_STEP and not falls(step):
        step /= 2
    return np.asarray(np.maximum(x + step * towards, 0))


RATES: Final = (1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3)
STEPS: Final = 100


def early_stopped(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float, int]:
    """Return (L,) coefficients, the mean log ratio of the target and the number of steps.

    Gradient ascent with the constraints restored after each step; a step size is abandoned at its
    first step that does not improve the objective. If the start gives a target row weight 0, the
    objective is -inf there and no step is taken.

    Parameters
    ----------
    A : ndarray of float
        (m, L) kernels of the target rows.
    b : ndarray of float
        (L,) mean kernels of the source rows.
    """
    alpha = _feasible(np.ones(A.shape[1]), b)
    ratios = A @ alpha
    best, n_steps = _objective(ratios), 0
    if best == -np.inf:
        return alpha, best, 0
    with np.errstate(all="ignore"):  # what leaves the range of numbers improves nothing
        for rate in RATES:
            for _ in range(STEPS):
                new = _feasible(alpha + rate * ((1 / ratios) @ A), b)
                there = A @ new
                found = _objective(there)
                n_steps += 1
                if not found > best:
                    break
                alpha, ratios, best = new, there, found
    return alpha, best, n_steps


def _objective(ratios: FloatArray) -> float:
    return float(np.log(ratios).mean()) if ratios.min() > 0 else -np.inf


def _feasible(alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Return coefficients that are not negative and give the source a mean weight of one."""
    alpha = np.maximum(alpha + (1 - b @ alpha) / (b @ b) * b, 0)
    return np.asarray(alpha / (b @ alpha))


METHOD = Kliep
