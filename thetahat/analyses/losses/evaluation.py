"""A whole evaluation: from a loss table and choices to its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from thetahat.analyses.losses.bootstrap import omit_slow_defaults, prepare_resamples
from thetahat.analyses.losses.cautions import list_cautions
from thetahat.analyses.losses.checks import check_weights_fit
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.clipping import check_range_of_losses, find_ranges
from thetahat.analyses.losses.comparisons import Methods, compare, select_for_models
from thetahat.analyses.losses.gate import (
    judge_gate,
    refuse_gate_without_costs,
    refuse_gate_without_groups,
)
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import SelectedMethods, select
from thetahat.analyses.losses.methods_used import list_methods_used
from thetahat.analyses.losses.models import build_model_result
from thetahat.analyses.losses.multiple_tests import compare_all
from thetahat.analyses.losses.neighbours import NeighbourTests
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.parts import NO_PARTS, NO_RISKS, Parts, RiskParts
from thetahat.analyses.losses.ranking import build_ranking, rank_models
from thetahat.analyses.losses.result import Comparison, EvaluationResult, ModelResult
from thetahat.analyses.losses.result_parts import PAIR_ADDITIONS, ResultPart
from thetahat.analyses.losses.summary import summarise
from thetahat.cautions import Caution
from thetahat.errors import UnsupportedCombination
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import ResampledInterval
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import LossTable
from thetahat.values.types import FloatArray
from thetahat.variances import VARIANCES
from thetahat.variances.base import ResampledVariance

if TYPE_CHECKING:
    from thetahat.analyses.losses.cost_result import CostSummary
    from thetahat.analyses.losses.optional_results import BlockCovariance

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
    refuse_gate_without_groups(
        None if choices.gate is None else choices.gate.require, has_groups=parts.groups is not None
    )
    refuse_gate_without_costs(
        None if choices.gate is None else choices.gate.cheaper_by, has_costs=parts.costs is not None
    )
    choices, of_judge = _prepare_judge(table, choices)
    asked, n_models = choices, len(table.names)
    with_best = _compares_with_best(choices, n_models, parts)
    choices = choices.orient(higher_is_better=table.higher_is_better)
    places = list_places(table.names, table.names[0] if with_best else choices.control)
    n_pairs = len(places)
    methods = _select_methods(table, choices)
    omnibus = _select_of_part(
        ResultPart.OMNIBUS, choices.omnibus, MULTIPLE_TESTS, table, choices, len(table.names)
    )
    needs_all = choices.needs_all_intervals
    names_of_pairs = _name_pairs(table, places) if needs_all and not with_best else []
    resamples = prepare_resamples(table, methods.intervals, names_of_pairs, seed)
    intervals = omit_slow_defaults(
        resamples, methods.intervals, named_variances=methods.variances.named, for_pairs=False
    )
    methods = methods._replace(intervals=intervals)
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
            partial(resamples.of_model, name),
        )
        for name, losses in table.models.items()
    }
    ranked = rank_models(table, inferences, choices)
    of_all_models = choices
    if with_best:
        asked = replace(asked, control=ranked.best, pairs=None)
        choices = replace(choices, control=ranked.best, pairs=None)
        if needs_all:
            names_of_pairs = _name_pairs(table, list_places(table.names, ranked.best))
            resamples = prepare_resamples(table, methods.intervals, names_of_pairs, seed)
    family = PairFamily.build(table, choices, seed, ranked.best if with_best else None)
    parts = parts.resolve(asked, family.n_pairs)
    models = {
        name: build_model_result(name, losses, inferences[name], choices, parts)
        for name, losses in table.models.items()
    }
    neighbours = NeighbourTests.prepare(table, n_pairs)
    comparisons, ordered = compare(
        table,
        methods,
        choices,
        seed,
        ranges,
        left_out,
        parts,
        resamples,
        family,
        neighbours,
    )
    if any(choices.includes(part) for part in PAIR_ADDITIONS):
        from thetahat.analyses.losses.pair_additions import add_to_comparisons  # noqa: PLC0415 - seldom needed

        comparisons = add_to_comparisons(comparisons, table, choices, family, methods)
    models, comparisons, cost = _describe_further(
        parts, table, choices, family, seed, models, comparisons
    )
    omnibus_results = compare_all(table, omnibus, of_all_models, seed, left_out)
    general = list_cautions(
        table,
        of_runs=parts.runs is not None,
        clip_without_range=choices.clip is True and None in ranges.values(),
        n_pairs=n_pairs,
        correction=family.correction,
    )
    calibration_cautions = () if parts.calibration is None else parts.calibration.cautions
    ranking = build_ranking(ranked, comparisons, ordered, choices)
    absent = {part for part in ResultPart if not choices.includes(part)}
    return build(
        summary=summarise(table, ranked, comparisons, ranking, family, choices),
        ranking=ranking,
        models=models,
        include=choices.parts,
        comparisons=comparisons,
        omnibus=omnibus_results if choices.includes(ResultPart.OMNIBUS) else None,
        covariance=_compute_covariance(table, choices),
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
                    *of_judge,
                    *neighbours.judge_models(table),
                    *parts.cautions,
                    *(() if parts.groups is None else parts.groups.cautions),
                    *calibration_cautions,
                ]
            )
        ),
        gate=judge_gate(comparisons, choices, parts.costs, table.layout),
        cost=cost,
        methods=list_methods_used(
            choices, inferences.values(), comparisons, omnibus_results, parts.refits
        ),
    )


def _describe_further(  # noqa: PLR0913 - what an evaluation consists of
    parts: Parts,
    table: LossTable,
    choices: Choices,
    family: PairFamily,
    seed: int,
    models: dict[str, ModelResult],
    comparisons: tuple[Comparison, ...],
) -> tuple[dict[str, ModelResult], tuple[Comparison, ...], CostSummary | None]:
    """Return models and pairs with their groups, costs and probabilities, and the costs of all.

    The modules of a description are imported where a request asks for it.
    """
    cost = None
    if parts.groups is not None:
        from thetahat.analyses.losses.by_group import add_groups  # noqa: PLC0415

        models, comparisons = add_groups(
            parts.groups, table, choices, family, seed, models, comparisons
        )
    if parts.costs is not None:
        from thetahat.analyses.losses.costs import add_costs  # noqa: PLC0415

        models, comparisons, cost = add_costs(
            parts.costs, table, choices, seed, models, comparisons
        )
    if parts.probabilities is not None:
        from thetahat.analyses.losses.by_probability import add_probabilities  # noqa: PLC0415

        models, comparisons = add_probabilities(
            parts.probabilities, table.layout, choices, seed, models, comparisons
        )
    return models, comparisons, cost


def _compute_covariance(table: LossTable, choices: Choices) -> BlockCovariance | None:
    if not choices.includes(ResultPart.COVARIANCE):
        return None
    from thetahat.analyses.losses.covariance import compute_covariance  # noqa: PLC0415 - seldom needed

    return compute_covariance(table)


def _prepare_judge(table: LossTable, choices: Choices) -> tuple[Choices, tuple[Caution, ...]]:
    """Return the choices that fit the grades of a judge, and the cautions about these."""
    if table.layout.judge is None:
        return choices, ()
    from thetahat.analyses.losses.judged_pairs import choose_correction_with_judge  # noqa: PLC0415 - seldom needed
    from thetahat.analyses.losses.judging import list_judge_cautions  # noqa: PLC0415 - same

    return choose_correction_with_judge(choices), list_judge_cautions(table.layout)


def weigh_losses(table: LossTable, weights: FloatArray | None, choices: Choices) -> RiskParts:
    """Return the risks under (n,) importance weights of the rows; none without weights."""
    if weights is None:
        return NO_RISKS
    check_weights_fit(table.layout)
    from thetahat.analyses.losses.weighted_risks import Weighting, estimate_all_risks  # noqa: PLC0415 - seldom needed

    return estimate_all_risks(table, Weighting(weights), choices)


def _compares_with_best(choices: Choices, n_models: int, parts: Parts) -> bool:
    """Return whether models are compared with the best one; of refits all pairs were estimated."""
    if not choices.compares_with_best(n_models):
        return False
    has_pairs = any(isinstance(subject, tuple) for subject in parts.refits)
    if has_pairs and choices.pairs is not None:
        raise UnsupportedCombination(
            "Methods that fit the learner again estimate all pairs of models, or those with a "
            "control. Leave pairs out, or name the control.",
            loc=("pairs",),
            value=choices.pairs,
        )
    return not has_pairs


def _name_pairs(table: LossTable, places: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    return [(table.names[i], table.names[j]) for i, j in places]


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
    return selection._replace(methods=kept)
