"""How often each of three components of a Dirichlet variable is the largest, without simulation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from thetahat.paired_tests._posteriors import Shares

_NODES = 1001
_NEGLIGIBLE = 1e-20  # of a component's mass, left out at each end


@lru_cache(maxsize=1024)  # counts of a few blocks recur from pair to pair
def shares_of_largest(weights: tuple[float, float, float]) -> Shares:
    r"""Return P(theta_i is the largest) for theta ~ Dirichlet(weights) of three components.

    A Dirichlet variable is three gamma variables over their sum, so

    .. math:: P_i = \int_0^\infty f_{a_i}(x) \prod_{j \ne i} F_{a_j}(x)\, dx

    with f and F the density and distribution function of the gamma variables. In log x the
    integrand is smooth and falls off fast at both ends, where the trapezium rule loses nothing;
    a component of weight 0 is 0 and never the largest.
    """
    known = [(i, a) for i, a in enumerate(weights) if a > 0]
    shares = [0.0, 0.0, 0.0]
    if len(known) == 1:
        shares[known[0][0]] = 1.0
    elif len(known) == 2:
        (i, a), (j, b) = known
        shares[i], shares[j] = float(special.betaincc(a, b, 0.5)), float(special.betainc(a, b, 0.5))
    else:
        for i, a in known:
            others = [b for j, b in known if j != i]
            shares[i] = _share(a, others[0], others[1])
        total = sum(shares)
        shares = [share / total for share in shares]
    return shares[0], shares[1], shares[2]


def _share(a: float, b: float, c: float) -> float:
    lowest = max(float(special.gammaincinv(x, _NEGLIGIBLE)) for x in (a, b, c))
    highest = float(special.gammainccinv(a, _NEGLIGIBLE))
    if lowest >= highest:
        return 0.0
    t, step = np.linspace(np.log(lowest), np.log(highest), _NODES, retstep=True)
    x = np.exp(t)
    density = np.exp(special.xlogy(a, x) - x - special.gammaln(a))
    return float(step * np.sum(density * special.gammainc(b, x) * special.gammainc(c, x)))
