"""Repetitions of the coverage study for metrics that are not mean losses, and their differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.losses import Choices
from thetahat.analyses.metrics.inference import MetricInference, infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.predictions import collect_predictions
from thetahat.analyses.metrics.square_and_add import find_limits, infer_difference
from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.population import DRAW, OUTSIDE, REST
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.repetitions import RepeatedStudy, derive_repetition_seed
from thetahat.analyses.studies.truths import StudyLearner
from thetahat.cross_validation import build_loss_table, build_rows, run_splits
from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric
from thetahat.schemes import SCHEMES
from thetahat.seeds import make_random_stream
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import MeanKind
from thetahat_replications.presets.interval_coverage.metric_settings import (
    N_FOLDS,
    MetricSetting,
    Schemes,
    build_metric_settings,
)
from thetahat_replications.presets.interval_coverage.metric_truths import (
    DrawWithFreshRows,
    TrueValues,
    collect_truths_by_mean,
    compute_true_values,
)

N_JUDGED: Final = 4000
"""Fresh rows on which a model's metric is computed. With draws of 200 rows their own error adds 5 %
to the variance about the truth, which lowers a coverage of 0.95 by 0.006."""
SOURCES: Final = 8
"""Sources in a draw, if blocks are sources."""
N_RESAMPLES: Final = 400
"""Resamples of bootstrap intervals, fewer than by default."""
DIFFERENCE: Final = "difference"
"""The name of the first learner's metric minus the second's."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricStudy(RepeatedStudy):
    """Many draws of one setting and size: every metric and interval, with every scheme.

    The truth of an interval is the metric of the fitted models on fresh rows, in the mean that the
    interval is for. Macro: the average over the splits with a value of each model's metric (on its
    own source, if blocks are sources). Pooled: the metric of the predictions of all models of a
    repeat for the fresh rows, pooled as the service pools test rows, and averaged over repeats. For
    a new source, the model of each split is judged on one that was not drawn. Expected values are
    averages of these, or of the metric of the model learnt from all rows.
    """

    setting: MetricSetting
    n: int
    level: float
    seed: int
    repeats: bool = False

    @property
    def schemes(self) -> Schemes:
        """The schemes with which the metrics are estimated, by their names in the tables."""
        return self.setting.schemes(repeats=self.repeats)

    def repeat(self, index: int) -> dict[str, float]:
        """Run one repetition; a scheme with which a learner fails gets the record ``failed``."""
        seed, by_source = derive_repetition_seed(self.seed, index), self.setting.by_source
        record = {record_names.SOURCES: float(index) if by_source else 0.0}
        drawn = _draw(self.setting, self.n, seed)
        for key in self.schemes:
            failed = 0.0
            try:
                record.update(self._run_scheme(key, drawn, seed))
            except EvaluationError:
                failed = 1.0
            record[make_record_name(key, record_names.FAILED)] = failed
        return record

    def _run_scheme(self, key: str, drawn: DrawWithFreshRows, seed: int) -> dict[str, float]:
        """Return the records of all metrics with one scheme."""
        scheme_name, parameters = self.schemes[key]
        method: Any = SCHEMES[scheme_name]
        scheme, data = method(**parameters), drawn.data
        splits = list(scheme.splits(build_rows(data), seed))
        loss = LOSSES["zero_one" if data.task == CLASSIFICATION else "squared"]()
        methods: dict[str, Any] = {name: LEARNERS[name] for name in self.setting.learners}
        learners = {name: method() for name, method in methods.items()}
        outcomes = {
            name: run_splits(name, learner, data, splits, loss, seed, keep_predictions=True)
            for name, learner in learners.items()
        }
        layout = build_loss_table(data, scheme.block_kind, outcomes, loss).layout
        predictions = {name: collect_predictions(outcomes[name], data, name) for name in outcomes}
        metrics = build_task_metrics(data.task)
        true = {
            name: compute_true_values(
                metrics,
                StudyLearner(name=name, learner=learner, loss=loss, seed=seed),
                drawn,
                splits,
            )
            for name, learner in learners.items()
        }
        record: dict[str, float] = {}
        choices = Choices(level=self.level)
        for name, metric in metrics.items():
            measured = {
                learner_name: measure(metric, judged, layout, seed)
                for learner_name, judged in predictions.items()
            }
            values = {learner_name: by_metric[name] for learner_name, by_metric in true.items()}
            first, second = self.setting.learners
            of_first, of_second = (
                find_limits(metric, measured[learner_name], choices)
                for learner_name in self.setting.learners
            )
            readings = {
                learner_name: infer_metric(metric, of_model, choices, is_difference=False)
                for learner_name, of_model in measured.items()
            }
            measured[DIFFERENCE] = measured[first].minus(measured[second])
            readings[DIFFERENCE], _ = infer_difference(
                metric, of_first, of_second, measured[DIFFERENCE], choices
            )
            values[DIFFERENCE] = values[first].minus(values[second])
            for subject, metric_values in measured.items():
                reading = readings[subject]
                record.update(
                    _record_metric(key, (name, subject), metric_values, reading, values[subject])
                )
        return record


def build_task_metrics(task: str) -> dict[str, Metric]:
    """Return every metric of a task, with fewer resamples than by default."""
    methods: dict[str, Any] = {name: METRICS[name] for name in METRICS}
    return {
        name: method(n_resamples=N_RESAMPLES)
        for name, method in methods.items()
        if method.task == task
    }


def _draw(setting: MetricSetting, n: int, seed: int) -> DrawWithFreshRows:
    generator = setting.generator
    if not setting.by_source:
        sources: Any = generator.draw_sources(1, make_random_stream(seed, "study:sources"))
        # independent rows determine a model's value with the least error
        rest = sources.drop_clusters().draw(DrawSize(n=N_JUDGED), make_random_stream(seed, REST))
        data = sources.draw(DrawSize(n=n), make_random_stream(seed, DRAW))
        rng = make_random_stream(seed, "folds of clusters")
        return DrawWithFreshRows(_assign_clusters_to_folds(data, rng), rest, None)
    size = DrawSize(n_sources=SOURCES, per_source=max(n // SOURCES, 4))
    many = DrawSize(n_sources=SOURCES, per_source=N_JUDGED // SOURCES)
    sources = generator.draw_sources(SOURCES, make_random_stream(seed, "study:sources"))
    rng = make_random_stream(seed, OUTSIDE)
    return DrawWithFreshRows(
        sources.draw(size, make_random_stream(seed, DRAW)),
        sources.draw(many, make_random_stream(seed, REST)),
        generator.draw_sources(SOURCES, rng).draw(many, rng),
    )


def _assign_clusters_to_folds(data: Data, rng: np.random.Generator) -> Data:
    """Return the data with a random fold for each cluster, if rows come in clusters."""
    if data.cluster is None:
        return data
    n_clusters = int(data.cluster.max()) + 1
    return replace(data, fold=(rng.permutation(n_clusters) % N_FOLDS)[data.cluster])


def _record_metric(
    key: str,
    about: tuple[str, str],
    measured: MetricValues,
    reading: MetricInference,
    true: TrueValues,
) -> Iterator[tuple[str, float]]:
    """Yield estimates, truths and intervals of a metric; each mean is a subject of its own."""
    estimates = {MeanKind.MACRO: measured.macro, MeanKind.POOLED: measured.pooled}
    for mean, truths in collect_truths_by_mean(measured, true).items():
        subject = make_record_name(*about, mean)
        yield make_record_name(key, subject, record_names.MEAN, mean), estimates[mean]
        for truth, value in truths.items():
            yield make_record_name(key, subject, record_names.TRUTHS, truth), value
    for entry in reading.intervals:
        label = entry.method if entry.variance is None else f"{entry.method}:{entry.variance}"
        subject = make_record_name(*about, entry.mean)
        for name in (label, RECOMMENDED) if entry.recommended else (label,):
            place = (key, subject, record_names.INTERVALS, name, entry.target, entry.mean)
            yield (
                make_record_name(*place, "lower"),
                -math.inf if entry.lower is None else entry.lower,
            )
            yield (
                make_record_name(*place, "upper"),
                math.inf if entry.upper is None else entry.upper,
            )


@dataclass(frozen=True, slots=True, eq=False)
class MetricCell:
    """One population and sample size."""

    population: str
    n: int
    study: MetricStudy

    @property
    def name(self) -> str:
        """The beginning of the names of its records."""
        return f"metrics of {self.population}, {self.n}"


def build_metric_cells(
    populations: Sequence[str], sizes: Sequence[int], level: float, seed: int
) -> list[MetricCell]:
    """Return every cell of the named settings; all settings are used if none is named."""
    cells = []
    for name, setting in build_metric_settings().items():
        for n in sizes if not populations or name in populations else ():
            repeats = setting.repeats and n == sizes[0]
            study = MetricStudy(setting=setting, n=n, level=level, seed=seed, repeats=repeats)
            cells.append(MetricCell(name, n, study))
    return cells
