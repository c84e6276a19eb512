"""The result of a learning curve: what every learner did at every size, put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from service.jobs.output_table import OutputColumn
from service.jobs.spill import Spill, Spilt
from service.kinds.base import Finished
from service.kinds.fields.metrics import Metrics
from service.kinds.fitting.data_cautions import cautions_of_data
from service.kinds.fitting.failures import failure_of
from service.kinds.fitting.fewer_learners import choices_left
from service.kinds.fitting.metrics import judged_of
from service.kinds.fitting.refits import Extra, found_again
from service.kinds.learning_curve.gather import Arrays, AtSize, BundleOutputs, OfLearner, of_bundle
from service.kinds.loss_columns import lazy_loss_columns, prediction_column
from service.kinds.methods_used import record_methods
from thetahat.analyses.learning_curve import Point, curve_of, label_of
from thetahat.analyses.losses import check, evaluate
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.analyses.metrics.result import add_metrics
from thetahat.cautions import NOT_THE_LARGEST_SIZE, SIZE_LEFT_OUT, Caution
from thetahat.cross_validation import cautions_of, loss_table, path_of
from thetahat.cross_validation.outcomes import Outcomes
from thetahat.refit_estimators import reasons_against_pairs
from thetahat.values.json_values import to_json, told

if TYPE_CHECKING:
    from service.kinds.cross_validation.plan import Plan
    from service.kinds.learning_curve.kind import LearningCurveRequest
    from thetahat.analyses.learning_curve import Growth


@dataclass(slots=True)
class Gathered:
    """What is kept of the learners when their curves are drawn.

    Parameters
    ----------
    curves : dict
        As the result has them.
    last : dict of str to int
        The largest size at which a learner ran.
    at_last : dict of str to Outcomes
        What it did there.
    again : dict
        Extra fits by learner and design.
    failures : dict
        By learner and size.
    cautions : list of Caution
        What learners warned of.
    losses, said : dict
        Columns by learner and size; most of them lie in a file.
    """

    curves: dict[str, dict[str, Any]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    at_last: dict[str, Outcomes] = field(default_factory=dict)
    again: dict[str, dict[int, list[Arrays]]] = field(default_factory=dict)
    failures: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    cautions: list[Caution] = field(default_factory=list)
    losses: dict[str, np.ndarray | Spilt] = field(default_factory=dict)
    said: dict[str, OutputColumn] = field(default_factory=dict)

    def add(self, other: Gathered) -> None:
        """Put what is kept of others behind it."""
        self.cautions += other.cautions
        for name in ("curves", "last", "at_last", "again", "failures", "losses", "said"):
            getattr(self, name).update(getattr(other, name))


def finish(
    seed: int,
    given: LearningCurveRequest,
    plan: Plan,
    growth: Growth,
    bundles: Sequence[BundleOutputs],
) -> Finished:
    """Evaluate the curves of the learners that ran; what failed is named with its message."""
    labels = [label_of(size) for size in growth.sizes]
    found = _gathered(seed, given, plan, labels, bundles)
    if not found.curves:
        raise failure_of(next(iter(found.failures.values())))
    last = max(found.last.values())
    largest = {name: o for name, o in found.at_last.items() if found.last[name] == last}
    table = loss_table(plan.data, plan.scheme.block_kind, largest, plan.loss)
    left = (given.choices, table.layout, list(given.learners), list(largest))
    choices, fewer, let_go = choices_left(*left)
    if last < len(labels) - 1:
        plan = replace(plan, extra=Extra((), (), ()))  # extra fits are of the largest size
    extra = plan.extra
    check(table.layout, extra.choices_to_check(choices), table.names)
    again = {name: found.again[name] for name in largest}
    fits, of_extra = found_again(plan, seed, again, choices)
    evaluation = evaluate(table, choices, seed, refits=fits)
    metrics = given.built_metrics()
    judged = judged_of(metrics, plan.data, largest)
    result = to_json(add_metrics(evaluation, metrics, judged, table.layout, choices, seed))
    result["sizes"], result["size"] = labels, labels[last]
    result["grow_by"], result["stratified"] = growth.grow_by, growth.stratified
    result["curves"] = found.curves
    result["learners"] = {name: path_of(outcomes.reasons) for name, outcomes in largest.items()}
    result["failures"] = _failures_told(found, labels)
    result["cautions"] += told(
        [
            *_not_the_largest(labels, last),
            *fewer,
            *_left_out(found, labels),
            *getattr(plan.scheme, "cautions", ()),
            *cautions_of_data(given, plan.data),
            *found.cautions,
            *of_extra,
        ]
    )
    result["not_applicable"] += let_go
    result["not_applicable"] += [] if len(largest) < 2 else list(reasons_against_pairs(extra.asked))
    result["methods"] = [
        *plan.methods_used(given.learners),
        *record_methods("metrics", metrics),
        *evaluation.methods,
        *extra.methods_used(),
    ]
    return Finished(result, lazy_loss_columns(table.layout, found.losses, found.said))


def key_of(name: str, label: str) -> str:
    """Return what a learner at one size is called where both are models."""
    return f"{name} @ {label}"


def _gathered(
    seed: int,
    given: LearningCurveRequest,
    plan: Plan,
    labels: Sequence[str],
    bundles: Sequence[BundleOutputs],
) -> Gathered:
    """Draw the curves one bundle after another; of each, the rows at its largest size are kept."""
    found, spill, metrics = Gathered(), Spill(), given.built_metrics()
    of_one: dict[str, Gathered] = {}
    for bundle in bundles:
        for name, one in of_bundle(bundle).items():
            of_one[name] = own = Gathered()
            own.failures = {(name, size): said for size, said in one.failures.items()}
            if not one.sizes:
                continue
            last = max(one.sizes)
            own.curves[name] = _curve(seed, given, plan, labels, metrics, name, one)
            own.last[name], own.at_last[name] = last, one.sizes[last].over_whole_parts
            own.again[name] = one.again
            keys = {key_of(name, labels[size]): at for size, at in one.sizes.items()}
            own.cautions += cautions_of({key: at.outcomes for key, at in keys.items()})
            for key, at in keys.items():
                own.losses[key] = spill.keep(at.outcomes.losses)
                output = np.asarray(at.outcomes.output)
                own.said[f"prediction:{key}"] = prediction_column(plan.data, output, spill)
    for name in plan.learners:  # in the request's order
        found.add(of_one[name])
    return found


def _curve(  # noqa: PLR0913 - as finish
    seed: int,
    given: LearningCurveRequest,
    plan: Plan,
    labels: Sequence[str],
    metrics: Metrics,
    name: str,
    one: OfLearner,
) -> dict[str, Any]:
    sizes = {labels[size]: at for size, at in one.sizes.items()}
    outcomes = {label: at.over_whole_parts for label, at in sizes.items()}
    table = loss_table(plan.data, plan.scheme.block_kind, outcomes, plan.loss)
    points = [
        Point(
            label=label,
            losses=table.models[label],
            n_train=_learnt_from(at),
            judged=judged_from(outcomes[label], plan.data, name) if metrics else None,
        )
        for label, at in sizes.items()
    ]
    return curve_of(points, plan.data.n, given.choices, seed, table.loss_range, metrics=metrics)


def _learnt_from(at: AtSize) -> np.ndarray:
    return at.outcomes.places.n_train


def _failures_told(found: Gathered, labels: Sequence[str]) -> dict[str, Any]:
    """Return code, message and place by learner and size."""
    by_learner: dict[str, dict[str, Any]] = {}
    for (name, size), said in found.failures.items():
        by_learner.setdefault(name, {})[labels[size]] = said
    return by_learner


def _not_the_largest(labels: Sequence[str], last: int) -> Iterator[Caution]:
    if last < len(labels) - 1:
        yield NOT_THE_LARGEST_SIZE(wanted=labels[-1], used=labels[last])


def _left_out(found: Gathered, labels: Sequence[str]) -> Iterator[Caution]:
    for (name, size), said in found.failures.items():
        yield SIZE_LEFT_OUT(name=name, size=labels[size], reason=said["message"])
