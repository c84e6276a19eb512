"""The parts that a result has only where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from thetahat.errors import InvalidParameter
from thetahat.similar_names import suggest_name


class ResultPart(StrEnum):
    """A part of a result that is computed and written only where ``include`` names it."""

    BLOCKS = "blocks"
    """The mean of each block and split, and the labels of the blocks."""
    COVARIANCE = "covariance"
    """The second moments of the block means."""
    EFFECT_SIZES = "effect_sizes"
    """Each difference beside the spread of the paired differences."""
    GROUP_GAPS = "group_gaps"
    """The gaps of all pairs of groups, and of each group from all rows, beside the largest gap."""
    INTERVALS = "intervals"
    """Every interval, beside the recommended ones."""
    NUMBER_NEEDED = "number_needed"
    """The number of units for one error fewer, of losses of 0 and 1."""
    OMNIBUS = "omnibus"
    """The tests of all models at once, with their comparisons of pairs."""
    RELATIVE = "relative"
    """The ratio of the means of each pair, such as 12 % fewer errors."""
    SCORE_CURVES = "score_curves"
    """The curves of scores of two classes."""
    TESTS = "tests"
    """The paired tests of each pair."""
    VARIANCES = "variances"
    """Every estimated variance."""
    WINS = "wins"
    """The number of units on which each model of a pair is better, with the share of wins."""


PAIR_ADDITIONS: Final = (ResultPart.NUMBER_NEEDED, ResultPart.RELATIVE, ResultPart.WINS)
"""The parts that are computed from finished comparisons."""

ALL: Final = "all"
"""The word for every part."""

Include: TypeAlias = "Iterable[ResultPart | str] | Literal['all']"
"""Names of parts, or the word for all of them."""


def read_parts(include: Include) -> tuple[ResultPart, ...]:
    """Return the parts that are named, each once, in alphabetical order.

    Raises ``InvalidParameter`` for a name that no part has.
    """
    if include == ALL:
        return tuple(ResultPart)
    names = [include] if isinstance(include, str) else list(include)
    if ALL in names:
        return tuple(ResultPart)
    known = [*(part.value for part in ResultPart), ALL]
    for place, name in enumerate(names):
        if name not in known:
            raise InvalidParameter(
                f"A result has no part {name!r}{suggest_name(str(name), known)}. Include one or "
                f"more of {', '.join(ResultPart)}, or {ALL}.",
                loc=("include", place),
                value=str(name),
            )
    return tuple(part for part in ResultPart if part in names)
