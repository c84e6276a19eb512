"""Corrections of p-values for the number of comparisons, one module each, by wire name."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.corrections.base import Correction
from thetahat.corrections.holm import Holm
from thetahat.corrections.max_t import MaxT
from thetahat.registry import Registry
from thetahat.values.types import Alternative

CORRECTIONS: Final[Registry[type[Correction]]] = Registry.collect(__name__, __path__)

DEFAULT_CORRECTION: Final = Holm.info.name
"""The correction of all pairs in a request that names none, and of statements about a margin."""
CORRECTION_WITH_ONE_MODEL: Final = MaxT.info.name
"""The correction of comparisons with one model, if the request names none."""


def adjust(p_values: Sequence[float | None], correction: str) -> list[float | None]:
    """Return the adjusted p-values of one family of hypotheses, cut at 1, in the same order.

    Parameters
    ----------
    p_values : sequence of float or None
        None where a hypothesis has none; it stays None and does not count. A correction that is
        for all pairs takes those of all pairs i < j of some models, in that order.
    correction : str
        A name in ``CORRECTIONS``.

    Raises
    ------
    InvalidParameter
        A correction that is for all pairs of some models gets another number of p-values, or
        those of too many models.
    """
    if all(p is None for p in p_values):
        return [None] * len(p_values)
    raw = np.array([np.nan if p is None else p for p in p_values], dtype=np.float64)
    adjusted = np.minimum(CORRECTIONS[correction]().adjust(raw), 1.0).tolist()
    return [None if p is None else q for p, q in zip(p_values, adjusted, strict=True)]


def choose_correction_of_bounds(correction: str) -> str:
    """Return the correction of statements about a margin, which are inequalities."""
    traits = CORRECTIONS[correction].info.correction
    is_for_equalities = traits.only_all_pairs or traits.uses_joint_distribution
    return DEFAULT_CORRECTION if is_for_equalities else correction


def bounds_any_false_statement(correction: str) -> bool:
    """Return whether the correction bounds the chance of any false rejection."""
    traits = CORRECTIONS[correction].info.correction
    return traits.bounds_any_false_rejection or (traits.is_single_step and traits.corrects)


def explain_refusal(
    correction: str | None, n_models: int, control: str | None, alternative: Alternative
) -> str | None:
    """Return why a correction does not fit the comparisons, or None."""
    if correction is None:
        return None
    traits = CORRECTIONS[correction].info.correction
    if traits.only_all_pairs and control is not None:
        return (
            f"{correction} is for all pairs of models, and the request names a control; with a "
            f"control use {_list_for_any_family()}"
        )
    if traits.only_all_pairs and alternative is not Alternative.TWO_SIDED:
        return (
            f"{correction} is for hypotheses of equality, and the alternative is "
            f"{alternative.value}; use {_list_for_any_family()}"
        )
    if traits.most_models is not None and n_models > traits.most_models:
        others = " or ".join(name for name in CORRECTIONS if _accepts_any_number_of_models(name))
        return (
            f"{correction} is for at most {traits.most_models} models, and there are {n_models}; "
            f"use {others}"
        )
    return None


def _list_for_any_family() -> str:
    return " or ".join(name for name in CORRECTIONS if _bounds_any_family(name))


def _bounds_any_family(name: str) -> bool:
    traits = CORRECTIONS[name].info.correction
    return traits.bounds_any_false_rejection and not traits.only_all_pairs


def _accepts_any_number_of_models(name: str) -> bool:
    traits = CORRECTIONS[name].info.correction
    return traits.only_all_pairs and traits.most_models is None
