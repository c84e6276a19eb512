"""A study by its parts: a population, how much is drawn, and estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from thetahat.analyses.losses.refit_estimates import NO_REFIT_ESTIMATES, RefitEstimates
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general_tables import tabulate
from thetahat.analyses.studies.learner_choice import record_choice
from thetahat.analyses.studies.loss_records import record_losses
from thetahat.analyses.studies.population import (
    DrawnData,
    DrawnPair,
    Population,
    PopulationSources,
    StudyDraw,
)
from thetahat.analyses.studies.record_names import FAILED, KNOWN, SOURCES, TRUTHS, record_name
from thetahat.analyses.studies.repetitions import repetition_seed, run_one_by_one
from thetahat.analyses.studies.row_subsets import separate_copies
from thetahat.analyses.studies.truths import StudyLearner, check_truths, compute_truths
from thetahat.analyses.studies.weighted_risk_records import record_weighted_risks
from thetahat.cross_validation import loss_table, rows_of, run_splits
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.generators import DrawnLosses, DrawSize
from thetahat.refit_estimators import (
    RefitDesign,
    RefitLosses,
    RefitTask,
    collect_designs,
    compute_estimates,
    join_losses,
    run_design,
)
from thetahat.seeds import stream
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GeneralStudy:
    """Many draws from one population, each with all estimators.

    Parameters
    ----------
    population : Population
        Where data come from.
    size : Size
        Of one draw.
    estimators : sequence of Estimator
        All see the same draws, and the same splits where they have the same scheme.
    seed : int
        Of the job.
    same_sources : int or None
        How many repetitions, one after another, draw from the same sources before others are
        drawn; None keeps the first for all. What speaks of these sources is true of one set.
    """

    population: Population
    size: DrawSize
    estimators: Sequence[StudyEstimator]
    seed: int
    same_sources: int | None = 1
    _settled: dict[int, PopulationSources] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for estimator in self.estimators:
            check_truths(estimator.truths)

    @property
    def grain(self) -> int:
        """One: every repetition stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Do some repetitions."""
        return run_one_by_one(self.repeat, start, stop)

    def repeat(self, index: int) -> dict[str, float]:
        """Do one repetition; an estimator that its draw is too little for gives ``failed``."""
        record = {SOURCES: float(self._number(index))}
        drawn, seed = self._draw(index)
        for estimator in self.estimators:
            failed = 0.0
            try:
                record.update(_estimates(estimator, drawn, seed))
            except EvaluationError:
                failed = 1.0
            record[record_name(estimator.key, FAILED)] = failed
        return record

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate; where nothing at all came out, raise what the first repetition refused."""
        words: dict[str, str] = {}
        errors: list[EvaluationError] = []
        for estimator in self.estimators:
            failed = records[record_name(estimator.key, FAILED)] > 0
            if failed.any():
                error = self._refusal(estimator, int(np.argmax(failed)))
                words[estimator.key] = error.message
                errors += [error] * bool(failed.all())
        if len(errors) == len(self.estimators):
            raise errors[0]
        return tabulate(records, self.estimators, words, self.population.truth_from)

    def _refusal(self, estimator: StudyEstimator, index: int) -> EvaluationError:
        """Return why an estimator gave nothing in one repetition."""
        try:
            _estimates(estimator, *self._draw(index))
        except EvaluationError as error:
            return error
        return EvaluationError("it was refused")  # records with gaps: the index is another's

    def _draw(self, index: int) -> tuple[StudyDraw, int]:
        seed = repetition_seed(self.seed, index)
        return self._sources(index).draw(self.size, seed), seed

    def _number(self, index: int) -> int:
        """Return which set of sources a repetition is drawn from."""
        alike = self.same_sources is None or self.size.n_sources is None
        return 0 if alike else index // (self.same_sources or 1)

    def _sources(self, index: int) -> PopulationSources:
        number = self._number(index)
        if number not in self._settled:
            self._settled.clear()  # repetitions come one after another
            rng = stream(self.seed, "study:sources", number)
            self._settled[number] = self.population.draw_sources(self.size, rng)
        return self._settled[number]


def _estimates(estimator: StudyEstimator, drawn: StudyDraw, seed: int) -> dict[str, float]:
    """Return what one estimator gives of one draw; raises what it refuses."""
    if isinstance(drawn, DrawnLosses):
        record = record_losses(estimator, drawn.table, seed)
        return record | _told_truths(estimator.key, drawn)
    if isinstance(drawn, DrawnPair):
        return record_weighted_risks(estimator, drawn, seed)
    return _of_data(estimator, drawn, seed)


def _told_truths(key: str, drawn: DrawnLosses) -> dict[str, float]:
    told: dict[str, float] = {}
    for model, truths in drawn.truths.items():
        told.update(
            {record_name(key, model, TRUTHS, name): value for name, value in truths.items()}
        )
    for model, known in drawn.variances.items():
        told.update({record_name(key, model, KNOWN, name): value for name, value in known.items()})
    return told


def _of_data(estimator: StudyEstimator, drawn: DrawnData, seed: int) -> dict[str, float]:
    estimator = estimator.told_classes(drawn.data.classes)
    if estimator.scheme is None or estimator.loss is None or not estimator.learners:
        raise UnsupportedCombination(
            f"estimator {estimator.key!r} needs a scheme, a loss and learners: data are drawn here"
        )
    data, scheme, loss = drawn.data, estimator.scheme, estimator.loss
    splits = list(scheme.splits(rows_of(data), seed))
    if drawn.group is not None:
        splits = list(separate_copies(splits, drawn.group))
    outcomes = {
        name: run_splits(name, learner, data, splits, loss, seed)
        for name, learner in estimator.learners.items()
    }
    table = loss_table(data, scheme.block_kind, outcomes, loss)
    record = record_losses(estimator, table, seed, _found(estimator, drawn, seed))
    truths = {
        name: compute_truths(
            StudyLearner(name=name, learner=learner, loss=loss, seed=seed),
            drawn,
            splits,
            scheme.block_kind,
            estimator.truths,
        )
        for name, learner in estimator.learners.items()
    }
    for name, of_one in truths.items():
        for truth, value in of_one.items():
            record[record_name(estimator.key, name, TRUTHS, truth)] = value
    if estimator.select is not None:
        record |= record_choice(estimator.key, estimator.select, outcomes, truths)
    return record


def _found(estimator: StudyEstimator, drawn: DrawnData, seed: int) -> RefitEstimates:
    """Return what the methods that fit again find, all their fits made here."""
    if not estimator.refits or estimator.loss is None:
        return NO_REFIT_ESTIMATES
    if drawn.group is not None:
        raise UnsupportedCombination(
            "methods that fit the learner again draw splits of their own and would part copies; "
            "leave out replace and duplicates"
        )
    data, own = drawn.data, int(stream(seed, "refits").integers(2**63 - 1))
    fits: dict[str, dict[RefitDesign, RefitLosses]] = {}
    for name, learner in estimator.learners.items():
        learning = RefitTask(name, learner, data, estimator.loss)
        fits[name] = {}
        for design in collect_designs(estimator.refits):
            n = design.n_splits(rows_of(data))
            fits[name][design] = join_losses(
                data, own, [run_design(learning, design, own, 0, n)[0]]
            )
    return compute_estimates(estimator.refits, fits, estimator.choices)
