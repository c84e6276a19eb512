"""From the outcomes of learners to their evaluation; some of the learners may be missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from service.kinds.fields.metrics import Metrics
from service.kinds.fitting.metrics import collect_judged
from service.kinds.fitting.refits import NO_REFITS, Refits, StageArrays, estimate_by_refits
from thetahat.analyses.losses import Choices, check, evaluate
from thetahat.analyses.losses.method_selection import misfit
from thetahat.analyses.losses.result import EvaluationResult, NotApplicable
from thetahat.analyses.metrics.result import add_metrics
from thetahat.cautions import CONTROL_LEFT_OUT, Caution
from thetahat.cross_validation import SplitOutcome, loss_table
from thetahat.losses.base import Loss
from thetahat.refit_estimators import reasons_against_pairs
from thetahat.tables.data import Data
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvaluatedOutcomes:
    """The evaluation of some learners.

    Parameters
    ----------
    table : LossTable
        Their losses.
    choices : Choices
        Those of the request that fit these learners.
    result : EvaluationResult
        With metrics, and the estimates of methods that fit learners again.
    """

    table: LossTable
    choices: Choices
    result: EvaluationResult


def evaluate_outcomes(  # noqa: PLR0913 - the outcomes, what they are of, and what is asked of them
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    data: Data,
    block_kind: BlockKind,
    loss: Loss,
    choices: Choices,
    metrics: Metrics,
    seed: int,
    *,
    requested: Sequence[str],
    refits: Refits = NO_REFITS,
    refit_arrays: Mapping[str, StageArrays] | None = None,
) -> EvaluatedOutcomes:
    """Evaluate the losses of some learners, and their metrics and extra fits.

    Parameters
    ----------
    outcomes : mapping of str to sequence of SplitOutcome
        By model, over the same splits.
    requested : sequence of str
        The models that the choices of the request are for; some of them may have no outcomes.
    refit_arrays : mapping or None
        By model, the arrays of the extra fits.
    """
    table = loss_table(data, block_kind, outcomes, loss)
    choices, cautions, not_applicable = restrict_choices(
        choices, table.layout, requested, table.names
    )
    check(table.layout, refits.without_their_target(choices), table.names)
    estimates, of_refits = estimate_by_refits(refits, data, seed, refit_arrays or {}, choices)
    result = evaluate(table, choices, seed, refits=estimates)
    judged = collect_judged(metrics, data, outcomes)
    result = add_metrics(result, metrics, judged, table.layout, choices, seed)
    if len(table.names) > 1:
        not_applicable += [
            NotApplicable(**entry) for entry in reasons_against_pairs(refits.methods)
        ]
    result = replace(
        result,
        cautions=(*result.cautions, *cautions, *of_refits),
        not_applicable=(*result.not_applicable, *not_applicable),
    )
    return EvaluatedOutcomes(table=table, choices=choices, result=result)


def restrict_choices(
    choices: Choices, layout: Layout, requested: Sequence[str], present: Sequence[str]
) -> tuple[Choices, list[Caution], list[NotApplicable]]:
    """Return the choices that fit the models that are present, and what was dropped from them.

    A control that is missing is dropped, and every pair is compared; so is a named test that needs
    more models. Nothing is dropped where all models are present: choices that do not fit them are
    refused.

    Parameters
    ----------
    requested, present : sequence of str
        The models of the request, and those that have losses.
    """
    if len(present) == len(requested):
        return choices, [], []
    cautions: list[Caution] = []
    if choices.control is not None and choices.control not in present:
        cautions.append(CONTROL_LEFT_OUT(control=choices.control))
        choices = replace(choices, control=None)
    if choices.omnibus is None:
        return choices, cautions, []
    reasons = {
        entry.key: misfit(choices.offered(entry.method), layout, len(present))
        for entry in choices.omnibus
    }
    kept = tuple(entry for entry in choices.omnibus if reasons[entry.key] is None)
    dropped = [
        NotApplicable(name=key, reason=reason, family="tests")
        for key, reason in reasons.items()
        if reason is not None
    ]
    return replace(choices, omnibus=kept), cautions, dropped


def add_cautions(result: EvaluationResult, *cautions: Caution) -> EvaluationResult:
    """Return the result with further cautions, each once."""
    return replace(result, cautions=tuple(dict.fromkeys((*result.cautions, *cautions))))
