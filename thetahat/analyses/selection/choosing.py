"""Which candidate the internal estimates choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.selection.internal import InternalEstimate
from thetahat.errors import InvalidParameter

RULES: Final = ("least", "one_standard_error")
"""How a candidate is chosen."""
_ROUNDING: Final = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen candidate.

    Parameters
    ----------
    name : str
        The chosen one.
    least : str
        The one with the least internal error; another one only under ``one_standard_error``.
    tied : tuple of str
        Those with the same internal error as ``least``, but for rounding, that come after it.
    """

    name: str
    least: str
    tied: tuple[str, ...] = ()


def choose(
    estimates: Mapping[str, InternalEstimate],
    rule: str = "least",
    *,
    higher_is_better: bool = False,
) -> Choice:
    r"""Return the candidate that the rule chooses; of equal ones the first in order.

    ``least``: :math:`\arg\min_i \hat R_i`. ``one_standard_error``: the first, in the order of the
    request, whose internal error is at most :math:`\hat R_{\min} + s_{\min}`; it is for
    candidates listed from the simplest on. Where higher is better the largest stands for the least.

    Parameters
    ----------
    estimates : mapping of str to InternalEstimate
        In the request's order.
    rule : str
        One of ``RULES``.

    Assumptions: errors that differ by less than rounding of their sums are equal.

    Source: breiman1984 (one standard error); stone1974 (the least).

    Degenerate cases: where the error of the least has no standard error, the least is chosen.
    """
    if rule not in RULES:
        raise InvalidParameter(
            f"rule must be one of {', '.join(RULES)}, and is {rule!r}", loc=("rule",), value=rule
        )
    sign = -1.0 if higher_is_better else 1.0
    means = {name: sign * estimate.mean for name, estimate in estimates.items()}
    smallest = min(means.values())
    slack = _ROUNDING * max(abs(mean) for mean in means.values())
    least, *tied = [name for name, mean in means.items() if mean <= smallest + slack]
    chosen = least
    if rule == "one_standard_error":
        reach = means[least] + (estimates[least].standard_error or 0.0) + slack
        chosen = next(name for name, mean in means.items() if mean <= reach)
    return Choice(name=chosen, least=least, tied=tuple(tied))
