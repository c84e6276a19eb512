"""Checks of a request that need no computation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.gate import check_gate
from thetahat.analyses.losses.method_selection import REGISTRIES, explain_misfit, select
from thetahat.analyses.losses.not_applicable import WITHOUT_VARIANCE, rests_on_variance
from thetahat.corrections import explain_refusal
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.registry import MethodInfo
from thetahat.similar_names import suggest_name
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, Target
from thetahat.variances import VARIANCES


def check_weights_fit(layout: Layout) -> None:
    """Refuse importance weights of rows in the order of time, of which no risk knows."""
    if layout.time is not None:
        raise UnsupportedCombination(
            "weights do not go with time: the weighted risks take the rows as independent. Leave "
            "one of the two out.",
            loc=("weights",),
        )


def check(
    layout: Layout, choices: Choices, models: Sequence[str], other_losses: str | None = None
) -> None:
    """Raise an exception for options that do not fit the layout, the models or their losses.

    It is fast, because no loss is read. ``other_losses`` is a phrase for messages if the losses are
    not all 0 or 1, which a few methods need; None if they are, or if this is not known yet.

    Raises
    ------
    UnsupportedCombination
        A method of the request does not fit the layout (the message names the methods that do), no
        variance has the target, or the correction does not fit the number of models.
    InvalidParameter
        A control that is not a model.
    """
    check_gate(choices, models)
    if choices.control is not None and choices.control not in models:
        raise InvalidParameter(
            f"control {choices.control!r} is not one of the models"
            f"{suggest_name(choices.control, models)}: {', '.join(models)}.",
            loc=("control",),
            value=choices.control,
        )
    if choices.unit is not None and layout.kind is BlockKind.HOLDOUT and layout.cluster is None:
        raise UnsupportedCombination(
            f"unit {choices.unit!r} names a block, or a cluster of a holdout, and this holdout has "
            "one test set without clusters. Leave it out, send the cluster of each row (a patient, "
            "a prompt), or send blocks source with the block of each row.",
            loc=("unit",),
            value=choices.unit,
        )
    reason = explain_refusal(choices.correction, len(models), choices.control, choices.alternative)
    if reason is not None:
        raise UnsupportedCombination(reason, loc=("correction",), value=choices.correction)
    if layout.judge is not None:
        from thetahat.analyses.losses.judged_pairs import check_correction_with_judge  # noqa: PLC0415 - seldom needed

        check_correction_with_judge(choices)
    for family in REGISTRIES:
        # requests name the tests of all models among those of a pair
        field, n_models = ("tests", len(models)) if family == "omnibus" else (family, None)
        for i, entry in enumerate(getattr(choices, family) or ()):
            reason = _explain_misfit(family, entry, layout, choices, n_models)
            if reason is None and other_losses and needs_zero_one_losses(entry):
                reason = f"it needs losses that are all 0 or 1, and {other_losses}"
            if reason is not None:
                any_loss = other_losses is not None
                fits = list_fitting_methods(family, layout, choices, n_models, any_loss=any_loss)
                raise UnsupportedCombination(
                    f"{entry.name} does not fit: {reason}. {fits}",
                    loc=(field, i if entry.place is None else entry.place),
                    value=entry.name,
                )
    if choices.target is not None:
        _check_target(layout, choices, choices.target)


def needs_zero_one_losses(entry: ChosenMethod[Any]) -> bool:
    """Whether a method needs losses that are all 0 or 1."""
    info: MethodInfo = entry.method.info
    return info.only_zero_one


def describe_other_loss(table: LossTable) -> str | None:
    """Return a phrase with a loss that is neither 0 nor 1, or None; reads all losses."""
    for losses in table.models.values():
        values = losses.values
        if values is not None:
            fit = (values == 0) | (values == 1)
            if not fit.all():
                return f"there is {float(values[int(np.argmin(fit))])}"
    return None


def list_fitting_methods(
    family: str,
    layout: Layout,
    choices: Choices,
    n_models: int | None = None,
    *,
    any_loss: bool = False,
) -> str:
    """Return a sentence that lists the methods that fit the layout (and any loss)."""
    methods = select(family, None, REGISTRIES[family], layout, choices, n_models).methods
    fitting = [
        e.name
        for e in methods
        if not (any_loss and needs_zero_one_losses(e))
        and _explain_misfit(family, e, layout, choices, n_models) is None
    ]
    words = "tests of all models" if family == "omnibus" else family
    return f"{words.capitalize()} that fit: {', '.join(fitting) or 'none'}."


def _explain_misfit(
    family: str, entry: ChosenMethod[Any], layout: Layout, choices: Choices, n_models: int | None
) -> str | None:
    """Return why a method, or every variance it could rest on, does not fit the layout, or None."""
    reason = explain_misfit(choices.complete_method(entry.method), layout, n_models)
    if reason is None and family == "intervals" and rests_on_variance(entry):
        variances = select("variances", choices.variances, VARIANCES, layout, choices).methods
        return None if choices.variances is not None or variances else WITHOUT_VARIANCE
    return reason


def _check_target(layout: Layout, choices: Choices, target: Target) -> None:
    from thetahat.analyses.losses.rules import RULES  # noqa: PLC0415 - few requests name a target

    chosen = select(
        "variances", choices.variances, REGISTRIES["variances"], layout, choices
    ).methods
    known = {rule.target for rule in RULES if rule.blocks is layout.kind}
    spoken = sorted({t.value for entry in chosen for t in entry.method.info.targets if t in known})
    if target.value not in spoken:
        raise UnsupportedCombination(
            f"No variance here is for {target.value}. Targets that fit: {', '.join(spoken)}.",
            loc=("target",),
            value=target.value,
        )
