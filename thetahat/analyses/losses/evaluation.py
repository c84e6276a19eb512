"""A whole evaluation: from a loss table and choices to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from thetahat.analyses.losses.bootstrap import Resampling
from thetahat.analyses.losses.cautions import list_cautions
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.clipping import check_range_of_losses, find_ranges
from thetahat.analyses.losses.comparisons import Methods, compare, select_for_models
from thetahat.analyses.losses.covariance import compute_covariance
from thetahat.analyses.losses.gate import judge_gate
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import SelectedMethods, select
from thetahat.analyses.losses.methods_used import list_methods_used
from thetahat.analyses.losses.models import build_model_result
from thetahat.analyses.losses.multiple_tests import compare_all
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.parts import NO_PARTS, NO_RISKS, Parts, RiskParts
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.losses.summary import summarise
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import ResampledInterval
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import LossTable
from thetahat.values.types import FloatArray
from thetahat.variances import VARIANCES
from thetahat.variances.base import ResampledVariance

E = TypeVar("E", bound=EvaluationResult)
M = TypeVar("M")


def evaluate(
    table: LossTable, choices: Choices, seed: int, parts: Parts = NO_PARTS
) -> EvaluationResult:
    """Return the result of an evaluation; the arguments are those of ``build_evaluation``."""
    return build_evaluation(EvaluationResult, table, choices, seed, parts)


def build_evaluation(
    build: Callable[..., E], table: LossTable, choices: Choices, seed: int, parts: Parts
) -> E:
    """Return the result of an evaluation, which is put together here alone.

    Parameters
    ----------
    build : callable
        Makes the result from the fields of ``EvaluationResult``; a kind may add its own.
    table : LossTable
        The losses of all models.
    choices : Choices
        The options of the evaluation; ``check`` tests beforehand whether they fit the data.
    seed : int
        The job's seed; the same table, choices and seed give the same numbers.
    parts : Parts
        What the result has beside the numbers that follow from losses and choices.

    Raises
    ------
    EvaluationError
        A method that was named cannot be used on these losses. Defaulted ones are listed in
        ``not_applicable`` instead.
    """
    choices = choices.orient(higher_is_better=table.higher_is_better)
    pairs = list_places(table.names, choices.control)
    n_pairs = len(pairs)
    methods = _select_methods(table, choices)
    omnibus = _select_of_part(
        ResultPart.OMNIBUS, choices.omnibus, MULTIPLE_TESTS, table, choices, len(table.names)
    )
    needs_all = choices.needs_all_intervals
    pairs_with_intervals = [(table.names[i], table.names[j]) for i, j in pairs] if needs_all else []
    resampling = Resampling.prepare(table, methods.intervals, pairs_with_intervals, seed)
    methods = replace(
        methods,
        intervals=resampling.omit_slow_defaults(
            methods.intervals, named_variances=methods.variances.named, for_pairs=False
        ),
    )
    if choices.range is not None:
        check_range_of_losses(table, choices.range)
    ranges = find_ranges(table, choices.range)
    left_out = OmittedMethods()
    for selection in (methods.variances, methods.intervals, methods.tests, omnibus):
        left_out.take(selection)

    inferences = {
        name: infer(
            losses,
            methods.variances,
            select_for_models(methods.intervals),
            choices,
            ranges[name],
            left_out,
            parts.refits.get(name, ()),
            resampling.get_draw_of_model(name),
        )
        for name, losses in table.models.items()
    }
    models = {
        name: build_model_result(name, losses, inferences[name], choices, parts)
        for name, losses in table.models.items()
    }
    comparisons = compare(table, methods, choices, seed, ranges, left_out, parts, resampling)
    general = list_cautions(
        table,
        clip_without_range=choices.clip is True and None in ranges.values(),
        n_pairs=n_pairs,
        correction=choices.correction,
    )
    omnibus_results = compare_all(table, omnibus, choices, seed, left_out)
    calibration_cautions = () if parts.calibration is None else parts.calibration.cautions
    absent = {part for part in ResultPart if not choices.includes(part)}
    return build(
        summary=summarise(table, models, comparisons, choices),
        models=models,
        include=choices.parts,
        comparisons=comparisons,
        omnibus=omnibus_results if choices.includes(ResultPart.OMNIBUS) else None,
        covariance=compute_covariance(table) if choices.includes(ResultPart.COVARIANCE) else None,
        block_labels=table.layout.block_labels if choices.includes(ResultPart.BLOCKS) else None,
        left_out=table.left_out,
        unit=table.layout.words.noun,
        not_applicable=tuple(
            entry
            for entry in (*left_out.list_all(), *parts.not_applicable)
            if entry.family not in absent
        ),
        cautions=tuple(
            dict.fromkeys(
                [
                    *parts.first_cautions,
                    *general,
                    *parts.cautions,
                    *calibration_cautions,
                ]
            )
        ),
        gate=judge_gate(comparisons, choices),
        methods=list_methods_used(
            choices, inferences.values(), comparisons, omnibus_results, parts.refits
        ),
    )


def weigh_losses(table: LossTable, weights: FloatArray | None, choices: Choices) -> RiskParts:
    """Return the risks under (n,) importance weights of the rows; none without weights."""
    if weights is None:
        return NO_RISKS
    from thetahat.analyses.losses.weighted_risks import (  # noqa: PLC0415 - seldom needed
        Weighting,
        estimate_all_risks,
    )

    return estimate_all_risks(table, Weighting(weights), choices)


def _select_methods(table: LossTable, choices: Choices) -> Methods:
    """Return the methods for each model and pair.

    Without all intervals, none are drawn by resampling: no rule prefers one of these.
    """
    variances = select("variances", choices.variances, VARIANCES, table.layout, choices)
    intervals = select("intervals", choices.intervals, INTERVALS, table.layout, choices)
    if not choices.needs_all_intervals:
        variances, intervals = _drop_resampled(variances), _drop_resampled(intervals)
    tests = _select_of_part(ResultPart.TESTS, choices.tests, PAIRED_TESTS, table, choices)
    return Methods(variances, intervals, tests)


def _select_of_part(  # noqa: PLR0913 - what ``select`` needs
    part: ResultPart,
    chosen: tuple[ChosenMethod[M], ...] | None,
    registry: Mapping[str, type[M]],
    table: LossTable,
    choices: Choices,
    n_models: int | None = None,
) -> SelectedMethods[M]:
    """Return the methods of a part; none if the result does not have the part."""
    if not choices.includes(part):
        return SelectedMethods((), named=False)
    return select(part.value, chosen, registry, table.layout, choices, n_models)


def _drop_resampled(selection: SelectedMethods[M]) -> SelectedMethods[M]:
    kept = tuple(
        entry
        for entry in selection.methods
        if not isinstance(entry.method, ResampledInterval | ResampledVariance)
    )
    return replace(selection, methods=kept)
