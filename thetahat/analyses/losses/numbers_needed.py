"""For how many units there is one error fewer with the better of two models."""

from __future__ import annotations

import math

from thetahat.analyses.losses.optional_results import NumberNeeded
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.number_text import format_count, format_percent


def compute_number_needed(
    losses: PairedLosses,
    names: tuple[str, str],
    difference: float,
    ends: tuple[float | None, float | None],
    level: float | None,
) -> NumberNeeded:
    """Return 1 over the difference of two error rates, with the ends of its interval.

    Where the difference may be 0 the numbers have two parts: from ``lower`` to infinity for one
    error fewer with the better model, and from ``lower_reverse`` to infinity for one error more.

    Source: altman1998.

    Degenerate cases: equal rates have no number, but the parts of the interval; values other than 0
    and 1 have neither.
    """
    if not (losses.a.are_zero_one and losses.b.are_zero_one):
        return _refuse(
            f"The {losses.a.layout.words.values} are not all 0 or 1 by instance, so there is no "
            "number of instances for one error fewer."
        )
    a_is_better = difference > 0 if losses.higher_is_better else difference < 0
    better = None if difference == 0 else names[0] if a_is_better else names[1]
    sign = -1.0 if difference < 0 else 1.0
    first, last = ends
    is_known = level is not None and first is not None and last is not None
    low, high = -math.inf, math.inf
    if is_known and first is not None and last is not None:
        low, high = sorted((sign * first, sign * last))
    excludes_zero = is_known and low > 0
    lower = 1 / high if is_known and high > 0 else None
    upper = 1 / low if excludes_zero else None
    reverse = -1 / low if is_known and low < 0 else None
    estimate = None if difference == 0 else 1 / abs(difference)
    return NumberNeeded(
        better=better,
        estimate=estimate,
        lower=lower,
        upper=upper,
        lower_reverse=reverse,
        level=level if is_known else None,
        sentence=_write(names, better, estimate, (lower, upper, reverse), level),
    )


def _refuse(sentence: str) -> NumberNeeded:
    return NumberNeeded(
        better=None,
        estimate=None,
        lower=None,
        upper=None,
        lower_reverse=None,
        level=None,
        sentence=sentence,
    )


def _write(
    names: tuple[str, str],
    better: str | None,
    estimate: float | None,
    ends: tuple[float | None, float | None, float | None],
    level: float | None,
) -> str:
    lower, upper, reverse = ends
    if better is None or estimate is None:
        return "Both models have as many errors, so there is no number of instances for one fewer."
    other = names[1] if better == names[0] else names[0]
    start = f"{better} makes one error fewer than {other} for every {_word(estimate)} instances"
    if lower is None or level is None:
        return f"{start}."
    share = format_percent(level)
    if upper is not None:
        return f"{start} ({share} interval: {_word(lower)} to {_word(upper)})."
    more = "" if reverse is None else f", or one error more for every {_word(reverse)} or more"
    return (
        f"{start}; but the data do not show that it makes fewer. The {share} interval has one "
        f"fewer for every {_word(lower)} or more{more}."
    )


def _word(number: float) -> str:
    return format_count(round(number)) if number >= 9.95 else f"{number:.2g}"
