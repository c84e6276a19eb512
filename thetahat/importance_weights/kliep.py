"""Weights of least Kullback-Leibler divergence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np
import scipy

from thetahat.cautions import EARLY_STOPPED, NOT_OPTIMAL, Caution
from thetahat.errors import InsufficientData
from thetahat.importance_weights._kernels import (
    check_width,
    compute_log_kernel,
    compute_width,
    draw_centres,
)
from thetahat.importance_weights._width_search import SEARCH, WidthChoice, search_by_likelihood
from thetahat.importance_weights.base import ImportanceWeights, Samples, check_some_positive
from thetahat.numerics.quadratic_programme import BoxProgramme
from thetahat.parameter_checks import check_at_least, check_choice, check_range
from thetahat.registry import MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray

_MIN_KERNEL: Final = 1e-290
"""Smallest usable kernel: smaller numbers have few digits, and no finite reciprocal."""


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
    width: float | WidthChoice = "neighbours"

    info: ClassVar[MethodInfo] = MethodInfo(
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
        check_choice("mode", self.mode, ("optimum", "early_stopped"))
        check_at_least("n_centres", self.n_centres, 1)
        check_range("n_centres", self.n_centres, 1, 10_000)
        check_width(self.width, SEARCH)

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Maximise the likelihood; ``rng`` draws the centres."""
        solve = _stop_early if self.mode == "early_stopped" else _solve_optimum
        search_details: dict[str, JsonValue] = {}
        if self.width == SEARCH:
            centres = draw_centres(samples, self.n_centres, rng)
            search = search_by_likelihood(samples, centres, lambda x, z: solve(x, z)[2], rng)
            width, search_details = search.width, search.build_details()
        else:
            width = compute_width(self.width, samples, rng)
            centres = draw_centres(samples, self.n_centres, rng)
        source_logs = compute_log_kernel(samples.source, centres, width)
        target_logs = compute_log_kernel(samples.target, centres, width)
        values, target_values, logs, details = solve(source_logs, target_logs)

        def weigh(rows: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):
                return np.exp(
                    scipy.special.logsumexp(compute_log_kernel(rows, centres, width) + logs, axis=1)
                )

        return ImportanceWeights(
            values=check_some_positive(values),
            target_values=target_values if np.isfinite(target_values).all() else None,
            details={
                "mode": self.mode,
                "width": width,
                "n_centres": len(centres),
                **details,
                **search_details,
            },
            cautions=tuple(_list_cautions(details)),
            weight_function=weigh,
        )


_Solution = tuple[FloatArray, FloatArray, FloatArray, dict[str, float | int]]
"""Weights of the source and target rows, (L,) logarithms of the coefficients, details."""


def _solve_optimum(source_logs: FloatArray, target_logs: FloatArray) -> _Solution:
    # a kernel divided by its mean over the source is a density ratio with mean one
    means = scipy.special.logsumexp(source_logs, axis=0) - np.log(len(source_logs))
    unit_source, unit_target = source_logs - means, target_logs - means
    top = unit_target.max(axis=1)
    x, gap, n_steps = find_best_proportions(np.exp(unit_target - top[:, None]))
    kept = x > 0
    logs = np.log(x[kept])
    target_values = scipy.special.logsumexp(unit_target[:, kept] + logs, axis=1)
    with np.errstate(over="ignore"):
        values, ratios = np.exp(unit_source[:, kept]) @ x[kept], np.exp(target_values)
    coefficients = np.full(len(x), -np.inf)
    coefficients[kept] = logs - means[kept]
    details = {"objective": float(target_values.mean()), "gap": gap, "n_steps": n_steps}
    return values, ratios, coefficients, details


def _stop_early(source_logs: FloatArray, target_logs: FloatArray) -> _Solution:
    A, K = np.exp(target_logs), np.exp(source_logs)
    # Every target row and at least one source row need a kernel that is not too small.
    if not min(float(A.max(axis=1).min()), float(K.max())) > _MIN_KERNEL:
        raise InsufficientData(
            "width is too small: the kernels of every centre vanish at a target row, or at all "
            "source rows. Give a larger width or more centres, or use the mode optimum.",
            loc=("width",),
        )
    alpha, objective, n_steps = _ascend(A, K.mean(axis=0))
    if objective == -np.inf:
        raise InsufficientData(
            "width is too small: the algorithm starts with weight 0 for a target row and cannot "
            "continue. Give a larger width, or use the mode optimum.",
            loc=("width",),
        )
    coefficients = np.full(len(alpha), -np.inf)
    coefficients[alpha > 0] = np.log(alpha[alpha > 0])
    return K @ alpha, A @ alpha, coefficients, {"objective": objective, "n_steps": n_steps}


def _list_cautions(details: dict[str, float | int]) -> Iterator[Caution]:
    if "gap" not in details:
        yield EARLY_STOPPED()
    elif details["gap"] > 10 * MAX_GAP:
        gap = f"{details['gap']:.2g}"
        yield NOT_OPTIMAL(details=f"the mean log ratio may be up to {gap} below its maximum")


MAX_GAP: Final = 1e-9
"""Largest distance of the mean log likelihood from its maximum."""
_MAX_STEPS: Final = 200
_EM_STEPS: Final = 5
_SMALL_PROPORTION: Final = 0.01
"""Share of the equal proportion 1 / L below which a step starts from 0."""
_MIN_STEP: Final = 1e-15


def find_best_proportions(densities: FloatArray) -> tuple[FloatArray, float, int]:
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
        x = x * _compute_slopes(densities, x)
    for step in range(_MAX_STEPS):
        x = x / x.sum()
        d = _compute_slopes(densities, x)
        gap = float(d.max()) - 1
        if gap <= MAX_GAP:
            return x, max(gap, 0.0), step
        x = _take_step(densities, x, d)
    return x / x.sum(), float(_compute_slopes(densities, x / x.sum()).max()) - 1, _MAX_STEPS


def _compute_slopes(A: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray((A / (A @ x)[:, None]).mean(axis=0))


def _take_step(A: FloatArray, x: FloatArray, d: FloatArray) -> FloatArray:
    """Return x after one quadratic programme with a search along its step."""
    scaled = A / (A @ x)[:, None]
    H = scaled.T @ scaled / len(A)
    # gradient 1 - d and Hessian H at x: the quadratic model in y >= 0 has the linear term
    # H x - (1 - d)
    model = BoxProgramme(lambda j: H[j], H @ x - (1 - d), np.inf, 1e-12)
    model.start_from(np.where(x > _SMALL_PROPORTION / len(x), x, 0.0))
    model.minimise()
    direction = model.w - x
    slope = float((1 - d) @ direction)
    relative_changes = scaled @ direction  # of the arguments of the logarithms

    def decreases(step: float) -> bool:
        if float((step * relative_changes).min()) <= -1:
            return False
        change = step * float(direction.sum()) - float(np.log1p(step * relative_changes).mean())
        return change <= 1e-4 * step * slope

    step = 1.0
    while step > _MIN_STEP and not decreases(step):
        step /= 2
    return np.asarray(np.maximum(x + step * direction, 0))


_STEP_SIZES: Final = (1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3)
_MAX_STEPS_PER_SIZE: Final = 100


def _ascend(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float, int]:
    """Return (L,) coefficients, the mean log ratio of the target and the number of steps.

    Gradient ascent with the constraints restored after each step; a step size is abandoned at its
    first step that does not improve the objective. If the start gives a target row weight 0, the
    objective is -inf there and no step is taken. ``A`` are the (m, L) kernels of the target rows,
    and ``b`` the (L,) mean kernels of the source rows.
    """
    alpha = _project(np.ones(A.shape[1]), b)
    ratios = A @ alpha
    best, n_steps = _compute_objective(ratios), 0
    if best == -np.inf:
        return alpha, best, 0
    with np.errstate(all="ignore"):  # an overflow is no improvement
        for rate in _STEP_SIZES:
            for _ in range(_MAX_STEPS_PER_SIZE):
                new = _project(alpha + rate * ((1 / ratios) @ A), b)
                new_ratios = A @ new
                objective = _compute_objective(new_ratios)
                n_steps += 1
                if not objective > best:
                    break
                alpha, ratios, best = new, new_ratios, objective
    return alpha, best, n_steps


def _compute_objective(ratios: FloatArray) -> float:
    return float(np.log(ratios).mean()) if ratios.min() > 0 else -np.inf


def _project(alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Return non-negative coefficients with a mean weight of one over the source."""
    alpha = np.maximum(alpha + (1 - b @ alpha) / (b @ b) * b, 0)
    return np.asarray(alpha / (b @ alpha))
