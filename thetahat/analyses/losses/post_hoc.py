"""Post-hoc comparisons of pairs after a test of all models, and groups of tied models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from thetahat import special_functions as special
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.result import (
    CriticalDifferenceDiagram,
    OmnibusResult,
    PostHocOmnibusResult,
    PostHocPair,
)
from thetahat.corrections import CORRECTIONS, DEFAULT_CORRECTION, adjust
from thetahat.distributions import compute_p_values
from thetahat.multiple_tests.base import PostHocScores, find_groups
from thetahat.values.types import Alternative, BoolArray


def compare_pairs(
    post_hoc: PostHocScores, names: tuple[str, ...], choices: Choices
) -> tuple[PostHocPair, ...]:
    """Compare all pairs, or each model with the control as b, by the normal distribution.

    The alternative is two-sided, whatever the request's.
    """
    scores, places = np.array(post_hoc.scores), list_places(names, choices.control)
    a, b = np.array(places, dtype=np.intp).T
    z: list[float | None] = [None] * len(places)
    p_values = [1.0] * len(places)
    if post_hoc.standard_error > 0:
        differences = (scores[a] - scores[b]) / post_hoc.standard_error
        of_pairs = compute_p_values(differences, None, Alternative.TWO_SIDED)
        z, p_values = differences.tolist(), of_pairs.tolist()
    adjusted = np.array(adjust(p_values, _choose_correction(choices)), dtype=np.float64)
    return tuple(
        PostHocPair(a=names[i], b=names[j], z=of_pair, p_value=p, p_value_adjusted=p_adjusted)
        for (i, j), of_pair, p, p_adjusted in zip(
            places, z, p_values, adjusted.tolist(), strict=True
        )
    )


def _mark_differences(
    pairs: Sequence[PostHocPair], names: tuple[str, ...], alpha: float
) -> BoolArray:
    """Return (k, k) whether two models differ; false if they are not compared."""
    differ = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        differ[i, j] = differ[j, i] = pair.p_value_adjusted < alpha
    return differ


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
    pairs = compare_pairs(post_hoc, names, choices)
    scores, alpha = np.array(post_hoc.scores), choices.alpha
    differ = _mark_differences(pairs, names, alpha)
    order = np.argsort(scores, kind="stable")
    ordered = [names[i] for i in order]
    reference = int(order[0]) if choices.control is None else names.index(choices.control)
    tied = tuple(names[i] for i in order if not differ[reference, i])
    groups = [tied] if choices.control else find_groups(differ[np.ix_(order, order)], ordered)
    return PostHocOmnibusResult(
        **{field.name: getattr(result, field.name) for field in fields(result)},
        pairs=pairs,
        alpha=alpha,
        correction=_choose_correction(choices),
        tied_with=names[reference],
        tied=(tied,),
        diagram=CriticalDifferenceDiagram(
            score=post_hoc.name,
            values=dict(zip(names, post_hoc.scores, strict=True)),
            alpha=alpha,
            critical_difference=_compute_critical_difference(post_hoc, choices, len(pairs)),
            groups=tuple(tuple(group) for group in groups),
        ),
    )


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
