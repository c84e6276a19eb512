"""Parameters and repetitions of the preset ``lecture_estimators``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.cautions import GENERATED_POPULATION, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat_replications.parameter_checks import require_at_least
from thetahat_replications.presets.lecture_estimators.risk_estimates import (
    FinitePopulation,
    GeneSample,
    estimate_risks,
)
from thetahat_replications.presets.lecture_estimators.tables import compute_findings

ROLE: Final = "genes"
CLASSIFIERS: Final = ("lda", "dda", "nn", "cart")
MIN_CLASS_ROWS_IN_SAMPLE: Final = 5
"""Expected rows of each class in a sample: a random half then mostly has two of them."""
N_FRESH: Final = 1000
"""Rows of the generator on which true errors are computed, if there is no data set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureEstimators:
    r"""Estimators of the risk of four classifiers on small samples of many features.

    One repetition draws ``n`` rows at random and estimates the risk of each classifier on them: by
    v-fold cross-validation with p = 1/v = 0.5, 0.2 and 0.1, by leave-one-out, by splits with a
    third and with a half of the rows to test on, and by .632+ with ``resamples`` resamples. Every
    training part chooses its own ``n_genes`` columns with the largest absolute two-sample t. The
    truth :math:`R(f^S)` is the error, on the rows that were not drawn, of the classifier fitted on
    all n rows.

    The lecture shows the table of molinaro2005.

    Deviations: the source's data are not available, so signs and orders can be compared but not
    its digits. Trees are scikit-learn's, not pruned. A training part with fewer than two rows of a
    class predicts the other class; nothing is drawn again, and numbers of rows by class are not
    fixed, since both would bias a split as an estimate of the risk of what it fitted.
    """

    n: int = 40
    """Rows in a sample, at least 20."""
    n_genes: int = 10
    """Columns chosen in each training part."""
    resamples: int = 50
    """Bootstrap resamples for .632+."""
    classifiers: tuple[str, ...] = CLASSIFIERS
    """Any of ``lda dda nn cart``."""

    info: ClassVar[MethodInfo] = MethodInfo(
        name="lecture_estimators",
        title="Risk estimators on small samples (the lecture's table)",
        summary=(
            "Mean, standard deviation, bias and mean squared error of cross-validation, "
            "leave-one-out, split samples and .632+ for LDA, DDA, nearest neighbour and a tree, "
            "with features chosen within every training part."
        ),
        references=("zelezny2011", "molinaro2005"),
        assumptions="The data set is the population: rows are drawn from it without replacement.",
        errs=(
            "Samples of one small data set share rows, so the errors over repetitions are for this "
            "population, and the rows that were not drawn differ a little between samples."
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
        require_at_least(self, n=20, n_genes=1, resamples=2)
        are_known = bool(self.classifiers) and set(self.classifiers) <= set(CLASSIFIERS)
        requirement = f"must be one or more of {', '.join(CLASSIFIERS)}"
        require(are_known, "classifiers", self.classifiers, requirement)

    def plan(self, data: Mapping[str, Data], seed: int) -> EstimatorsStudy:
        """Return the study of the data set, or of a generator."""
        if ROLE not in data:
            return EstimatorsStudy(self, None, seed)
        genes = data[ROLE]
        if genes.n_classes != 2:
            raise InvalidParameter(
                f"The target has {genes.n_classes} classes; this preset needs two.",
                loc=("data", ROLE),
            )
        X = genes.features.complete_matrix()
        population = FinitePopulation(X, np.asarray(genes.y, dtype=np.intp))
        sizes = population.class_sizes()
        drawn = self.n * sizes / sizes.sum()
        if drawn.min() < MIN_CLASS_ROWS_IN_SAMPLE or (sizes - drawn).min() < 1:
            raise InsufficientData(
                f"A sample of {self.n} rows has {drawn[0]:.3g} and {drawn[1]:.3g} rows of the two "
                f"classes on average, which have {sizes[0]} and {sizes[1]} rows in all. A sample "
                f"needs {MIN_CLASS_ROWS_IN_SAMPLE} rows of each class on average, and one of each "
                "must be left to test on.",
                loc=("n",),
                value=self.n,
            )
        if X.shape[1] < self.n_genes:
            raise InsufficientData(
                f"n_genes is {self.n_genes}, and the data set has only {X.shape[1]} feature "
                "columns.",
                loc=("n_genes",),
                value=self.n_genes,
            )
        return EstimatorsStudy(self, population, seed)


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorsStudy(RepeatedStudy):
    """The repetitions: ``truth`` and one record for each estimator, each (classifiers,)."""

    preset: LectureEstimators
    population: FinitePopulation | None
    seed: int

    def finish(self, records: Records) -> StudyFindings:
        """Return table, figures and claims."""
        cautions: tuple[Caution, ...] = ()
        if self.population is None:
            cautions = (
                GENERATED_POPULATION(role=ROLE, generator="the generator two_class_gaussian"),
            )
        return compute_findings(records, self.preset.classifiers, self.preset.n, cautions)

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng = make_repetition_generator(self.seed, index)
        if self.population is None:
            generator = TwoClassGaussian(
                n_features=500, n_relevant=20, shift=0.8, correlation=0.3, block_size=10
            )
            size = DrawSize(n=self.preset.n + N_FRESH)
            drawn = generator.draw_sources(1, rng).draw(size, rng)
            fresh = FinitePopulation(drawn.features.matrix(), np.asarray(drawn.y, dtype=np.intp))
            return self._estimate(fresh, rng)
        return self._estimate(self.population, rng)

    def _estimate(self, population: FinitePopulation, rng: np.random.Generator) -> OneRecord:
        rows, others = population.draw(self.preset.n, rng)
        sample = GeneSample.from_population(population, rows, others, self.preset.n_genes)
        return estimate_risks(sample, self.preset.classifiers, self.preset.resamples, rng)
