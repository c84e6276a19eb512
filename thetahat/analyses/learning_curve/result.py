"""From the losses of one learner at all sizes to its curve in the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from thetahat.analyses.learning_curve.covariances import means_of_sizes
from thetahat.analyses.learning_curve.power_law import PowerLaw, fit_power_law
from thetahat.analyses.learning_curve.saturation import against_largest, saturation
from thetahat.analyses.losses import Choices, Chosen, evaluate
from thetahat.analyses.metrics.result import add_metrics
from thetahat.cautions import NO_POWER_LAW, STEPS_NOT_CORRECTED, Caution
from thetahat.corrections.none import NoCorrection
from thetahat.intervals import INTERVALS, intervals_on_any_variance
from thetahat.metrics.base import Judged, Metric
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import plain, to_json, told
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Point:
    """The losses of one learner at one size.

    Parameters
    ----------
    label : str
        What the size is called.
    losses : BlockLosses
        Over the layout of the scheme, whose training sizes are those of the whole parts: the
        variances that use them speak of how test parts overlap, which a smaller part does not
        change.
    n_train : ndarray of int
        (J,) rows learnt from, split by split.
    judged : Judged or None
        What metrics look at, where there are any.
    """

    label: str
    losses: BlockLosses
    n_train: IntArray
    judged: Judged | None = None

    @property
    def key(self) -> str:
        """What sentences call it."""
        return f"size {self.label}"

    @property
    def mean_size(self) -> float:
        """Average number of rows learnt from."""
        return float(self.n_train.mean())


def curve_of(  # noqa: PLR0913 - the points, and how they are read
    points: Sequence[Point],
    n: int,
    choices: Choices,
    seed: int,
    loss_range: tuple[float, float] | None = None,
    *,
    metrics: Sequence[Chosen[Metric]] = (),
) -> dict[str, Any]:
    """Return a learner's curve: points, steps, saturation and power law, as plain JSON values.

    Parameters
    ----------
    points : sequence of Point
        In order of size, over one layout.
    n : int
        Rows in all.
    choices : Choices
        What to report of each point; its margin is that of the saturation. Its tests are not
        used: sizes are compared by intervals.
    seed : int
        The job's seed.
    loss_range : tuple of float or None
        What the loss can take.
    metrics : sequence of Chosen
        Measured at each point, beside the loss; steps and saturation are of the loss.
    """
    table = LossTable(
        points[0].losses.layout, {p.key: p.losses for p in points}, loss_range=loss_range
    )
    largest = points[-1]
    plain_choices = replace(
        choices,
        tests=(),
        omnibus=(),
        correction=NoCorrection.info.name,
        detail="full",
        control=None,
    )
    with_largest = replace(plain_choices, control=largest.key)
    evaluation = evaluate(table, with_largest, seed)
    judged = {point.key: point.judged for point in points if point.judged is not None}
    result = to_json(add_metrics(evaluation, metrics, judged, table.layout, with_largest, seed))
    smaller = [
        against_largest(point.label, int(point.n_train.max()), comparison, choices.alpha)
        for point, comparison in zip(points[:-1], result["comparisons"], strict=True)
    ]
    told_points = [_point_told(point, result["models"][point.key]) for point in points]
    law, reason = _law(points, loss_range)
    return {
        "points": told_points,
        "steps": [_step(table, a, b, plain_choices, seed) for a, b in pairwise(points)],
        "saturation": saturation(
            smaller, largest.label, int(largest.n_train.max()), n, choices.margin
        ),
        "power_law": None if law is None else _law_told(law, n, choices.level),
        "figure": _figure(told_points, law, metrics),
        "not_applicable": result["not_applicable"],
        "cautions": [*result["cautions"], *told(_doubts(points, reason))],
    }


def _point_told(point: Point, model: Mapping[str, Any]) -> dict[str, Any]:
    sizes = point.n_train
    return {
        "size": point.label,
        "n_train": {
            "mean": point.mean_size,
            "smallest": int(sizes.min()),
            "largest": int(sizes.max()),
        },
        **model,
    }


def _step(table: LossTable, a: Point, b: Point, choices: Choices, seed: int) -> dict[str, Any]:
    """Return what was gained from one size to the next: b minus a, negative where more helps.

    Intervals that draw resamples are not built for steps, unless the request names them.
    """
    two = LossTable(table.layout, {b.key: b.losses, a.key: a.losses})
    if choices.intervals is None:
        cheap = tuple(Chosen(name, name, INTERVALS[name]()) for name in intervals_on_any_variance())
        choices = replace(choices, intervals=cheap)
    (comparison,) = to_json(evaluate(two, choices, seed))["comparisons"]
    verdict = {k: comparison["verdict"][k] for k in ("decision", "also", "p_value", "reason")}
    return {
        "from": a.label,
        "to": b.label,
        "difference": comparison["difference"],
        "interval": comparison["interval"],
        "effect_size": comparison["effect_size"],
        "verdict": verdict,
        "cautions": comparison["cautions"],
    }


def _law(
    points: Sequence[Point], loss_range: tuple[float, float] | None
) -> tuple[PowerLaw | None, str | None]:
    sizes = [point.mean_size for point in points]
    if len(points) < 2 or not np.all(np.diff(sizes) > 0):
        return None, "a curve needs two different sizes"
    means = means_of_sizes(sizes, [point.losses for point in points])
    return fit_power_law(means, lowest=None if loss_range is None else loss_range[0])


def _law_told(law: PowerLaw, n: int, level: float) -> dict[str, Any]:
    def with_ends(value: float, error: float) -> dict[str, Any]:
        lower, upper = law.ends(value, error, level)
        return {"estimate": value, "standard_error": error, "lower": lower, "upper": upper}

    a, excess, c = law.errors()
    law_told: dict[str, Any] = plain(
        {
            "formula": "a + b n^-c",
            "a": with_ends(law.asymptote, a),
            "b": law.factor,
            "c": with_ends(law.exponent, c),
            "excess": with_ends(law.excess, excess),
            "at_all_rows": {"n": n, **with_ends(*law.at(n))},
            "at_twice_as_many": {"n": 2 * n, **with_ends(*law.at(2 * n))},
            "residual": law.residual,
            "level": level,
            "degrees_of_freedom": law.degrees_of_freedom,
        }
    )
    return law_told


def _figure(
    points: Sequence[Mapping[str, Any]], law: PowerLaw | None, metrics: Sequence[Chosen[Metric]]
) -> dict[str, Any]:
    """Return the numbers of a drawing: sizes, means, ends of the recommended interval, law."""
    x = [point["n_train"]["mean"] for point in points]
    drawn: dict[str, Any] = {
        "x": x,
        "y": [point["mean"]["macro"] for point in points],
        **_ends(points),
        "law": None,
    }
    for key in (entry.key for entry in metrics):
        of_points = [point["metrics"][key] for point in points]
        y = [of_one["estimate"][of_one["mean"]] for of_one in of_points]
        drawn.setdefault("metrics", {})[key] = {"y": y, **_ends(of_points)}
    if law is not None:
        fine = np.geomspace(x[0], x[-1], 40)
        drawn["law"] = {"x": fine, "y": [law.at(size)[0] for size in fine.tolist()]}
    return {key: plain(value) for key, value in drawn.items()}


def _ends(holders: Sequence[Mapping[str, Any]]) -> dict[str, list[float | None]]:
    best = [next((i for i in one["intervals"] if i["recommended"]), None) for one in holders]
    return {
        end: [None if interval is None else interval[end] for interval in best]
        for end in ("lower", "upper")
    }


def _doubts(points: Sequence[Point], reason: str | None) -> list[Caution]:
    cautions: list[Caution] = []
    if reason is not None:
        cautions.append(NO_POWER_LAW(reason=reason))
    if len(points) > 1:
        cautions.append(STEPS_NOT_CORRECTED())
    return cautions
