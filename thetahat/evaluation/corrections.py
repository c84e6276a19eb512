"""Corrections of p-values for the number of comparisons.

A correction turns the p-values of a family into adjusted ones, to be compared with alpha as they
stand. The adjusted value is the smallest alpha at which the procedure rejects that hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from thetahat.types import FloatArray


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


CORRECTIONS: Final[Mapping[str, Callable[[FloatArray], FloatArray]]] = MappingProxyType(
    {
        "holm": _holm,
        "hochberg": _hochberg,
        "benjamini_hochberg": _benjamini_hochberg,
        "bonferroni": _bonferroni,
        "none": _none,
    }
)
"""Adjusted p-values of ascending p-values, before they are cut at 1."""


def adjust(p_values: Sequence[float | None], correction: str) -> list[float | None]:
    r"""Return the adjusted p-values of one family, in the order given.

    .. math::
        \text{holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
        \text{hochberg: } \min_{j \ge i} (m - j + 1) p_{(j)}, \quad
        \text{benjamini\_hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    cut at 1; m counts the p-values that there are. ``holm`` and ``bonferroni`` bound the chance of
    any false rejection under every dependence; ``hochberg`` does so where the tests are positively
    dependent; ``benjamini_hochberg`` bounds the share of false rejections, under the same.

    Source: holm1979, hochberg1988, benjamini1995.

    Parameters
    ----------
    p_values : sequence of float or None
        None where a pair has none; it stays None and does not count.
    correction : str
        A key of ``CORRECTIONS``.
    """
    known = [i for i, p in enumerate(p_values) if p is not None]
    given = np.array([p_values[i] for i in known], dtype=np.float64)
    order = np.argsort(given, kind="stable")
    adjusted: list[float | None] = [None] * len(p_values)
    if known:
        values = np.minimum(CORRECTIONS[correction](given[order]), 1.0)
        for position, value in zip(order.tolist(), values.tolist(), strict=True):
            adjusted[known[position]] = value
    return adjusted
