"""Cells of the coverage study with samples from another population: weighted risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat.analyses.losses import Choices
from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import GeneratedPairs
from thetahat.analyses.studies.truths import ON_TARGET
from thetahat.generators import DrawSize
from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.k_fold import KFold
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_replications.presets.interval_coverage.cells import CoverageCell
from thetahat_replications.presets.interval_coverage.settings import N_JUDGED

LITTLE, MUCH = "little shifted", "much shifted"
SHIFTS: Final[Mapping[str, float]] = {LITTLE: 1.0, MUCH: 0.8}
"""Standard deviation of the feature in the source population; it is 1 in the target population. The
variance of the weights is 1.7 and 42."""
TRUE, ESTIMATED = "5-fold, true weights", "5-fold, estimated weights"
WEIGHTS_BY_SCHEME: Final[Mapping[str, str]] = {TRUE: "given", ESTIMATED: "gaussian_ratio"}
"""The estimator of the weights, by the scheme's name in the tables."""
LEARNER: Final = "logistic_regression"


def build_shift_cells(
    populations: Sequence[str], sizes: Sequence[int], level: float, seed: int
) -> list[CoverageCell]:
    """Return a cell for each shift and size; all shifts are used if no populations are named."""
    return [
        CoverageCell(name, LEARNER, n, _build_study(scale, n, level, seed))
        for name, scale in SHIFTS.items()
        if not populations or name in populations
        for n in sizes
    ]


def _build_study(scale: float, n: int, level: float, seed: int) -> GeneralStudy:
    risks = {name: method() for name, method in WEIGHTED_RISKS.items()}
    estimators = [
        StudyEstimator(
            key=key,
            choices=Choices(level=level),
            scheme=KFold(n_folds=5),
            learners={LEARNER: LogisticRegression()},
            loss=ZeroOne(),
            truths=(ON_TARGET,),
            weighted=WeightedEstimation(IMPORTANCE_WEIGHTS[weights](), risks),
        )
        for key, weights in WEIGHTS_BY_SCHEME.items()
    ]
    return GeneralStudy(
        population=GeneratedPairs(GaussianShift(scale=scale), N_JUDGED),
        size=DrawSize(n=n, n_target=n),
        estimators=estimators,
        seed=seed,
    )
