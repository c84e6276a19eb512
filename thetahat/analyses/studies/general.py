"""A study described by its parts: a population, the size of a draw, and estimators."""

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
    DrawFromSources,
    DrawnData,
    DrawnPair,
    Population,
    StudyDraw,
)
from thetahat.analyses.studies.record_names import FAILED, KNOWN, SOURCES, TRUTHS, make_record_name
from thetahat.analyses.studies.repetitions import RepeatedStudy, derive_repetition_seed
from thetahat.analyses.studies.row_subsets import separate_copies
from thetahat.analyses.studies.truths import StudyLearner, check_truths, compute_truths
from thetahat.analyses.studies.weighted_risk_records import record_weighted_risks
from thetahat.cross_validation import build_loss_table, build_rows, run_splits
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.generators import DrawnLosses, DrawSize
from thetahat.refit_estimators import RefitDesign, RefitLosses, collect_designs, compute_estimates
from thetahat.refit_estimators._extra_fits import (
    RefitTask,
    compute_refit_seed,
    join_losses,
    run_design,
)
from thetahat.seeds import make_random_stream


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GeneralStudy(RepeatedStudy):
    """Many draws from one population, each given to all estimators."""

    population: Population
    """Where the data come from."""
    size: DrawSize
    """The size of one draw."""
    estimators: Sequence[StudyEstimator]
    """All get the same draws, and the same splits if they have the same scheme."""
    seed: int
    """The job's seed."""
    same_sources: int | None = 1
    """Consecutive repetitions that share their sources before others are drawn; None keeps the
    first sources for all. The target "these sources" refers to one set of sources."""
    _sources_by_number: dict[int, DrawFromSources] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        for estimator in self.estimators:
            check_truths(estimator.truths)

    def repeat(self, index: int) -> dict[str, float]:
        """Run one repetition; an estimator that refuses the draw gets the record ``failed``."""
        record = {SOURCES: float(self._get_source_set(index))}
        drawn, seed = self._draw(index)
        for estimator in self.estimators:
            failed = 0.0
            try:
                record.update(_run_estimator(estimator, drawn, seed))
            except EvaluationError:
                failed = 1.0
            record[make_record_name(estimator.key, FAILED)] = failed
        return record

    def finish(self, records: Records) -> StudyFindings:
        """Return the tables, or raise the first exception if every estimator always failed."""
        messages: dict[str, str] = {}
        errors: list[EvaluationError] = []
        for estimator in self.estimators:
            failed = records[make_record_name(estimator.key, FAILED)] > 0
            if failed.any():
                error = self._find_error(estimator, int(np.argmax(failed)))
                messages[estimator.key] = error.message
                errors += [error] * bool(failed.all())
        if len(errors) == len(self.estimators):
            raise errors[0]
        return tabulate(records, self.estimators, messages, self.population.truth_from)

    def _find_error(self, estimator: StudyEstimator, index: int) -> EvaluationError:
        """Return why an estimator failed in one repetition."""
        try:
            _run_estimator(estimator, *self._draw(index))
        except EvaluationError as error:
            return error
        # the records have gaps, so that the row at this index is another repetition's
        return EvaluationError("The reason was not recorded.")

    def _draw(self, index: int) -> tuple[StudyDraw, int]:
        seed = derive_repetition_seed(self.seed, index)
        return self._draw_sources(index)(self.size, seed), seed

    def _get_source_set(self, index: int) -> int:
        """Return the number of the set of sources that a repetition is drawn from."""
        is_single = self.same_sources is None or self.size.n_sources is None
        return 0 if is_single else index // (self.same_sources or 1)

    def _draw_sources(self, index: int) -> DrawFromSources:
        number = self._get_source_set(index)
        if number not in self._sources_by_number:
            self._sources_by_number.clear()  # only the last is kept: repetitions run in order
            rng = make_random_stream(self.seed, "study:sources", number)
            self._sources_by_number[number] = self.population.draw_sources(self.size, rng)
        return self._sources_by_number[number]


def _run_estimator(estimator: StudyEstimator, drawn: StudyDraw, seed: int) -> dict[str, float]:
    """Return the records of one estimator on one draw, or raise why it refuses the draw."""
    if isinstance(drawn, DrawnLosses):
        record = record_losses(estimator, drawn.table, seed)
        return record | _record_known_truths(estimator.key, drawn)
    if isinstance(drawn, DrawnPair):
        return record_weighted_risks(estimator, drawn, seed)
    return _run_on_data(estimator, drawn, seed)


def _record_known_truths(key: str, drawn: DrawnLosses) -> dict[str, float]:
    record: dict[str, float] = {}
    for model, truths in drawn.truths.items():
        record.update(
            {make_record_name(key, model, TRUTHS, name): value for name, value in truths.items()}
        )
    for model, variances in drawn.variances.items():
        record.update(
            {make_record_name(key, model, KNOWN, name): value for name, value in variances.items()}
        )
    return record


def _run_on_data(estimator: StudyEstimator, drawn: DrawnData, seed: int) -> dict[str, float]:
    estimator = estimator.for_classes(drawn.data.classes)
    if estimator.scheme is None or estimator.loss is None or not estimator.learners:
        raise UnsupportedCombination(
            f"The estimator {estimator.key!r} needs a scheme, a loss and learners, because the "
            "population gives rows of data."
        )
    data, scheme, loss = drawn.data, estimator.scheme, estimator.loss
    splits = list(scheme.splits(build_rows(data), seed))
    if drawn.group is not None:
        splits = list(separate_copies(splits, drawn.group))
    outcomes = {
        name: run_splits(name, learner, data, splits, loss, seed)
        for name, learner in estimator.learners.items()
    }
    table = build_loss_table(data, scheme.block_kind, outcomes, loss)
    record = record_losses(estimator, table, seed, _run_refits(estimator, drawn, seed))
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
    for name, by_truth in truths.items():
        for truth, value in by_truth.items():
            record[make_record_name(estimator.key, name, TRUTHS, truth)] = value
    if estimator.select is not None:
        record |= record_choice(estimator.key, estimator.select, outcomes, truths)
    return record


def _run_refits(estimator: StudyEstimator, drawn: DrawnData, seed: int) -> RefitEstimates:
    """Return the estimates of the methods that fit the learners again."""
    if not estimator.refits or estimator.loss is None:
        return NO_REFIT_ESTIMATES
    if drawn.group is not None:
        raise UnsupportedCombination(
            "Methods that fit the learner again draw their own splits, which would put copies of "
            "a row on both sides. Remove these methods, or leave out draw.replace and "
            "population.duplicates."
        )
    data, refit_seed = drawn.data, compute_refit_seed(seed)
    fits: dict[str, dict[RefitDesign, RefitLosses]] = {}
    for name, learner in estimator.learners.items():
        learning = RefitTask(name, learner, data, estimator.loss)
        fits[name] = {}
        for design in collect_designs(estimator.refits):
            n = design.n_splits(build_rows(data))
            outcomes = run_design(learning, design, refit_seed, 0, n)[0]
            fits[name][design] = join_losses(data, refit_seed, [outcomes])
    return compute_estimates(estimator.refits, fits, estimator.choices)
