"""Builds the learning curve of a learner from its losses at all training sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.analyses.learning_curve.covariances import estimate_means
from thetahat.analyses.learning_curve.power_law import PowerLaw, fit_power_law
from thetahat.analyses.learning_curve.result import (
    Curve,
    CurveFigure,
    CurvePoint,
    CurveStep,
    DrawnLaw,
    DrawnMetric,
    PowerLawEstimate,
    PowerLawPrediction,
    PowerLawResult,
    StepVerdict,
    TrainingRows,
)
from thetahat.analyses.learning_curve.saturation import assess_saturation, compare_with_largest
from thetahat.analyses.losses import Choices, ChosenMethod, evaluate
from thetahat.analyses.losses.optional_results import MetricResult
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.result import ModelResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.metrics.result import compute_metrics
from thetahat.cautions import NO_POWER_LAW, STEPS_NOT_CORRECTED, Caution
from thetahat.corrections.none import NoCorrection
from thetahat.intervals import INTERVALS, list_intervals_on_any_variance
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.types import IntArray, MeanKind
from thetahat.values.words import choose_words

POINTS_OF_LAW: Final = 40
"""Number of points of a power law that is drawn."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SizeLosses:
    """The losses of one learner at one training size."""

    label: str
    """Name of the size."""
    losses: BlockLosses
    """Over the layout of the scheme, with the sizes of the whole training parts: variances use them
    to allow for test parts that overlap, which a smaller training part does not change."""
    n_train: IntArray
    """(J,) rows that the learner was fitted to, split by split."""
    judged: TruthAndPredictions | None = None
    """What metrics are computed from, where there are any."""

    @property
    def key(self) -> str:
        """The name of the size in sentences, and among the models of an evaluation."""
        return f"size {self.label}"

    @property
    def mean_size(self) -> float:
        """Average number of rows that the learner was fitted to."""
        return float(self.n_train.mean())


def build_curve(  # noqa: PLR0913 - the losses, and how they are evaluated
    sizes: Sequence[SizeLosses],
    n: int,
    choices: Choices,
    seed: int,
    loss_range: tuple[float, float] | None = None,
    *,
    metrics: Sequence[ChosenMethod[Metric]] = (),
) -> Curve:
    """Return the learning curve of one learner.

    Parameters
    ----------
    sizes : sequence of SizeLosses
        In order of size, over one layout.
    n : int
        Number of rows of the data.
    choices : Choices
        What to report at each size; its margin is that of the saturation. Its tests are not used:
        sizes are compared by intervals.
    seed : int
        The seed of the evaluation.
    loss_range : tuple of float or None
        Smallest and largest value that the loss can take.
    metrics : sequence of ChosenMethod
        Computed at each size; steps and saturation are of the loss alone.
    """
    layout = sizes[0].losses.layout
    table = LossTable(
        layout, {size.key: size.losses for size in sizes}, loss_range=loss_range
    ).with_words(choose_words(layout.kind, choices.noun))
    largest = sizes[-1]
    without_tests = replace(
        choices,
        tests=(),
        omnibus=(),
        correction=NoCorrection.info.name,
        control=None,
        gate=None,
    )
    with_largest = replace(without_tests, control=largest.key)
    judged = {size.key: size.judged for size in sizes if size.judged is not None}
    metric_parts = compute_metrics(metrics, judged, table.layout, table.names, with_largest, seed)
    evaluation = evaluate(table, with_largest, seed, Parts(metrics=metric_parts))
    models = [evaluation.models[size.key] for size in sizes]
    smaller = [
        compare_with_largest(size.label, int(size.n_train.max()), comparison, choices.alpha)
        for size, comparison in zip(sizes[:-1], evaluation.comparisons, strict=True)
    ]
    law, reason = _fit_law(sizes, loss_range)
    return Curve(
        points=tuple(_build_point(size, model) for size, model in zip(sizes, models, strict=True)),
        steps=tuple(_build_step(table, a, b, without_tests, seed) for a, b in pairwise(sizes)),
        saturation=assess_saturation(
            smaller, largest.label, int(largest.n_train.max()), n, choices.margin
        ),
        power_law=None if law is None else _describe_law(law, n, choices.level),
        figure=_build_figure(sizes, models, law, metrics),
        not_applicable=evaluation.not_applicable,
        cautions=(*evaluation.cautions, *_list_curve_cautions(sizes, reason)),
    )


def _build_point(size: SizeLosses, model: ModelResult) -> CurvePoint:
    return CurvePoint(
        size=size.label,
        n_train=TrainingRows(
            mean=size.mean_size,
            smallest=int(size.n_train.min()),
            largest=int(size.n_train.max()),
        ),
        model=model,
    )


def _build_step(
    table: LossTable, smaller: SizeLosses, larger: SizeLosses, choices: Choices, seed: int
) -> CurveStep:
    """Return the change from one size to the next.

    Intervals that draw resamples are not built for steps, unless the request names them.
    """
    models = {size.key: table.models[size.key] for size in (larger, smaller)}
    pair = LossTable(table.layout, models)
    if choices.intervals is None:
        fast = tuple(
            ChosenMethod(name, name, INTERVALS[name]()) for name in list_intervals_on_any_variance()
        )
        choices = replace(choices, intervals=fast)
    choices = replace(choices, include=(*choices.parts, ResultPart.EFFECT_SIZES))
    (comparison,) = evaluate(pair, choices, seed).comparisons
    verdict = comparison.verdict
    assert comparison.effect_size is not None  # noqa: S101 - it is included
    return CurveStep(
        smaller=smaller.label,
        larger=larger.label,
        difference=comparison.difference,
        interval=comparison.interval,
        effect_size=comparison.effect_size,
        verdict=StepVerdict(
            decision=verdict.decision,
            also=verdict.also,
            p_value=verdict.p_value,
            reason=verdict.reason,
        ),
        cautions=comparison.cautions,
    )


def _fit_law(
    sizes: Sequence[SizeLosses], loss_range: tuple[float, float] | None
) -> tuple[PowerLaw | None, str | None]:
    """Return a power law through the mean losses, or None with the reason."""
    mean_sizes = [size.mean_size for size in sizes]
    if len(sizes) < 2 or not np.all(np.diff(mean_sizes) > 0):
        return None, "a curve needs two different sizes"
    means = estimate_means(mean_sizes, [size.losses for size in sizes])
    return fit_power_law(means, lowest=None if loss_range is None else loss_range[0])


def _describe_law(law: PowerLaw, n: int, level: float) -> PowerLawResult:
    def add_interval(estimate: float, standard_error: float) -> PowerLawEstimate:
        lower, upper = law.interval(estimate, standard_error, level)
        return PowerLawEstimate(
            estimate=estimate, standard_error=standard_error, lower=lower, upper=upper
        )

    def predict(size: int) -> PowerLawPrediction:
        estimate, standard_error = law.predict(size)
        lower, upper = law.interval(estimate, standard_error, level)
        return PowerLawPrediction(
            n=size, estimate=estimate, standard_error=standard_error, lower=lower, upper=upper
        )

    of_asymptote, of_excess, of_exponent = law.standard_errors()
    return PowerLawResult(
        formula="a + b n^-c",
        a=add_interval(law.asymptote, of_asymptote),
        b=law.factor,
        c=add_interval(law.exponent, of_exponent),
        excess=add_interval(law.excess, of_excess),
        at_all_rows=predict(n),
        at_twice_as_many=predict(2 * n),
        residual=law.residual,
        level=level,
        degrees_of_freedom=law.degrees_of_freedom,
    )


def _build_figure(
    sizes: Sequence[SizeLosses],
    models: Sequence[ModelResult],
    law: PowerLaw | None,
    metrics: Sequence[ChosenMethod[Metric]],
) -> CurveFigure:
    x = tuple(size.mean_size for size in sizes)
    lower, upper = _get_interval_ends(models)
    drawn_law = None
    if law is not None:
        fine = np.geomspace(x[0], x[-1], POINTS_OF_LAW)
        drawn_law = DrawnLaw(x=fine, y=tuple(law.predict(size)[0] for size in fine.tolist()))
    return CurveFigure(
        x=x,
        y=tuple(model.mean.macro for model in models),
        lower=lower,
        upper=upper,
        law=drawn_law,
        metrics={entry.key: _draw_metric(entry.key, models) for entry in metrics} or None,
    )


def _draw_metric(key: str, models: Sequence[ModelResult]) -> DrawnMetric:
    results = [(model.metrics or {})[key] for model in models]
    lower, upper = _get_interval_ends(results)
    return DrawnMetric(
        y=tuple(
            result.estimate.macro if result.mean is MeanKind.MACRO else result.estimate.pooled
            for result in results
        ),
        lower=lower,
        upper=upper,
    )


def _get_interval_ends(
    results: Sequence[ModelResult] | Sequence[MetricResult],
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return the lower and the upper ends of the first recommended interval at each size."""
    recommended = [next(iter(result.recommended.values()), None) for result in results]
    return (
        tuple(None if interval is None else interval.lower for interval in recommended),
        tuple(None if interval is None else interval.upper for interval in recommended),
    )


def _list_curve_cautions(sizes: Sequence[SizeLosses], reason: str | None) -> Iterator[Caution]:
    """Yield the cautions of a curve; ``reason`` says why it has no power law."""
    if reason is not None:
        yield NO_POWER_LAW(reason=reason)
    if len(sizes) > 1:
        yield STEPS_NOT_CORRECTED()
