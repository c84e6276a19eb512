"""The comparisons of a result: every pair's difference, intervals, tests and verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from thetahat.analyses.losses.bootstrap import omit_slow_defaults
from thetahat.analyses.losses.cautions import describe_equal_means
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.clipping import subtract_ranges
from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms
from thetahat.analyses.losses.expected_coverage import OTHER_INTERVAL, look_up_coverage
from thetahat.analyses.losses.expected_size import (
    SizeLookup,
    add_size_cautions,
    find_test_sizes,
    list_size_cautions,
    look_up_sizes,
)
from thetahat.analyses.losses.identical_losses import count_identical_units, find_equal_mean
from thetahat.analyses.losses.inference import Inference, infer
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.models import describe_grades
from thetahat.analyses.losses.neighbours import NeighbourTests
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.pair_family import OrderedFamily, PairFamily
from thetahat.analyses.losses.paired_tests import (
    adjust_p_values,
    build_test_result,
    run_paired_tests,
)
from thetahat.analyses.losses.pairs import (
    Pair,
    build_batches,
    compute_within_part,
    count_independent_units,
    list_units,
)
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.recommendation import (
    DEFAULT_TARGET,
    BuiltInterval,
    get_recommended_by_target,
)
from thetahat.analyses.losses.recommended_intervals import RecommendedIntervalBuilder
from thetahat.analyses.losses.refit_estimates import RefitEstimate
from thetahat.analyses.losses.result import Comparison, Decision, Verdict
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.losses.verdict_basis import (
    FewDiscordantBasis,
    PairedRatesBasis,
    SkewedBasis,
    VerdictBasis,
)
from thetahat.analyses.losses.verdicts import compute_all_evidence, judge
from thetahat.analyses.thresholds import SKEWED
from thetahat.cautions import (
    HEAVY_TAILED_LOSSES,
    SKEWED_DIFFERENCES,
    TESTS_DISAGREE_WITH_VERDICT,
    Caution,
)
from thetahat.intervals import INTERVALS, list_intervals_on_any_variance
from thetahat.intervals.base import Interval, IntervalMethod, IntervalOfLosses, PairedRatesInterval
from thetahat.intervals.skewness_corrected import LEAST_DEGREES, is_studied
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.paired_tests.base import PairedTest, TestOutcome
from thetahat.traits import VarianceTraits
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.coverage import ExpectedSize
from thetahat.values.number_text import format_number, name_method
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances.base import VarianceEstimator

_OTHER_QUESTION: Final = {
    Target.NEW_SOURCE: Target.THESE_SOURCES,
    Target.THESE_SOURCES: Target.NEW_SOURCE,
}
"""The other of the two questions that sources answer."""
FEW_PAIRS: Final = 10
"""Number of pairs from which the targets of the tests are read; a single one may lack a test."""


class Methods(NamedTuple):
    """The methods that are computed for every pair."""

    variances: SelectedMethods[VarianceEstimator]
    intervals: SelectedMethods[IntervalMethod]
    tests: SelectedMethods[PairedTest]


class _Draft(NamedTuple):
    """A comparison before its p-values are corrected over the pairs, and without its verdict."""

    question: PairQuestion
    """The pair and the interval that the verdict is based on."""
    other_question: PairQuestion | None
    """The pair with the interval for the other question that sources answer."""
    best: BuiltInterval | None
    """The interval that the verdict rests on."""
    outcomes: Mapping[str, TestOutcome]
    """Outcomes of the tests, by key."""
    cautions: tuple[Caution, ...]
    """What is doubtful before a verdict."""
    finish: Callable[..., Comparison]
    """Returns the comparison, from its tests, verdicts and cautions."""


def compare(  # noqa: PLR0913 - the losses, the methods, the options and the list of omissions
    table: LossTable,
    methods: Methods,
    choices: Choices,
    seed: int,
    ranges: Mapping[str, tuple[float, float] | None],
    left_out: OmittedMethods,
    parts: Parts,
    resamples: SharedResamples,
    family: PairFamily,
    neighbours: NeighbourTests,
) -> tuple[tuple[Comparison, ...], OrderedFamily]:
    """Return the comparisons in the order of ``list_places``.

    Their intervals and p-values are corrected for the pairs of the family, which is returned with
    the order of these pairs.

    The verdict on a pair uses its recommended interval for the request's target. If the request
    names no target, that is the default target of the layout or, if no interval was built for it,
    the first target that has one. Where the result has no other interval, no other is built, but
    for the two questions that sources answer, and unless the choice of the recommended one depends
    on it.
    """
    intervals = omit_slow_defaults(
        resamples, methods.intervals, named_variances=methods.variances.named, for_pairs=True
    )
    left_out.take(intervals)
    methods = methods._replace(intervals=select_for_differences(intervals))
    kind = table.layout.kind
    of_one_pair = family.choose_level(choices)
    target = choices.get_target(kind)
    wanted: list[Target] = [] if choices.needs_all_intervals else [target]
    if wanted and kind is BlockKind.SOURCE and target in _OTHER_QUESTION:
        wanted.append(_OTHER_QUESTION[target])
    builders = [
        RecommendedIntervalBuilder.prepare(table.layout, each, methods.variances, methods.intervals)
        for each in wanted
    ]

    def infer_difference(pair: Pair, on_fits: Sequence[RefitEstimate]) -> Inference:
        difference = pair.losses.difference
        span = subtract_ranges(ranges[pair.a], ranges[pair.b])
        built = [
            builder.build_best(difference, of_one_pair, span, left_out, pair.counts)
            for builder in ([] if on_fits else builders)
        ]
        if built and built[0] is not None:
            inferred = Inference({}, [each for each in built if each is not None])
        else:
            draw = partial(resamples.of_pair, (pair.a, pair.b), difference)
            chosen = methods.variances, methods.intervals, of_one_pair
            inferred = infer(difference, *chosen, span, left_out, on_fits, draw, pair.counts)
        covered = coverage.add_to(inferred.built, difference, "difference")
        return replace(inferred, built=[family.mark_interval(each, choices) for each in covered])

    coverage = look_up_coverage(table.layout)
    lookup, sizes = look_up_sizes(table, choices), dict[str, ExpectedSize]()
    drafts: list[_Draft] = []
    for pairs, batch in build_batches(table, choices.control, resamples, choices.range):
        outcomes = run_paired_tests(batch, methods.tests, choices, seed, left_out)
        known = {
            key: outcome for of_pair in outcomes[:FEW_PAIRS] for key, outcome in of_pair.items()
        }
        sizes = sizes or find_test_sizes(lookup, methods.tests.methods, choices, known)
        cautions = list_size_cautions(sizes)
        for pair, own in zip(pairs, outcomes, strict=True):
            inference = infer_difference(pair, parts.refits.get((pair.a, pair.b), ()))
            best = _get_recommended(inference, kind, choices.target)
            doubted = add_size_cautions(own, cautions)
            drafts.append(
                _draft(pair, best, inference, doubted, choices, ranges, neighbours, parts)
            )
    return _judge_drafts(drafts, table, choices, family, sizes, lookup)


def _judge_drafts(  # noqa: PLR0913 - what comparisons are made of
    drafts: Sequence[_Draft],
    table: LossTable,
    choices: Choices,
    family: PairFamily,
    sizes: Mapping[str, ExpectedSize],
    lookup: SizeLookup,
) -> tuple[tuple[Comparison, ...], OrderedFamily]:
    """Return the comparisons with their corrected p-values and verdicts."""
    questions = [draft.question for draft in drafts]
    terms = _build_terms(table, choices, family)
    raw = [evidence.difference for evidence in compute_all_evidence(questions, terms)]
    ordered = family.order(questions, raw)
    adjusted = adjust_p_values([draft.outcomes for draft in drafts], ordered.adjust)
    verdicts = judge(questions, terms, ordered.adjust)
    others = _judge_other_question(drafts, terms, family)
    judged = zip(drafts, adjusted, verdicts, others, strict=True)
    has_tests = choices.includes(ResultPart.TESTS)
    return tuple(
        draft.finish(
            tests={
                key: build_test_result(outcome, p_values.get(key), sizes.get(key))
                for key, outcome in draft.outcomes.items()
            }
            if has_tests
            else None,
            verdict=_add_size(verdict, draft.best, lookup),
            other_verdicts=other,
            cautions=(*draft.cautions, *_judge_skewness(draft.question, verdict, terms)),
        )
        for draft, p_values, verdict, other in judged
    ), ordered


def _judge_other_question(
    drafts: Sequence[_Draft], terms: VerdictTerms, family: PairFamily
) -> Sequence[Mapping[Target, Verdict] | None]:
    """Return the verdicts for the other question that sources answer, where they answer two."""
    questions = [draft.other_question for draft in drafts if draft.other_question is not None]
    targets = {question.basis.target for question in questions if question.basis is not None}
    if len(questions) < len(drafts) or len(targets) != 1:
        return [None] * len(drafts)
    raw = [evidence.difference for evidence in compute_all_evidence(questions, terms)]
    verdicts = judge(questions, terms, family.order(questions, raw).adjust)
    (target,) = targets
    return [{target: verdict} for verdict in verdicts]


def _draft(  # noqa: PLR0913 - what is known of a pair
    pair: Pair,
    best: BuiltInterval | None,
    inference: Inference,
    outcomes: Mapping[str, TestOutcome],
    choices: Choices,
    ranges: Mapping[str, tuple[float, float] | None],
    neighbours: NeighbourTests,
    parts: Parts,
) -> _Draft:
    difference, names = pair.losses.difference, (pair.a, pair.b)
    unit, differences = list_units(difference)
    n_units = count_independent_units(difference, differences)
    question = _build_question(pair, best, n_units, choices, ranges)
    effect = None
    if choices.includes(ResultPart.EFFECT_SIZES):
        from thetahat.analyses.losses.effect_sizes import compute_effect_size  # noqa: PLC0415 - seldom needed

        effect = compute_effect_size(
            unit, differences, higher_is_better=pair.losses.higher_is_better
        )
    cautions = (
        *pair.cautions,
        *_explain_other_target(pair, best, choices),
        *_compare_with_tests(question.basis, outcomes, choices),
        *neighbours.judge_difference(difference, pair.a, pair.b),
    )
    intervals = tuple(built.interval for built in inference.built)
    has_intervals = choices.includes(ResultPart.INTERVALS)
    finish = partial(
        Comparison,
        a=pair.a,
        b=pair.b,
        difference=difference.moments.macro_mean,
        difference_pooled=difference.moments.pooled_mean,
        interval=None if best is None else parts.calibrate(names, best.interval),
        recommended={
            target: parts.calibrate(names, interval)
            for target, interval in get_recommended_by_target(intervals).items()
        }
        if has_intervals
        else None,
        intervals=intervals if has_intervals else None,
        variances=inference.estimates if choices.includes(ResultPart.VARIANCES) else None,
        effect_size=effect,
        risks=parts.risks.differences.get(names),
        metrics=parts.metrics.differences.get(names),
        runs=None if parts.runs is None else parts.runs.summarise_pair(*names),
        judge=describe_grades(
            difference, f"{pair.a!r} less {pair.b!r}", choices.level, is_difference=True
        ),
    )
    other = _ask_other_question(pair, best, inference, n_units, choices, ranges)
    return _Draft(question, other, best, outcomes, tuple(dict.fromkeys(cautions)), finish)


def _add_size(verdict: Verdict, best: BuiltInterval | None, lookup: SizeLookup) -> Verdict:
    """Return the verdict with how often its test erred, if a study had such an interval."""
    size, missing = None, lookup.missing
    if best is not None:
        variance = "" if best.variance is None else f":{best.variance.name}"
        size = lookup.find_verdict(f"{best.method.name}{variance}", best.interval.target)
    if best is not None and size is None:
        missing = missing or OTHER_INTERVAL
    return replace(verdict, expected_size=size, expected_size_missing=missing)


def _build_question(  # noqa: PLR0913 - what is known of a pair
    pair: Pair,
    best: BuiltInterval | None,
    n_units: int,
    choices: Choices,
    ranges: Mapping[str, tuple[float, float] | None],
    target: Target | None = None,
) -> PairQuestion:
    """Return the question that the request asks, or the one about another target.

    Where all differences are the same, no interval about another target takes the place of a sign
    test about the one that is asked.
    """
    difference, asked = (
        pair.losses.difference,
        choices.get_target(pair.losses.difference.layout.kind),
    )
    basis: VerdictBasis | None = None
    if best is not None and best.of_rates is not None and pair.counts is not None:
        if pair.constant is None or (target or asked) is best.interval.target:
            basis = find_basis_of_rates(best.interval, best.of_rates, pair.counts)
    elif best is not None and pair.constant is None:
        new = best.interval.target is Target.NEW_SOURCE
        basis = find_basis(best, compute_within_part(difference) if new else None)
        if basis is not None:
            basis = allow_for_few_discordant(basis, best, pair)
            basis = allow_for_skewness(basis, best, difference)
    constant, identical = pair.constant, None
    is_of_means = constant is None and basis is None
    if is_of_means:
        constant = find_equal_mean(difference, asked)
    if constant is not None:
        of_a, of_b = ranges[pair.a], ranges[pair.b]
        identical = count_identical_units(difference, asked, of_a if of_a == of_b else None)
        n_units = identical.n_units if is_of_means else n_units
    return PairQuestion(
        a=pair.a,
        b=pair.b,
        basis=basis,
        constant=constant,
        n_units=n_units,
        is_rounded=pair.is_rounded,
        identical=identical,
        is_of_means=is_of_means,
    )


def _explain_other_target(
    pair: Pair, best: BuiltInterval | None, choices: Choices
) -> Iterator[Caution]:
    """Yield why the interval is about these sources where nothing says which are asked about."""
    layout = pair.losses.difference.layout
    if best is None or choices.target is not None or layout.kind is not BlockKind.SOURCE:
        return
    if pair.constant is None and best.interval.target is not DEFAULT_TARGET[layout.kind]:
        caution = describe_equal_means(f"{pair.a} less that of {pair.b}", pair.losses.difference)
        if caution is not None:
            yield caution


def _compare_with_tests(
    basis: VerdictBasis | None, outcomes: Mapping[str, TestOutcome], choices: Choices
) -> Iterator[Caution]:
    """Yield a caution if tests about the same target are on the other side of alpha."""
    if not isinstance(basis, PairedRatesBasis) or choices.alternative is not Alternative.TWO_SIDED:
        return
    rejects = basis.compute_p_value() < choices.alpha
    others = [
        key
        for key, outcome in outcomes.items()
        if outcome.target is basis.target
        and outcome.p_value is not None
        and (outcome.p_value < choices.alpha) is not rejects
    ]
    if others:
        yield TESTS_DISAGREE_WITH_VERDICT(
            test=name_method(basis.test),
            tests=", ".join(map(name_method, others)),
            alpha=format_number(choices.alpha),
        )


def _ask_other_question(  # noqa: PLR0913 - what is known of a pair
    pair: Pair,
    best: BuiltInterval | None,
    inference: Inference,
    n_units: int,
    choices: Choices,
    ranges: Mapping[str, tuple[float, float] | None],
) -> PairQuestion | None:
    """Return the question about these sources where the other is about a new one, or reversed."""
    if best is None or pair.losses.a.layout.kind is not BlockKind.SOURCE:
        return None
    if pair.constant and best.interval.target is not choices.get_target(BlockKind.SOURCE):
        return _build_question(pair, best, n_units, choices, ranges, best.interval.target)
    other = _OTHER_QUESTION.get(best.interval.target)
    built = None if other is None else inference.find_recommended(other)
    return None if built is None else _build_question(pair, built, n_units, choices, ranges, other)


def _judge_skewness(
    question: PairQuestion, verdict: Verdict, terms: VerdictTerms
) -> Iterator[Caution]:
    """Yield a caution if a model is called better or worse by t, and skewness takes that away.

    The correction over the pairs is taken from the p-value of t.
    """
    basis, p_value = question.basis, verdict.p_value
    holding = {verdict.decision, *verdict.also}
    if not isinstance(basis, SkewedBasis) or not p_value:
        return
    if holding.isdisjoint({Decision.BETTER, Decision.WORSE}):
        return
    adjusted = p_value if verdict.p_value_adjusted is None else verdict.p_value_adjusted
    skewed = min(1.0, basis.compute_p_value_of_skewed() * adjusted / p_value)
    if skewed < terms.alpha:
        return
    is_better = Decision.BETTER in holding
    model, other = (question.a, question.b) if is_better else (question.b, question.a)
    yield SKEWED_DIFFERENCES(
        model=model,
        other=other,
        p_value=float(f"{adjusted:.2g}"),
        p_value_skewed=float(f"{skewed:.2g}"),
    )


def _build_terms(table: LossTable, choices: Choices, family: PairFamily) -> VerdictTerms:
    return VerdictTerms(
        level=choices.level,
        margin=choices.margin,
        correction=family.correction,
        power=choices.power,
        layout=table.layout,
        pair_alpha=family.pair_alpha,
        n_pairs=family.n_pairs,
        control=choices.control,
    )


def select_for_models(
    intervals: SelectedMethods[IntervalMethod],
) -> SelectedMethods[IntervalMethod]:
    """Return the intervals that are not for pairs alone."""
    kept = tuple(e for e in intervals.methods if not e.method.info.interval.only_for_pairs)
    return intervals._replace(methods=kept)


def select_for_differences(
    intervals: SelectedMethods[IntervalMethod],
) -> SelectedMethods[IntervalMethod]:
    """Return the intervals that are not for models alone, and one that a verdict can use."""
    kept = tuple(
        entry
        for entry in intervals.methods
        if not isinstance(entry.method, IntervalOfLosses)
        and not entry.method.info.interval.only_for_models
    )
    if all(entry.method.info.interval.is_prediction for entry in kept):
        names = list_intervals_on_any_variance()
        added = tuple(ChosenMethod(name, name, INTERVALS[name]()) for name in names)
        kept = (*kept, *added)
    return intervals._replace(methods=kept)


def _get_recommended(
    inference: Inference, kind: BlockKind, target: Target | None
) -> BuiltInterval | None:
    if target is not None:
        return inference.find_recommended(target)
    for candidate in (DEFAULT_TARGET[kind], *Target):
        built = inference.find_recommended(candidate)
        if built is not None:
            return built
    return None


def find_basis_of_rates(
    interval: Interval, method: PairedRatesInterval, counts: PairedCounts
) -> PairedRatesBasis:
    """Return the tests that a verdict on this interval of paired rates uses."""
    return PairedRatesBasis(
        difference=interval.estimate,
        standard_error=interval.standard_error or 1 / counts.n,
        degrees_of_freedom=None,
        target=interval.target,
        method=interval.method,
        variance=None,
        traits=VarianceTraits(degrees_grow_with="instances"),
        counts=counts,
        interval=method,
    )


def allow_for_few_discordant(basis: VerdictBasis, built: BuiltInterval, pair: Pair) -> VerdictBasis:
    """Return the basis on which a margin is shown by Tango's counts too, where few differ."""
    counts = pair.counts_of_margins
    of_instances = built.variance is not None and (
        built.variance.variance.degrees_grow_with == "instances"
    )
    if counts is None or not of_instances or built.interval.target is not Target.THESE_SOURCES:
        return basis
    return FewDiscordantBasis.allow_for(basis, counts)


def allow_for_skewness(
    basis: VerdictBasis, built: BuiltInterval, difference: BlockLosses
) -> VerdictBasis:
    """Return the basis that allows for clearly skewed differences.

    They do on a test set of independent instances, where that was studied.
    """
    layout, variance = difference.layout, built.variance
    is_of_test_set = layout.kind is BlockKind.HOLDOUT and layout.cluster is None
    if not is_of_test_set or variance is None or not is_studied(variance, layout):
        return basis
    if basis.degrees_of_freedom is None or basis.degrees_of_freedom < LEAST_DEGREES:
        return basis
    skewness = compute_skewness_of_mean(difference)
    if skewness is None or not is_clearly_skewed(skewness, layout.n_instances):
        return basis
    return SkewedBasis.allow_for(basis, skewness)


def is_clearly_skewed(skewness: float, n: int) -> bool:
    """Return whether the skewness of the mean of n values is large, or no chance."""
    by_chance = SKEWED * math.sqrt(6) / n
    return abs(skewness) > min(by_chance, HEAVY_TAILED_LOSSES.threshold)


def find_basis(built: BuiltInterval, within: float | None = None) -> VerdictBasis | None:
    """Return the estimate that a verdict on this interval uses; None for a prediction interval."""
    interval = built.interval
    if interval.standard_error is None or built.method.interval.is_prediction:
        return None
    return VerdictBasis(
        difference=interval.estimate,
        standard_error=interval.standard_error,
        degrees_of_freedom=interval.degrees_of_freedom,
        target=interval.target,
        method=interval.method,
        variance=interval.variance,
        traits=VarianceTraits() if built.variance is None else built.variance.variance,
        within=within if interval.target is Target.NEW_SOURCE else None,
    )
