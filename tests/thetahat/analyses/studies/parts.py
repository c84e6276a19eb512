"""Small studies, and how their tables are looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.studies.base import StudyFindings
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import GeneratedData, GeneratedLosses
from thetahat.generators import DrawSize
from thetahat.generators.random_effects import RandomEffects
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.schemes import SCHEMES
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.variances import VARIANCES


def chosen(registry: Any, *names: str) -> tuple[ChosenMethod[Any], ...]:
    return tuple(ChosenMethod(name, name, registry[name]()) for name in names)


def choices(*variances: str, tests: tuple[str, ...] = ()) -> Choices:
    return Choices(
        variances=chosen(VARIANCES, *variances),
        intervals=chosen(INTERVALS, "student_t", "normal"),
        tests=chosen(PAIRED_TESTS, *tests),
    )


def of_losses(
    generator: RandomEffects, size: DrawSize, *variances: str, tests: tuple[str, ...] = ()
) -> GeneralStudy:
    estimator = StudyEstimator(key="e", choices=choices(*variances, tests=tests), truths=())
    return GeneralStudy(
        population=GeneratedLosses(generator), size=size, estimators=[estimator], seed=11
    )


def of_data(**changes: Any) -> GeneralStudy:
    estimator = StudyEstimator(
        key="cv",
        choices=choices("theta_3", tests=("paired_t_blocks",)),
        scheme=SCHEMES["k_fold"](n_folds=3),  # type: ignore[call-arg] # its parameter
        learners={"lda": LEARNERS["linear_discriminant"](), "none": LEARNERS["majority"]()},
        loss=LOSSES["zero_one"](),
    )
    study = GeneralStudy(
        population=GeneratedData(TwoClassGaussian(n_features=3, n_relevant=2), 300),
        size=DrawSize(n=40),
        estimators=[estimator],
        seed=5,
    )
    return replace(study, **changes)


def rows_of(findings: StudyFindings, table: str) -> list[dict[str, Any]]:
    return [dict(row) for t in findings.tables if t.name == table for row in t.rows]


def near(number: MonteCarloNumber, wanted: float, z: float = 5.0) -> bool:
    assert number.value is not None
    assert number.standard_error is not None
    return abs(number.value - wanted) <= z * number.standard_error
