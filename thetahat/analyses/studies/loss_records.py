"""Records of one table of losses: estimates, variances, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.losses.bootstrap import prepare_resamples
from thetahat.analyses.losses.comparisons import select_for_differences, select_for_models
from thetahat.analyses.losses.inference import DOES_NOT_FIT, Inference, infer
from thetahat.analyses.losses.method_selection import (
    REGISTRIES,
    SelectedMethods,
    explain_misfit,
    select,
)
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.paired_tests import run_paired_tests
from thetahat.analyses.losses.pairs import build_batches
from thetahat.analyses.losses.refit_estimates import NO_REFIT_ESTIMATES, RefitEstimates
from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.record_names import make_pair_name, make_record_name
from thetahat.analyses.studies.truths import PREDICTED
from thetahat.intervals.base import Interval
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.numerics.bootstrap import Draw
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.variances.base import VarianceEstimate

RECOMMENDED: Final = "recommended"
"""The name of the recommended interval of a target, whichever method it is in a repetition."""


def record_losses(
    estimator: StudyEstimator,
    table: LossTable,
    seed: int,
    refit_estimates: RefitEstimates = NO_REFIT_ESTIMATES,
) -> dict[str, float]:
    """Return the numbers of one table of losses by their record names.

    Only numbers are computed, no result; methods that do not fit the layout or the losses are left
    out even if the request names them.
    """
    choices, layout = estimator.choices, table.layout
    intervals = _select_fitting("intervals", choices.intervals, layout, choices)
    pairs = [(a, b) for i, a in enumerate(table.names) for b in table.names[i + 1 :]]
    resamples = prepare_resamples(table, intervals, pairs, seed)
    variances = _select_fitting("variances", choices.variances, layout, choices)
    for_models, for_pairs = select_for_models(intervals), select_for_differences(intervals)
    record: dict[str, float] = {}
    for name, losses in table.models.items():
        draw: Draw = partial(resamples.of_model, name)
        refits = refit_estimates.get(name, ())
        inference = infer(
            losses, variances, for_models, choices, None, OmittedMethods(), refits, draw
        )
        record.update(_record_inference(estimator.key, name, losses, inference))
    record.update(_record_multiple_tests(estimator, table, seed))
    tests = _select_fitting("tests", choices.tests, layout, choices)
    if len(table.names) > 1:
        for names, batch in build_batches(table, choices.control, resamples):
            outcomes = run_paired_tests(batch, tests, choices, seed, OmittedMethods())
            for pair, pair_outcomes in zip(names, outcomes, strict=True):
                subject, difference = make_pair_name(pair.a, pair.b), pair.losses.difference
                draw = partial(resamples.of_pair, (pair.a, pair.b), difference)
                refits = refit_estimates.get((pair.a, pair.b), ())
                inference = infer(
                    difference,
                    variances,
                    for_pairs,
                    choices,
                    None,
                    OmittedMethods(),
                    refits,
                    draw,
                    pair.counts,
                )
                record.update(_record_inference(estimator.key, subject, difference, inference))
                for key, outcome in pair_outcomes.items():
                    name = make_record_name(
                        estimator.key, subject, record_names.TESTS, key, "p_value"
                    )
                    record[name] = math.nan if outcome.p_value is None else outcome.p_value
    return record


def _record_multiple_tests(
    estimator: StudyEstimator, table: LossTable, seed: int
) -> Iterator[tuple[str, float]]:
    """Yield the p-values of the tests of all models, if there are enough models for any."""
    choices, n_models = estimator.choices, len(table.names)
    selection = select("omnibus", choices.omnibus, MULTIPLE_TESTS, table.layout, choices, n_models)
    for entry in selection.methods:
        if explain_misfit(entry.method, table.layout, n_models) is not None:
            continue
        with suppress(*DOES_NOT_FIT):
            outcome = entry.method.test(table, make_random_stream(seed, f"omnibus/{entry.key}"))
            subject = (estimator.key, record_names.ALL_MODELS, record_names.TESTS)
            yield make_record_name(*subject, entry.key, "p_value"), outcome.p_value


def _select_fitting(
    family: str, chosen: tuple[ChosenMethod[Any], ...] | None, layout: Layout, choices: Choices
) -> SelectedMethods[Any]:
    """Return the methods that fit the layout, as if by default, so that a misfit is no error."""
    selection = select(family, chosen, REGISTRIES[family], layout, choices)
    fitting = tuple(
        entry for entry in selection.methods if explain_misfit(entry.method, layout) is None
    )
    return SelectedMethods(fitting, named=False)


def _record_inference(
    key: str, subject: str, losses: BlockLosses, inference: Inference
) -> Iterator[tuple[str, float]]:
    moments = losses.moments
    yield make_record_name(key, subject, record_names.MEAN, "macro"), moments.macro_mean
    yield make_record_name(key, subject, record_names.MEAN, "pooled"), moments.pooled_mean
    for method, estimate in inference.estimates.items():
        yield from _record_variance(key, subject, method, estimate)
    for method, estimate in inference.own_estimates.items():
        yield make_record_name(key, subject, record_names.MEAN, method), estimate.estimate
        yield from _record_variance(key, subject, method, estimate, method)
    for built in inference.built:
        interval = built.interval
        label = (
            interval.method
            if interval.variance is None
            else f"{interval.method}:{interval.variance}"
        )
        target = PREDICTED if built.method.interval.is_prediction else interval.target.value
        yield from _record_interval(key, subject, label, target, interval)
        if interval.recommended:
            yield from _record_interval(key, subject, RECOMMENDED, target, interval)


def _record_variance(
    key: str, subject: str, method: str, estimate: VarianceEstimate, mean: str | None = None
) -> Iterator[tuple[str, float]]:
    """Yield a variance of the mean; estimates with one value per source or pair are left out."""
    if isinstance(estimate.value, float | int):
        of_mean = mean or estimate.mean.value
        place = (key, subject, record_names.VARIANCES, method, estimate.target, of_mean)
        yield make_record_name(*place), estimate.value


def _record_interval(
    key: str, subject: str, label: str, target: str, interval: Interval
) -> Iterator[tuple[str, float]]:
    place = (key, subject, record_names.INTERVALS, label, target, interval.mean.value)
    yield make_record_name(*place, "lower"), -math.inf if interval.lower is None else interval.lower
    yield make_record_name(*place, "upper"), math.inf if interval.upper is None else interval.upper
