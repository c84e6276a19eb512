"""From the losses of one repetition to numbers: estimates, variances, intervals, tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from thetahat.analyses.losses import Choices, Chosen
from thetahat.analyses.losses.bootstrap import Resampling
from thetahat.analyses.losses.inference import DOES_NOT_FIT, Inference, infer
from thetahat.analyses.losses.method_selection import REGISTRIES, Selection, misfit, select
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.paired_tests import run_paired_tests
from thetahat.analyses.losses.pairs import batches
from thetahat.analyses.losses.refit_estimates import (
    NO_REFIT_ESTIMATES,
    RefitEstimate,
    RefitEstimates,
)
from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.record_names import pair_name, record_name
from thetahat.analyses.studies.truths import PREDICTED
from thetahat.intervals.base import Interval, IntervalMethod
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.numerics.bootstrap import Draw
from thetahat.seeds import stream
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.variances.base import VarianceEstimate, VarianceEstimator

RECOMMENDED: Final = "recommended"
"""The interval that the service recommends for a target, whichever that is in a repetition."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    variances: Selection[VarianceEstimator]
    intervals: Selection[IntervalMethod]
    choices: Choices


def record_losses(
    of: StudyEstimator, table: LossTable, seed: int, found: RefitEstimates = NO_REFIT_ESTIMATES
) -> dict[str, float]:
    """Return the numbers of one table of losses by their names in the records.

    Nothing of the result tree is made, and methods that the layout or the losses rule out are
    left out, named or not.
    """
    choices, layout = of.choices, table.layout
    intervals = _fitting("intervals", choices.intervals, layout, choices)
    pairs = [(a, b) for i, a in enumerate(table.names) for b in table.names[i + 1 :]]
    resampling = Resampling.of(table, intervals, pairs, seed)
    variances = _fitting("variances", choices.variances, layout, choices)
    chosen = _Chosen(variances, intervals, choices)
    record: dict[str, float] = {}
    for name, losses in table.models.items():
        inference = _infer(losses, chosen, found.get(name, ()), resampling.of_model(name))
        record.update(_told(of.key, name, losses, inference))
    record.update(_of_all(of, table, seed))
    tests = _fitting("tests", choices.tests, layout, choices)
    if len(table.names) > 1:
        for some, batch in batches(table, choices.control, resampling.shared):
            outcomes = run_paired_tests(some, batch, tests, choices, seed, OmittedMethods())
            for pair, own in zip(some, outcomes, strict=True):
                subject, difference = pair_name(pair.a, pair.b), pair.losses.difference
                draw = resampling.of_pair(pair.a, pair.b, difference)
                inference = _infer(difference, chosen, found.get((pair.a, pair.b), ()), draw)
                record.update(_told(of.key, subject, difference, inference))
                for key, outcome in own.items():
                    name = record_name(of.key, subject, record_names.TESTS, key, "p_value")
                    record[name] = math.nan if outcome.p_value is None else outcome.p_value
    return record


def _of_all(of: StudyEstimator, table: LossTable, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the p-values of the tests of all models, where there are enough models for any."""
    chosen, n_models = of.choices.omnibus, len(table.names)
    found = select("omnibus", chosen, MULTIPLE_TESTS, table.layout, of.choices, n_models)
    for entry in found.methods:
        if misfit(entry.method, table.layout, n_models) is not None:
            continue
        with suppress(*DOES_NOT_FIT):
            outcome = entry.method.test(table, stream(seed, f"omnibus/{entry.key}"))
            yield (
                record_name(
                    of.key, record_names.ALL_MODELS, record_names.TESTS, entry.key, "p_value"
                ),
                outcome.p_value,
            )


def _fitting(
    family: str, chosen: tuple[Chosen[Any], ...] | None, layout: Layout, choices: Choices
) -> Selection[Any]:
    """Return the methods that fit the layout, such that what losses rule out is no error."""
    found = select(family, chosen, REGISTRIES[family], layout, choices)
    fit = tuple(one for one in found.methods if misfit(one.method, layout) is None)
    return Selection(fit, named=False)


def _infer(
    losses: BlockLosses, chosen: _Chosen, found: Sequence[RefitEstimate], draw: Draw
) -> Inference:
    return infer(
        losses,
        chosen.variances,
        chosen.intervals,
        chosen.choices,
        None,
        OmittedMethods(),
        found,
        draw,
    )


def _told(
    key: str, subject: str, losses: BlockLosses, inference: Inference
) -> Iterator[tuple[str, float]]:
    moments = losses.moments
    yield record_name(key, subject, record_names.MEAN, "macro"), moments.macro_mean
    yield record_name(key, subject, record_names.MEAN, "pooled"), moments.pooled_mean
    for method, estimate in inference.estimates.items():
        yield from _variance(key, subject, method, estimate)
    for method, estimate in inference.own_estimates.items():
        yield record_name(key, subject, record_names.MEAN, method), estimate.estimate
        yield from _variance(key, subject, method, estimate, method)
    for built in inference.built:
        interval = built.interval
        label = (
            interval.method
            if interval.variance is None
            else (f"{interval.method}:{interval.variance}")
        )
        target = PREDICTED if built.method.interval.is_prediction else interval.target.value
        yield from _interval(key, subject, label, target, interval)
        if interval.recommended:
            yield from _interval(key, subject, RECOMMENDED, target, interval)


def _variance(
    key: str, subject: str, method: str, estimate: VarianceEstimate, mean: str | None = None
) -> Iterator[tuple[str, float]]:
    """Yield a variance; those that are one per source or pair are no variance of the mean."""
    if isinstance(estimate.value, float | int):
        about = mean or estimate.mean.value
        yield (
            record_name(key, subject, record_names.VARIANCES, method, estimate.target, about),
            estimate.value,
        )


def _interval(
    key: str, subject: str, label: str, target: str, interval: Interval
) -> Iterator[tuple[str, float]]:
    where = (key, subject, record_names.INTERVALS, label, target, interval.mean.value)
    yield record_name(*where, "lower"), -math.inf if interval.lower is None else interval.lower
    yield record_name(*where, "upper"), math.inf if interval.upper is None else interval.upper
