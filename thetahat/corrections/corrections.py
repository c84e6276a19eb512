"""Corrections of p-values for the number of comparisons.

A correction turns the p-values of a family into adjusted ones, to be compared with alpha as they
stand. The adjusted value is the smallest alpha at which the procedure rejects that hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from thetahat.corrections.logical_relations import LARGEST_EXHAUSTIVE, bergmann_hommel, shaffer
from thetahat.values.types import Alternative, FloatArray


def _none(ordered: FloatArray) -> FloatArray:
    return ordered


def _bonferroni(ordered: FloatArray) -> FloatArray:
    return ordered * len(ordered)


def _holm(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.asarray(np.maximum.accumulate(ordered * (m - np.arange(m))))


def _hochberg(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.asarray(np.minimum.accumulate((ordered * (m - np.arange(m)))[::-1])[::-1])


def _benjamini_hochberg(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.asarray(np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1])


def _finner(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    with np.errstate(divide="ignore"):  # p = 1 has the logarithm of 0, and is 1 again
        single = np.log1p(-ordered)
    return np.asarray(np.maximum.accumulate(-np.expm1(single * (m / np.arange(1, m + 1)))))


STEPWISE: Final[Mapping[str, Callable[[FloatArray], FloatArray]]] = MappingProxyType(
    {
        "holm": _holm,
        "hochberg": _hochberg,
        "benjamini_hochberg": _benjamini_hochberg,
        "finner": _finner,
        "bonferroni": _bonferroni,
        "none": _none,
    }
)
"""Adjusted p-values of ascending p-values, before they are cut at 1."""

LOGICAL: Final = ("shaffer", "bergmann_hommel")
"""Those that know which equalities can be true together: for all pairs, two-sided."""

CORRECTIONS: Final = (*STEPWISE, *LOGICAL)


def refusal(
    correction: str, n_models: int, control: str | None, alternative: Alternative
) -> str | None:
    """Say why a correction does not fit that many models and what is asked of them, or None."""
    if correction not in LOGICAL:
        return None
    if control is not None:
        return (
            f"{correction} is for all pairs, and a control is named; with a control take holm or "
            "hochberg"
        )
    if alternative is not Alternative.TWO_SIDED:
        return (
            f"{correction} rests on which equalities can be true together, and the alternative is "
            f"{alternative.value}; take holm or hochberg"
        )
    if correction == "bergmann_hommel" and n_models > LARGEST_EXHAUSTIVE:
        return (
            f"bergmann_hommel is for at most {LARGEST_EXHAUSTIVE} models, and there are "
            f"{n_models}; take shaffer"
        )
    return None


def for_bounds(correction: str) -> str:
    """Return the correction of statements about a margin: holm for one that is for equalities."""
    return "holm" if correction in LOGICAL else correction


def adjust(p_values: Sequence[float | None], correction: str) -> list[float | None]:
    r"""Return the adjusted p-values of one family, in the order given.

    .. math::
        \text{holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
        \text{hochberg: } \min_{j \ge i} (m - j + 1) p_{(j)}, \quad
        \text{benjamini\_hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}, \quad
        \text{finner: } \max_{j \le i} 1 - (1 - p_{(j)})^{m/j}

    cut at 1; m counts the p-values that there are. ``shaffer`` and ``bergmann_hommel`` are in
    ``logical_relations``. ``holm``, ``bonferroni``, ``shaffer`` and ``bergmann_hommel`` bound the
    chance of any false rejection under every dependence; ``hochberg`` does so where the tests are
    positively dependent; ``benjamini_hochberg`` bounds the share of false rejections, under the
    same. ``finner``, as the literature on comparing learners has it, bounds the chance of any
    false rejection only where all hypotheses are true: its later steps are those of
    ``benjamini_hochberg``, and where many models differ it rejects true hypotheses more often
    than alpha.

    Source: holm1979, hochberg1988, benjamini1995, finner1993, shaffer1986, bergmann1988.

    Parameters
    ----------
    p_values : sequence of float or None
        None where a pair has none; it stays None and does not count. For ``shaffer`` and
        ``bergmann_hommel`` all pairs i < j of some models, in that order.
    correction : str
        One of ``CORRECTIONS``.

    Raises
    ------
    InvalidParameter
        Pairs that are not all pairs of some models, or too many, for one that needs them.
    """
    known = [i for i, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    if not known:
        return adjusted
    if correction == "bergmann_hommel":
        given = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
        found = bergmann_hommel(given)[known]
    else:
        given = np.array([p_values[i] for i in known], dtype=np.float64)
        order = np.argsort(given, kind="stable")
        found = np.empty(len(known))
        if correction == "shaffer":
            found[order] = shaffer(given[order], len(p_values))
        else:
            found[order] = STEPWISE[correction](given[order])
    for i, value in zip(known, np.minimum(found, 1.0).tolist(), strict=True):
        adjusted[i] = value
    return adjusted
