"""Numbers of the record that were moved, or changed, on purpose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Moved:
    """The number stands elsewhere now, and is the same.

    Parameters
    ----------
    to : str
        The new path after the request's name; ``\\1`` and so on are the groups of the pattern.
    """

    to: str


@dataclass(frozen=True)
class Changed:
    """The number is another one, or is no longer there, and is not compared.

    Parameters
    ----------
    reason : str
        A sentence that says why the number of the record is not right.
    """

    reason: str


_A_MINUS_B: Final = Changed(
    "A difference is a minus b also of scores where higher is better; it was b minus a."
)
_SCORES: Final = r"losses_split_scores_random/comparisons/\d+"

MOVED: Final[Mapping[str, Moved | Changed]] = {
    rf"{_SCORES}/(cautions/difference_in_loss_units|difference|difference_pooled)": _A_MINUS_B,
    rf"{_SCORES}/effect_size/(value|hedges_g|rank_biserial)": _A_MINUS_B,
    rf"{_SCORES}/(interval|intervals/\d+)/(estimate|lower|upper)": _A_MINUS_B,
    rf"{_SCORES}/variances/[^/]+/estimate": _A_MINUS_B,
    rf"{_SCORES}/tests/bayesian_[a-z_]+": _A_MINUS_B,
    rf"{_SCORES}/tests/[a-z_]+/statistic": _A_MINUS_B,
    rf"{_SCORES}/verdict/plan/assumed_difference": _A_MINUS_B,
}
"""By a regular expression for the beginning of ``REQUEST/PATH``, such as
``losses_.*/models/[^/]+/mean``. What follows it in the path stays as it is."""


def moved_to(request: str, path: str, moved: Mapping[str, Moved | Changed]) -> str | None:
    """Return where a recorded number is to be looked for now; None where it is not compared.

    A pattern matches whole parts of a path. The first that matches counts.
    """
    whole = f"{request}/{path}"
    for pattern, change in moved.items():
        found = re.match(f"(?:{pattern})(?=/|$)", whole)
        if found is None:
            continue
        if isinstance(change, Changed):
            return None
        return found.expand(change.to) + whole[found.end() :]
    return path
