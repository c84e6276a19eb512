"""Post-hoc comparisons of pairs after a test of all models, and groups of tied models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from thetahat import special_functions as special
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.result import (
    CriticalDifferenceDiagram,
    OmnibusResult,
    PostHocOmnibusResult,
    PostHocPair,
)
from thetahat.corrections import CORRECTIONS, DEFAULT_CORRECTION, adjust
from thetahat.multiple_tests.base import PostHocScores
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPairs:
    """All pairs of models, or all models against the control.

    Parameters
    ----------
    names : tuple of str
        (k,) models.
    a, b : ndarray of int
        (m,) models of each pair, in the order of the comparisons.
    z : ndarray of float or None
        (m,) difference of scores over its error; None where nothing tells the models apart.
    p_values, adjusted : ndarray of float
        (m,) two-sided, before and after the correction.
    """

    names: tuple[str, ...]
    a: IntArray
    b: IntArray
    z: FloatArray | None
    p_values: FloatArray
    adjusted: FloatArray

    @property
    def _z(self) -> tuple[float | None, ...]:
        return (None,) * len(self.a) if self.z is None else tuple(self.z.tolist())

    def list_pairs(self) -> tuple[PostHocPair, ...]:
        """Return one record for each pair."""
        columns = (self.a, self.b, self.p_values, self.adjusted)
        rows = zip(self._z, *(column.tolist() for column in columns), strict=True)
        return tuple(
            PostHocPair(
                a=self.names[a], b=self.names[b], z=z, p_value=p, p_value_adjusted=p_adjusted
            )
            for z, a, b, p, p_adjusted in rows
        )

    def mark_differences(self, alpha: float) -> np.ndarray:
        """Return (k, k) whether two models differ; false if they are not compared."""
        k = len(self.names)
        differ = np.zeros((k, k), dtype=np.bool_)
        differ[self.a, self.b] = differ[self.b, self.a] = self.adjusted < alpha
        return differ


def compare_pairs(
    post_hoc: PostHocScores, names: tuple[str, ...], choices: Choices
) -> ComparedPairs:
    """Compare all pairs, or each model with the control as b, by the normal distribution.

    The alternative is two-sided, whatever the request's.
    """
    scores, k = np.array(post_hoc.scores), len(names)
    if choices.control is None:
        a, b = np.triu_indices(k, 1)
    else:
        last = names.index(choices.control)
        a = np.delete(np.arange(k), last)
        b = np.full(k - 1, last)
    z, p_values = None, np.ones(len(a))
    if post_hoc.standard_error > 0:
        z = (scores[a] - scores[b]) / post_hoc.standard_error
        p_values = 2 * special.ndtr(-np.abs(z))
    adjusted = np.array(adjust(p_values.tolist(), _choose_correction(choices)), dtype=np.float64)
    return ComparedPairs(names, a, b, z, p_values, adjusted)


def build_post_hoc_result(
    result: OmnibusResult, post_hoc: PostHocScores, names: tuple[str, ...], choices: Choices
) -> PostHocOmnibusResult:
    """Return the result of one test with its ``pairs``, ``tied`` and ``diagram``.

    ``tied`` holds one group: the model with the best score, or the control, and those that do not
    differ from it. ``diagram`` has what a critical difference diagram draws: the scores, the
    smallest difference of two scores that is significant, and the groups of neighbours of which no
    two differ. Only ``bonferroni`` (against a control: Bonferroni-Dunn) and ``none`` have such a
    smallest difference.
    """
    compared = compare_pairs(post_hoc, names, choices)
    scores, alpha = np.array(post_hoc.scores), choices.alpha
    differ = compared.mark_differences(alpha)
    order = np.argsort(scores, kind="stable")
    ordered = [names[i] for i in order]
    reference = int(order[0]) if choices.control is None else names.index(choices.control)
    tied = tuple(names[i] for i in order if not differ[reference, i])
    groups = [tied] if choices.control else find_groups(differ[np.ix_(order, order)], ordered)
    return PostHocOmnibusResult(
        **{field.name: getattr(result, field.name) for field in fields(result)},
        pairs=compared.list_pairs(),
        alpha=alpha,
        correction=_choose_correction(choices),
        tied_with=names[reference],
        tied=(tied,),
        diagram=CriticalDifferenceDiagram(
            score=post_hoc.name,
            values=dict(zip(names, post_hoc.scores, strict=True)),
            alpha=alpha,
            critical_difference=_compute_critical_difference(post_hoc, choices, len(compared.a)),
            groups=tuple(tuple(group) for group in groups),
        ),
    )


def find_groups(differ: np.ndarray, names: list[str]) -> Sequence[Sequence[str]]:
    """Return the largest runs of neighbouring models that do not differ, the best model's first.

    ``differ`` is (k, k) in the order of the names, best score first.
    """
    groups: list[list[str]] = []
    reached = 0
    for start in range(len(names)):
        end = max(start + 1, reached)
        while end < len(names) and not differ[start : end + 1, end].any():
            end += 1
        if end > reached:  # otherwise the previous run contains it
            groups.append(names[start:end])
            reached = end
    return groups


def _choose_correction(choices: Choices) -> str:
    """Return the request's correction; scores do not have the joint distribution of mean losses."""
    named = choices.correction
    if named is None or CORRECTIONS[named].info.correction.uses_joint_distribution:
        return DEFAULT_CORRECTION
    return named


def _compute_critical_difference(
    post_hoc: PostHocScores, choices: Choices, n_pairs: int
) -> float | None:
    traits = CORRECTIONS[_choose_correction(choices)].info.correction
    if not traits.is_single_step or post_hoc.standard_error == 0:
        return None
    n_tests = n_pairs if traits.corrects else 1
    return float(-special.ndtri(choices.alpha / (2 * n_tests))) * post_hoc.standard_error
