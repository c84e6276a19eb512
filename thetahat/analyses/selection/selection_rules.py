"""The choice of a candidate by internal estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.errors import InvalidParameter

SelectionRule: TypeAlias = Literal["least", "one_standard_error"]
"""How a candidate is chosen."""
RULES: Final[tuple[SelectionRule, ...]] = get_args(SelectionRule)
_ROUNDING: Final = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen candidate."""

    name: str
    """Name of the chosen candidate."""
    least: str
    """Name of the candidate with the least internal error; another one only under
    ``one_standard_error``."""
    tied: tuple[str, ...] = ()
    """Later candidates with the same internal error as ``least``, but for rounding."""


def choose(
    estimates: Mapping[str, InternalEstimate],
    rule: SelectionRule = "least",
    *,
    higher_is_better: bool = False,
) -> Choice:
    r"""Return the candidate that the rule chooses; of equal candidates the first.

    ``least``: :math:`\arg\min_i \hat R_i`. ``one_standard_error``: the first, in the order of the
    request, whose internal error is at most :math:`\hat R_{\min} + s_{\min}`; it needs
    candidates in order from the simplest on. If higher is better, signs are reversed.

    Parameters
    ----------
    estimates : mapping of str to InternalEstimate
        In the request's order.
    rule : str
        One of ``RULES``.

    Assumptions: errors that differ by no more than the rounding of their sums are equal.

    Source: breiman1984 (one standard error); stone1974 (the least).

    Degenerate cases: if the least error has no standard error, its candidate is chosen.
    """
    if rule not in RULES:
        raise InvalidParameter(
            f"The rule {rule!r} is not one of {', '.join(RULES)}.", loc=("rule",), value=rule
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
