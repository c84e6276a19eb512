"""Coverage of the recommended intervals of models that were trained elsewhere, over tasks.

Such models are what a benchmark compares: no task has trained them, so their losses are drawn
directly, with exactly known expectations. Rows of a task may come in clusters, such as the
questions about one passage.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np
from scipy.special import expit, ndtr

import thetahat
from thetahat.intervals.base import Interval
from thetahat.losses import LOSSES
from thetahat.values.types import FloatArray, Target
from thetahat_replications.presets.interval_coverage.cell_selection import round_number
from thetahat_replications.presets.interval_coverage.power import COLUMNS, measure_interval

LEVEL: Final = 0.95
SIZES: Final = (200, 1000)
N_TASKS: Final = (8, 20)
KINDS: Final = ("zero_one", "brier", "squared")
CLUSTER_SIZE: Final = 5
CLUSTER_CORRELATION: Final = 0.5
SHARED: Final = 0.5
"""Share of the variance of tasks and of rows that both models have in common."""
TASK_SPREAD: Final = 0.4
"""Standard deviation of the tasks' effects."""
LOCATION: Final = -0.5
"""The average of the tasks' effects, for both models."""
MODELS: Final = ("first model", "second model")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSetting:
    """Tasks of a benchmark."""

    kind: str
    """Wire name of the loss that the values are like."""
    n_tasks: int
    n: int
    """Number of tasks, and rows in all of them."""
    in_clusters: bool
    """Whether rows of a task come in clusters."""

    @property
    def scheme(self) -> str:
        """The name of the design."""
        return f"{self.n_tasks} tasks{', clusters' if self.in_clusters else ''}"

    @property
    def population(self) -> str:
        """The name of the population in the tables."""
        return f"models trained elsewhere, {self.kind}"


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTasks:
    """Losses of two models, with their expectations."""

    losses: dict[str, FloatArray]
    """(n,) losses by model."""
    task: Any
    cluster: Any
    """(n,) labels; ``cluster`` is None without clusters."""
    expected: dict[str, float]
    """Mean over these tasks of the expected loss, by model."""


def list_settings() -> Iterator[TaskSetting]:
    """Yield every setting."""
    for kind, n_tasks, n, in_clusters in product(KINDS, N_TASKS, SIZES, (False, True)):
        yield TaskSetting(kind=kind, n_tasks=n_tasks, n=n, in_clusters=in_clusters)


def draw_tasks(setting: TaskSetting, rng: np.random.Generator) -> DrawnTasks:
    r"""Return the losses of one draw of tasks.

    With a standard normal :math:`z` of a row and the effect :math:`u` of its task, losses are
    :math:`1[z < u]` (expectation :math:`\Phi(u)`), :math:`2 \Phi(z)^{\exp(-u)}` (:math:`2 / (1 +
    e^{-u})`), or :math:`e^u z^2` (:math:`e^u`).
    """
    per_task = setting.n // setting.n_tasks
    task = np.repeat(np.arange(setting.n_tasks), per_task)
    cluster = np.arange(len(task)) // CLUSTER_SIZE if setting.in_clusters else None
    common_effects = rng.standard_normal(setting.n_tasks)
    common_rows = _draw_rows(len(task), cluster, rng)
    losses, expected = {}, {}
    for model in MODELS:
        own = math.sqrt(1 - SHARED) * rng.standard_normal(setting.n_tasks)
        effects = LOCATION + TASK_SPREAD * (math.sqrt(SHARED) * common_effects + own)
        z = math.sqrt(SHARED) * common_rows
        z += math.sqrt(1 - SHARED) * _draw_rows(len(task), cluster, rng)
        u = effects[task]
        if setting.kind == "zero_one":
            losses[model] = (z < u).astype(np.float64)
        elif setting.kind == "brier":
            losses[model] = 2 * ndtr(z) ** np.exp(-u)
        else:
            losses[model] = np.exp(u) * z**2
        expected[model] = float(_compute_expectation(setting.kind, effects).mean())
    return DrawnTasks(losses, task, cluster, expected)


def _draw_rows(n: int, cluster: Any, rng: np.random.Generator) -> FloatArray:
    rows = rng.standard_normal(n)
    if cluster is None:
        return rows
    shared = rng.standard_normal(int(cluster[-1]) + 1)[cluster]
    return np.asarray(
        math.sqrt(1 - CLUSTER_CORRELATION) * rows + math.sqrt(CLUSTER_CORRELATION) * shared
    )


def _compute_expectation(kind: str, effects: FloatArray) -> FloatArray:
    if kind == "zero_one":
        return np.asarray(ndtr(effects))
    return np.asarray(2 * expit(effects) if kind == "brier" else np.exp(effects))


def compute_expectation_on_new_task(kind: str) -> float:
    """Return the expected loss on a task that is drawn anew, by Gauss-Hermite quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    values = _compute_expectation(kind, LOCATION + TASK_SPREAD * points)
    return float(weights @ values / weights.sum())


def measure(
    seed: int,
    repetitions: int,
    processes: int,
    chosen: Collection[tuple[int, str]] | None = None,
) -> list[Row]:
    """Return a row for each setting, target, model and the difference of the models.

    ``chosen`` has numbers of rows and schemes; None for all.
    """
    settings = {
        number: setting
        for number, setting in enumerate(list_settings())
        if chosen is None or (setting.n, setting.scheme) in chosen
    }
    with ProcessPoolExecutor(processes) as pool:
        run = partial(_measure_setting, seed, repetitions)
        of_settings = pool.map(run, settings.keys(), settings.values())
        return [row for rows in of_settings for row in rows]


def _measure_setting(seed: int, repetitions: int, number: int, setting: TaskSetting) -> list[Row]:
    rng = np.random.default_rng([seed, number])
    on_new = compute_expectation_on_new_task(setting.kind)
    built: dict[tuple[str, Target, str], list[tuple[float, float, float, float]]] = {}
    for _ in range(repetitions):
        drawn = draw_tasks(setting, rng)
        for subject, interval in _list_intervals(setting, drawn):
            truths = [
                on_new if interval.target is Target.NEW_SOURCE else drawn.expected[model]
                for model in MODELS
            ]
            truth = dict(zip(MODELS, truths, strict=True)).get(subject, truths[0] - truths[1])
            assert interval.lower is not None  # noqa: S101 - two-sided
            assert interval.upper is not None  # noqa: S101 - same
            key = (subject, interval.target, f"{interval.method}:{interval.variance}")
            numbers = (interval.estimate, interval.lower, interval.upper, truth)
            built.setdefault(key, []).append(numbers)
    return [
        _write_row(setting, key, *np.array(numbers).T)
        for key, numbers in built.items()
        if len(numbers) > repetitions / 2
    ]


def _list_intervals(setting: TaskSetting, drawn: DrawnTasks) -> Iterator[tuple[str, Interval]]:
    """Yield every recommended interval with what it is about."""
    variances_of_clusters = ("theta_A_clusters", "cluster_robust") if setting.in_clusters else ()
    intervals_of_clusters = ("skewness_corrected",) if setting.in_clusters else ()
    result = thetahat.evaluate(
        drawn.losses,
        blocks="source",
        block=drawn.task.tolist(),
        n_train=0,
        cluster=None if drawn.cluster is None else drawn.cluster.tolist(),
        # the others are never recommended here, and take most of the time
        intervals=["student_t", "normal", *intervals_of_clusters],
        variances=["theta_A", "theta_gamma", *variances_of_clusters],
        tests=["sign"],
        level=LEVEL,
    )
    for model in MODELS:
        for interval in (result.models[model].recommended or {}).values():
            yield model, interval
    (pair,) = result.comparisons
    assert pair.recommended is not None  # noqa: S101 - intervals are named
    for interval in pair.recommended.values():
        yield f"{pair.a} - {pair.b}", interval


def _write_row(  # noqa: PLR0913 - what a row is about, and the (R,) numbers of its samples
    setting: TaskSetting,
    key: tuple[str, Target, str],
    estimates: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    truths: FloatArray,
) -> Row:
    subject, target, interval = key
    n = len(truths)
    share = float(np.mean((lower <= truths) & (truths <= upper)))
    width, spread = float(np.mean(upper - lower)), float(np.std(upper - lower))
    is_difference = " - " in subject
    value_range = LOSSES[setting.kind]().value_range
    measured = measure_interval(
        estimates, (lower, upper), truths, LEVEL, value_range, is_difference=is_difference
    )
    near = (share * n + 1) / (n + 2)  # a share of 1 has an error, too
    coverage = [round(share, 4), round(math.sqrt(near * (1 - near) / n), 4)]
    return {
        "population": setting.population,
        "loss": setting.kind,
        "values": {"zero_one": "binary", "brier": "bounded", "squared": "unbounded"}[setting.kind],
        "n": setting.n,
        "repetitions": n,
        "of": "difference" if is_difference else "model",
        "learner": subject,
        "scheme": setting.scheme,
        "target": target.value,
        "interval": interval,
        "coverage": coverage,
        "width": [round(width, 4), round(spread / math.sqrt(n), 4)],
        **{name: round_number(measured.get(name)) for name in COLUMNS},
        "before": coverage,
        "others": {},
    }
