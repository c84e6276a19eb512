"""What is asked of all learners, where some of them are left out: they failed, or are at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.method_selection import misfit
from thetahat.cautions import CONTROL_LEFT_OUT, Caution
from thetahat.values.layout import Layout


def choices_left(
    choices: Choices, layout: Layout, asked: Sequence[str], left: Sequence[str]
) -> tuple[Choices, list[Caution], list[dict[str, str]]]:
    """Return the choices that fit the learners that are left, and what of them was let go.

    A control that is left out is none, and every pair is compared; a named test that needs more
    models than there are is not made. With all learners there, nothing is let go: what does not
    fit them is refused.

    Parameters
    ----------
    asked, left : sequence of str
        The learners of the request, and those that there are losses of.

    Returns
    -------
    choices, cautions, not_applicable
        The last as a result lists them.
    """
    if len(left) == len(asked):
        return choices, [], []
    cautions: list[Caution] = []
    if choices.control is not None and choices.control not in left:
        cautions.append(CONTROL_LEFT_OUT(control=choices.control))
        choices = replace(choices, control=None)
    if choices.omnibus is None:
        return choices, cautions, []
    reasons = {
        one.key: misfit(choices.offered(one.method), layout, len(left)) for one in choices.omnibus
    }
    kept = tuple(one for one in choices.omnibus if reasons[one.key] is None)
    let_go = [
        {"name": one.key, "reason": str(reasons[one.key]), "family": "tests"}
        for one in choices.omnibus
        if reasons[one.key] is not None
    ]
    return replace(choices, omnibus=kept), cautions, let_go
