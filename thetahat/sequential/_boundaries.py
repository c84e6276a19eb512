"""Boundaries of a test at several planned looks, by recursive numerical integration.

The standardised sums of the looks are jointly normal, with independent increments. The density of
the sum of those paths that have not crossed an earlier boundary is carried from look to look on the
nodes of a Gauss-Legendre rule (Armitage, McPherson and Rowe; Jennison and Turnbull, chapter 19).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import scipy

from thetahat import special_functions as special
from thetahat.values.types import FloatArray

FARTHEST: Final = 12.0
"""Standard deviations beyond which no path is followed: a probability of 1e-33."""
NODES_PER_STEP: Final = 6
"""Nodes in the width of the increment between two looks."""
FEWEST_NODES: Final = 64
MOST_NODES: Final = 4000
LEAST_SPENT: Final = 1e-300


@lru_cache(maxsize=64)
def _find_rule(n_nodes: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return nodes, weights


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths that have crossed no boundary so far: nodes, and the probability at each."""

    information: float
    nodes: FloatArray
    masses: FloatArray

    def find_crossing(self, information: float, critical: float, *, two_sided: bool) -> float:
        """Return the probability that they cross a boundary at the next look."""
        step = math.sqrt(information - self.information)
        bound = critical * math.sqrt(information)
        crossing = special.ndtr((self.nodes - bound) / step)
        if two_sided:
            crossing = crossing + special.ndtr((-bound - self.nodes) / step)
        return float(self.masses @ crossing)

    def carry(self, information: float, critical: float, *, two_sided: bool) -> _Paths:
        """Return the paths that do not cross the boundary of the next look."""
        step = math.sqrt(information - self.information)
        scale = math.sqrt(information)
        upper = min(critical, FARTHEST) * scale
        lower = -upper if two_sided else -FARTHEST * scale
        width = upper - lower
        wanted = math.ceil(width / step * NODES_PER_STEP)
        n_nodes = 32 * math.ceil(min(max(wanted, FEWEST_NODES), MOST_NODES) / 32)
        rule, weights = _find_rule(n_nodes)
        nodes = lower + width * (rule + 1) / 2
        gaps = (nodes[:, None] - self.nodes[None, :]) / step
        density = np.exp(-0.5 * gaps * gaps) @ self.masses / (step * math.sqrt(2 * math.pi))
        return _Paths(information, nodes, density * weights * width / 2)


_AT_ZERO: Final = _Paths(0.0, np.zeros(1), np.ones(1))


def find_boundaries(
    information: Sequence[float], spent: Sequence[float], *, two_sided: bool
) -> list[float]:
    """Return the critical values of looks at which the error is spent as given.

    Parameters
    ----------
    information : sequence of float
        Information at each look, ascending; only ratios matter.
    spent : sequence of float
        The probability of an error at this look or an earlier one, ascending.
    two_sided : bool
        Whether ``|Z|`` is compared with the critical value, else ``Z``.
    """
    paths, before, found = _AT_ZERO, 0.0, []
    for amount, total in zip(information, spent, strict=True):
        critical = _solve(paths, amount, max(total - before, LEAST_SPENT), two_sided=two_sided)
        found.append(critical)
        paths = paths.carry(amount, critical, two_sided=two_sided)
        before = total
    return found


def find_spent(
    information: Sequence[float], boundaries: Sequence[float], *, two_sided: bool
) -> list[float]:
    """Return the probability of an error at each look or an earlier one."""
    paths, total, found = _AT_ZERO, 0.0, []
    for amount, critical in zip(information, boundaries, strict=True):
        total += paths.find_crossing(amount, critical, two_sided=two_sided)
        found.append(total)
        paths = paths.carry(amount, critical, two_sided=two_sided)
    return found


def find_equal_boundaries(
    n_looks: int, alpha: float, *, two_sided: bool, is_pocock: bool
) -> list[float]:
    """Return the classical boundaries of equally spaced looks.

    Pocock's are the same at each look; those of O'Brien and Fleming fall with the square root of
    the information.
    """
    information = [(k + 1) / n_looks for k in range(n_looks)]
    shape = [1.0 if is_pocock else 1 / math.sqrt(share) for share in information]

    def exceed(constant: float) -> float:
        bounds = [constant * factor for factor in shape]
        return find_spent(information, bounds, two_sided=two_sided)[-1] - alpha

    constant = scipy.optimize.brentq(exceed, 1e-3, FARTHEST, xtol=1e-12)
    return [constant * factor for factor in shape]


def _solve(paths: _Paths, information: float, crossing: float, *, two_sided: bool) -> float:
    """Return the critical value that so much of the probability crosses."""

    def exceed(critical: float) -> float:
        found = paths.find_crossing(information, critical, two_sided=two_sided)
        return math.log(max(found, LEAST_SPENT)) - math.log(crossing)

    if exceed(0.0) <= 0:
        return 0.0
    if exceed(FARTHEST) >= 0:
        return FARTHEST
    return float(scipy.optimize.brentq(exceed, 0.0, FARTHEST, xtol=1e-12))


def spend_obrien_fleming(share: float, alpha: float) -> float:
    """Return the error that the O'Brien-Fleming type function spends up to a share."""
    if share >= 1:
        return alpha
    return float(2 * special.ndtr(special.ndtri(alpha / 2) / math.sqrt(share)))


def spend_pocock(share: float, alpha: float) -> float:
    """Return the error that the Pocock type function spends up to a share."""
    return alpha if share >= 1 else alpha * math.log1p((math.e - 1) * share)
