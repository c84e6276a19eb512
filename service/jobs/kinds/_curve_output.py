"""The result of a learning curve: what every learner did at every size, put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from service.jobs.kinds._failures import failure_of
from service.jobs.kinds._fewer_learners import choices_left
from service.jobs.kinds._loss_output import losses_as_columns
from service.jobs.kinds._methods_used import methods_used
from service.jobs.kinds.base import Finished
from service.jobs.parts import failure_in
from thetahat.block_losses import LossTable
from thetahat.curves import Point, curve_of, label_of
from thetahat.evaluation import check, evaluate
from thetahat.evaluation.plain import told
from thetahat.resampling import SplitOutcome, cautions_of, loss_table, unpack
from thetahat.types import Caution

if TYPE_CHECKING:
    from service.jobs.kinds._cross_validation_plan import Plan
    from service.jobs.kinds.learning_curve import LearningCurveRequest
    from thetahat.curves import Growth


@dataclass(slots=True)
class Gathered:
    """What came back: outcomes and whole training sizes by (learner, size), and failures."""

    outcomes: dict[tuple[str, int], list[SplitOutcome]] = field(default_factory=dict)
    whole: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    failures: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)

    def sizes_of(self, name: str, n_sizes: int) -> list[int]:
        """Return the sizes at which every split of a learner ran."""
        return [
            size
            for size in range(n_sizes)
            if (name, size) in self.outcomes and (name, size) not in self.failures
        ]


def finish(  # noqa: PLR0913 - the request, built, and what its parts gave
    seed: int,
    given: LearningCurveRequest,
    plan: Plan,
    growth: Growth,
    parts: Sequence[Mapping[str, Any]],
    outputs: Sequence[Mapping[str, np.ndarray]],
) -> Finished:
    """Evaluate the curves of the learners that ran; what failed is named with its message."""
    labels = [label_of(size) for size in growth.sizes]
    gathered = _gathered(parts, outputs)
    curves = {
        name: sizes for name in plan.learners if (sizes := gathered.sizes_of(name, len(labels)))
    }
    if not curves:
        raise failure_of(next(iter(gathered.failures.values())))
    table = _table(plan, gathered, curves, labels)
    last = max(size for sizes in curves.values() for size in sizes)
    at_largest = {name: key_of(name, labels[last]) for name in curves if last in curves[name]}
    models = {name: table.models[key] for name, key in at_largest.items()}
    largest = LossTable(table.layout, models, loss_range=table.loss_range)
    left = (given.choices(), table.layout, list(plan.learners), list(at_largest))
    choices, fewer, let_go = choices_left(*left)
    check(largest.layout, choices, largest.names)
    result = evaluate(largest, choices, seed)
    result["sizes"], result["size"] = labels, labels[last]
    result["grow_by"], result["stratified"] = growth.grow_by, growth.stratified
    result["curves"] = {
        name: curve_of(
            [
                Point(
                    label=labels[size],
                    losses=table.models[key_of(name, labels[size])],
                    n_train=np.array([o.n_train for o in gathered.outcomes[name, size]]),
                )
                for size in sizes
            ],
            plan.data.n,
            choices,
            seed,
            table.loss_range,
        )
        for name, sizes in curves.items()
    }
    result["failures"] = _failures_told(gathered, labels)
    result["cautions"] += told([*_not_the_largest(labels, last), *fewer]) + _cautions(
        plan, gathered, labels
    )
    result["not_applicable"] += let_go
    result["methods"] = [
        *plan.methods_used(given.learners),
        *methods_used(choices, result),
    ]
    return Finished(result, losses_as_columns(table))


def _not_the_largest(labels: Sequence[str], last: int) -> Iterator[Caution]:
    if last < len(labels) - 1:
        yield Caution(
            "not_the_largest_size",
            f"at size {labels[-1]} there is no learner yet, or none that ran: models and "
            f"comparisons are those at size {labels[last]}",
        )


def key_of(name: str, label: str) -> str:
    """Return what a learner at one size is called where both are models."""
    return f"{name} @ {label}"


def _gathered(
    parts: Sequence[Mapping[str, Any]], outputs: Sequence[Mapping[str, np.ndarray]]
) -> Gathered:
    gathered = Gathered()
    for part, output in zip(parts, outputs, strict=True):
        place = part["learner"], part["size"]
        failure = failure_in(output, part["learner"])
        if failure is not None:
            gathered.failures.setdefault(place, failure)
        else:
            gathered.outcomes.setdefault(place, []).extend(unpack(output))
            gathered.whole.setdefault(place, []).extend(output["n_whole"].tolist())
    return gathered


def _table(
    plan: Plan, gathered: Gathered, curves: Mapping[str, Sequence[int]], labels: Sequence[str]
) -> LossTable:
    """Return the losses of all learners at all sizes, over the layout of the scheme.

    The layout's training sizes are those of the whole training parts, as ``Point`` says.
    """
    outcomes = {
        key_of(name, labels[size]): [
            replace(outcome, n_train=n)
            for outcome, n in zip(
                gathered.outcomes[name, size], gathered.whole[name, size], strict=True
            )
        ]
        for name, sizes in curves.items()
        for size in sizes
    }
    return loss_table(plan.data, plan.scheme.block_kind, outcomes, plan.loss)


def _failures_told(gathered: Gathered, labels: Sequence[str]) -> dict[str, Any]:
    """Return code, message and place by learner and size."""
    by_learner: dict[str, dict[str, Any]] = {}
    for (name, size), said in gathered.failures.items():
        by_learner.setdefault(name, {})[labels[size]] = said
    return by_learner


def _cautions(plan: Plan, gathered: Gathered, labels: Sequence[str]) -> list[dict[str, str]]:
    left_out = [
        {
            "code": "size_left_out",
            "message": f"{name!r} at size {labels[size]} is left out: {said['message']}",
        }
        for (name, size), said in gathered.failures.items()
    ]
    warned = {
        key_of(name, labels[size]): outcomes
        for (name, size), outcomes in gathered.outcomes.items()
        if (name, size) not in gathered.failures
    }
    of_scheme = getattr(plan.scheme, "cautions", ())
    said = [*of_scheme, *cautions_of(warned)]
    return left_out + told(said)
