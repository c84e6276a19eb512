"""The result of an evaluation, computed from the losses that it kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from thetahat.analyses.cross_validation.evaluation import restrict_choices
from thetahat.analyses.losses import evaluate
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.result import EvaluationResult, Requirement
from thetahat.values.block_losses import LossTable
from thetahat.values.block_nouns import DEFAULT_NOUNS
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words


def evaluate_kept_losses(  # noqa: PLR0913 - what the result of an evaluation follows from
    table: LossTable,
    choices: Choices,
    result: Mapping[str, Any],
    seed: int,
    include: Sequence[str] = (),
    groups: GroupsOfTable | None = None,
) -> EvaluationResult:
    """Return what follows from kept losses alone, the same to the bit as in the recorded result.

    Parameters
    ----------
    table : LossTable
        The losses of the models that did not fail.
    choices : Choices
        Those of the request.
    result : mapping
        The recorded result, which names the learners that failed.
    seed : int
        That of the evaluation.
    include : sequence of str
        Further parts of the result.
    groups : GroupsOfTable or None
        Groups of the losses, which are not kept with them; None leaves out what is by groups.
    """
    kind, is_higher = table.layout.kind, table.higher_is_better
    wanted = drop_gate_beyond_losses(name_blocks(choices, result, kind))
    table = table.with_words(choose_words(kind, wanted.noun, higher_is_better=is_higher))
    wanted = replace(wanted, include=(*wanted.include, *include))
    requested = [*table.names, *result.get("failures", ())]
    wanted, _, _ = restrict_choices(wanted, table.layout, requested, table.names)
    return evaluate(table, wanted, seed, Parts(groups=groups))


def name_blocks(choices: Choices, result: Mapping[str, Any], kind: BlockKind) -> Choices:
    """Return the choices with the word for a block that the result has where no request says it.

    The sources of logs are called tasks.
    """
    default, words = DEFAULT_NOUNS[kind], result.get("unit")
    if choices.unit is not None or words is None or words["singular"] == default.singular:
        return choices
    return replace(choices, unit=words["singular"], unit_plural=words["plural"])


def drop_gate_beyond_losses(choices: Choices) -> Choices:
    """Return the choices without a gate about groups or costs, which kept losses do not have."""
    gate = choices.gate
    needs_more = gate is not None and (
        gate.require is Requirement.NO_GROUP_WORSE or gate.cheaper_by is not None
    )
    return replace(choices, gate=None) if needs_more else choices
