"""Repetitions of the coverage study for metrics that are no averages, and their differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from replications.coverage.metric_settings import (
    N_FOLDS,
    MetricSetting,
    Schemes,
    metric_settings,
)
from replications.coverage.metric_truths import Fresh, TrueValues, true_values, truths_by_mean
from thetahat.analyses.losses import Choices
from thetahat.analyses.metrics.inference import Reading, read
from thetahat.analyses.metrics.metric_values import Measured, measure
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.population import DRAW, OUTSIDE, REST
from thetahat.analyses.studies.record_names import record_name
from thetahat.analyses.studies.repetitions import repetition_seed, run_one_by_one
from thetahat.analyses.studies.truths import StudyLearner
from thetahat.cross_validation import loss_table, rows_of, run_splits
from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric
from thetahat.schemes import SCHEMES
from thetahat.seeds import stream
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import FloatArray, MeanKind

N_JUDGED: Final = 4000
"""Fresh rows on which a model's metric is taken. At 200 rows their own error adds 5 per cent to the
variance about the truth, which takes .006 from a coverage of .95."""
SOURCES: Final = 8
RESAMPLES: Final = 400
DIFFERENCE: Final = "difference"
"""What the first learner's metric less the second's is called."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricStudy:
    """Many draws of one setting and size; every metric, every interval, under every scheme.

    The truth of an interval is the metric of the fitted models on fresh rows, in the mean that the
    interval is about: macro, the average over splits that have a value of each model's metric
    (where blocks are sources, on its own source); pooled, the metric of what all models of a repeat
    say of the fresh rows, put together as the service puts test rows together, and averaged over
    repeats. For a new source each split's model is measured on one that was not drawn. Expected
    values are averages of these, or of the metric of the model learnt from all rows.
    """

    setting: MetricSetting
    n: int
    level: float
    seed: int
    repeats: bool = False

    @property
    def schemes(self) -> Schemes:
        """The schemes under which the learners are measured, by what the tables call them."""
        return self.setting.schemes(repeats=self.repeats)

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Do some repetitions."""
        return run_one_by_one(self.repeat, start, stop)

    def repeat(self, index: int) -> dict[str, float]:
        """Do one repetition; a scheme under which a learner refuses its rows gives ``failed``."""
        seed, by_source = repetition_seed(self.seed, index), self.setting.by_source
        record = {record_names.SOURCES: float(index) if by_source else 0.0}
        drawn = _draw(self.setting, self.n, seed)
        for key in self.schemes:
            failed = 0.0
            try:
                record.update(self._measured(key, drawn, seed))
            except EvaluationError:
                failed = 1.0
            record[record_name(key, record_names.FAILED)] = failed
        return record

    def _measured(self, key: str, drawn: Fresh, seed: int) -> dict[str, float]:
        scheme_name, parameters = self.schemes[key]
        method: Any = SCHEMES[scheme_name]
        scheme, data = method(**parameters), drawn.data
        splits = list(scheme.splits(rows_of(data), seed))
        loss = LOSSES["zero_one" if data.task == CLASSIFICATION else "squared"]()
        methods: dict[str, Any] = {name: LEARNERS[name] for name in self.setting.learners}
        learners = {name: method() for name, method in methods.items()}
        outcomes = {
            name: run_splits(name, learner, data, splits, loss, seed, keep_predictions=True)
            for name, learner in learners.items()
        }
        layout = loss_table(data, scheme.block_kind, outcomes, loss).layout
        judged = {name: judged_from(of_one, data, name) for name, of_one in outcomes.items()}
        metrics = metrics_of(data.task)
        true = {
            name: true_values(
                metrics, StudyLearner(name=name, learner=one, loss=loss, seed=seed), drawn, splits
            )
            for name, one in learners.items()
        }
        record: dict[str, float] = {}
        choices = Choices(level=self.level)
        for name, metric in metrics.items():
            measured = {who: measure(metric, one, layout, seed) for who, one in judged.items()}
            values = {who: one[name] for who, one in true.items()}
            first, second = self.setting.learners
            measured[DIFFERENCE] = measured[first].minus(measured[second])
            values[DIFFERENCE] = values[first].minus(values[second])
            for who, one in measured.items():
                reading = read(metric, one, choices, is_difference=who == DIFFERENCE)
                record.update(_told(key, (name, who), one, reading, values[who]))
        return record


def metrics_of(task: str) -> dict[str, Metric]:
    """Return every metric of a task, with fewer resamples than by default."""
    made: dict[str, Any] = {name: METRICS[name] for name in METRICS}
    return {
        name: method(n_resamples=RESAMPLES) for name, method in made.items() if method.task == task
    }


def _draw(setting: MetricSetting, n: int, seed: int) -> Fresh:
    generator = setting.generator
    if not setting.by_source:
        sources: Any = generator.draw_sources(1, stream(seed, "study:sources"))
        # rows each by itself tell a model's value with the least noise
        rest = sources.without_clusters().draw(DrawSize(n=N_JUDGED), stream(seed, REST))
        data = sources.draw(DrawSize(n=n), stream(seed, DRAW))
        return Fresh(_dealt_whole(data, stream(seed, "folds of clusters")), rest, None)
    size = DrawSize(n_sources=SOURCES, per_source=max(n // SOURCES, 4))
    many = DrawSize(n_sources=SOURCES, per_source=N_JUDGED // SOURCES)
    sources = generator.draw_sources(SOURCES, stream(seed, "study:sources"))
    rng = stream(seed, OUTSIDE)
    return Fresh(
        sources.draw(size, stream(seed, DRAW)),
        sources.draw(many, stream(seed, REST)),
        generator.draw_sources(SOURCES, rng).draw(many, rng),
    )


def _dealt_whole(data: Data, rng: np.random.Generator) -> Data:
    """Return the data with a fold for each cluster, where rows come in clusters."""
    if data.cluster is None:
        return data
    n_clusters = int(data.cluster.max()) + 1
    return replace(data, fold=(rng.permutation(n_clusters) % N_FOLDS)[data.cluster])


def _told(
    key: str, about: tuple[str, str], measured: Measured, reading: Reading, true: TrueValues
) -> Iterator[tuple[str, float]]:
    """Yield estimates, truths and intervals; of each mean a subject of its own."""
    estimates = {MeanKind.MACRO: measured.macro, MeanKind.POOLED: measured.pooled}
    for mean, truths in truths_by_mean(measured, true).items():
        subject = record_name(*about, mean)
        yield record_name(key, subject, record_names.MEAN, mean), estimates[mean]
        for truth, value in truths.items():
            yield record_name(key, subject, record_names.TRUTHS, truth), value
    for one in reading.intervals:
        label = one.method if one.variance is None else f"{one.method}:{one.variance}"
        for called in (label, RECOMMENDED) if one.recommended else (label,):
            where = (
                record_name(*about, one.mean),
                record_names.INTERVALS,
                called,
                one.target,
                one.mean,
            )
            yield record_name(key, *where, "lower"), _end(one.lower, -math.inf)
            yield record_name(key, *where, "upper"), _end(one.upper, math.inf)


def _end(value: float | None, opened: float) -> float:
    return opened if value is None else value


@dataclass(frozen=True, slots=True, eq=False)
class MetricCell:
    """One population and size, for the tables."""

    population: str
    n: int
    study: MetricStudy

    @property
    def name(self) -> str:
        """What its records begin with."""
        return f"metrics of {self.population}, {self.n}"


def metric_cells(
    chosen: Sequence[str], sizes: Sequence[int], level: float, seed: int
) -> list[MetricCell]:
    """Return every cell of the chosen settings; of all where none is named."""
    found = []
    for name, setting in metric_settings().items():
        for n in sizes if not chosen or name in chosen else ():
            repeats = setting.repeats and n == sizes[0]
            study = MetricStudy(setting=setting, n=n, level=level, seed=seed, repeats=repeats)
            found.append(MetricCell(name, n, study))
    return found
