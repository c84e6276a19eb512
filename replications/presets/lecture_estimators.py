"""The lecture's table of risk estimators: estimate, deviation, bias and mean squared error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from replications.lectures.estimators_result import findings
from replications.lectures.risk_estimates import Population, Sample, risk_estimates
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import OneRecord, repetition_generator, run_one_by_one
from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

ROLE: Final = "genes"
CLASSIFIERS: Final = ("lda", "dda", "nn", "cart")
FEWEST: Final = 5
"""Rows of a class in a sample: training parts of a half then have two of them soon enough."""
FRESH: Final = 1000
"""Rows of a generator that stand for the population, where no data set is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureEstimators:
    r"""Estimators of the risk of four classifiers on small samples of many features.

    One repetition draws ``n`` rows, in the population's shares of classes, and estimates the risk
    of each classifier on them: by v-fold cross-validation with p = 1/v = .5, .2 and .1, leave-one-
    out, a split with a third and with a half of the rows to test on, and .632+ with ``resamples``
    resamples. In every training part the ``n_genes`` columns with the largest two-sample t are
    chosen anew. The truth :math:`R(f^S)` is the error, on the rows that were not drawn, of the
    classifier that is fitted on all n.

    Source: zelezny2011, the table after molinaro2005.

    Deviations: the source's own data are not at hand; signs and orders can be told, its digits
    not. Trees are scikit-learn's, not pruned. Folds, splits and resamples that leave fewer than
    two rows of a class to learn from are drawn again.

    Parameters
    ----------
    n : int
        Rows in a sample, at least 20.
    n_genes : int
        Columns that are kept.
    resamples : int
        Of .632+.
    classifiers : tuple of str
        Of ``lda dda nn cart``.
    """

    n: int = 40
    n_genes: int = 10
    resamples: int = 50
    classifiers: tuple[str, ...] = CLASSIFIERS

    info: ClassVar[MethodInfo] = MethodInfo(
        name="lecture_estimators",
        title="Risk estimators on small samples (the lecture's table)",
        summary=(
            "Mean, deviation, bias and mean squared error of cross-validation, leave-one-out, "
            "split samples and .632+ for LDA, DDA, nearest neighbour and a tree, with features "
            "chosen inside every training part."
        ),
        references=("zelezny2011", "molinaro2005", "hastie2009"),
        assumptions="The data set is the population: rows are drawn from it without replacement.",
        errs=(
            "Samples of one small data set share rows: errors over repetitions speak of this "
            "population, and the rows not drawn are a little different for every sample."
        ),
    )
    repetitions: ClassVar[int] = 1000
    roles: ClassVar[Mapping[str, str]] = {
        ROLE: (
            "Numeric features, many more than rows, with a target of two classes, such as gene "
            "expression."
        )
    }

    def __post_init__(self) -> None:
        for name, least in (("n", 20), ("n_genes", 1), ("resamples", 2)):
            value = getattr(self, name)
            if value < least:
                raise InvalidParameter(
                    f"{name} must be {least} or more, got {value}", loc=(name,), value=value
                )
        unknown = [name for name in self.classifiers if name not in CLASSIFIERS]
        if unknown or not self.classifiers:
            raise InvalidParameter(
                f"classifiers are of {', '.join(CLASSIFIERS)}, got {list(self.classifiers)}",
                loc=("classifiers",),
                value=list(self.classifiers),
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> EstimatorsStudy:
        """Return the study of these data, or of a generator."""
        if ROLE not in data:
            return EstimatorsStudy(self, None, seed)
        given = data[ROLE]
        if given.n_classes != 2:
            raise InvalidParameter(
                f"two classes are needed, and there are {given.n_classes}", loc=("data", ROLE)
            )
        X = given.features.complete_matrix()
        population = Population(X, np.asarray(given.y, dtype=np.intp))
        shares = population.drawn_of_class(self.n)
        left = population.sizes() - shares
        if shares.min() < FEWEST or left.min() < 1:
            raise InsufficientData(
                f"samples of {self.n} rows take {shares[0]} and {shares[1]} of the classes' "
                f"{population.sizes()[0]} and {population.sizes()[1]} rows; {FEWEST} of each are "
                "needed in a sample, and one of each must be left to test on",
                loc=("n",),
                value=self.n,
            )
        if X.shape[1] < self.n_genes:
            raise InsufficientData(
                f"{self.n_genes} columns cannot be chosen from {X.shape[1]}",
                loc=("n_genes",),
                value=self.n_genes,
            )
        return EstimatorsStudy(self, population, seed)


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorsStudy:
    """The repetitions: ``truth`` and one record per estimator, (classifiers,) each."""

    preset: LectureEstimators
    population: Population | None
    seed: int

    @property
    def grain(self) -> int:
        """Each sample stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw samples and estimate."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate as the lecture does."""
        cautions: tuple[Caution, ...] = ()
        if self.population is None:
            cautions = (
                GENERATED_POPULATION(role=ROLE, generator="the generator two_class_gaussian"),
            )
        return findings(records, self.preset.classifiers, self.preset.n, cautions)

    def _repeat(self, index: int) -> OneRecord:
        rng = repetition_generator(self.seed, index)
        if self.population is None:
            generator = TwoClassGaussian(
                n_features=500, n_relevant=20, shift=0.8, correlation=0.3, block_size=10
            )
            size = DrawSize(n=self.preset.n + FRESH)
            drawn = generator.draw_sources(1, rng).draw(size, rng)
            fresh = Population(drawn.features.matrix(), np.asarray(drawn.y, dtype=np.intp))
            return self._estimates(fresh, rng)
        return self._estimates(self.population, rng)

    def _estimates(self, population: Population, rng: np.random.Generator) -> OneRecord:
        rows, others = population.draw(self.preset.n, rng)
        sample = Sample.of(population, rows, others, self.preset.n_genes)
        return risk_estimates(sample, self.preset.classifiers, self.preset.resamples, rng)


METHOD = LectureEstimators
