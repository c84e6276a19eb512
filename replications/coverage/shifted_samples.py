"""The coverage study on samples that come from another population: intervals of weighted risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from replications.coverage.cells import Cell
from replications.coverage.claims import SHORT
from replications.coverage.settings import N_JUDGED
from thetahat.analyses.losses import Choices
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import GeneratedPairs
from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.analyses.studies.truths import ON_TARGET
from thetahat.generators import DrawSize
from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.k_fold import KFold
from thetahat.values.types import Target
from thetahat.weighted_risks import WEIGHTED_RISKS

Row = Mapping[str, Any]
SOURCE: Final = "kouw2019"
LITTLE, MUCH = "little shifted", "much shifted"
SHIFTS: Final[Mapping[str, float]] = {LITTLE: 1.0, MUCH: 0.8}
"""Standard deviation of the one feature where rows are drawn; it is 1 in the population that risks
speak of. The variance of the weights is 1.7 and 42."""
TRUE, ESTIMATED = "5-fold, true weights", "5-fold, estimated weights"
WEIGHTED: Final[Mapping[str, str]] = {TRUE: "given", ESTIMATED: "gaussian_ratio"}
"""Schemes by what the tables call them, and where the weights come from."""
LEARNER: Final = "logistic_regression"


def shift_cells(
    populations: Sequence[str], sizes: Sequence[int], level: float, seed: int
) -> list[Cell]:
    """Return a cell for each shift and size; of all shifts, where no populations are named."""
    return [
        Cell(name, LEARNER, n, _study(scale, n, level, seed))
        for name, scale in SHIFTS.items()
        if not populations or name in populations
        for n in sizes
    ]


def _study(scale: float, n: int, level: float, seed: int) -> GeneralStudy:
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
        for key, weights in WEIGHTED.items()
    ]
    return GeneralStudy(
        population=GeneratedPairs(GaussianShift(scale=scale), N_JUDGED),
        size=DrawSize(n=n, n_target=n),
        estimators=estimators,
        seed=seed,
    )


def claims_of_shifts(rows: Sequence[Row], level: float) -> list[StudyClaim]:
    """Return the claims with the figures that decide them; ``rows`` are of single cells."""
    found = []
    for text, population, largest, bounds in (
        (
            "Where weights vary little an interval of R_W covers nearly as often as it says.",
            LITTLE,
            True,
            {"at_least": level - SHORT},
        ),
        (
            "Where weights vary much it covers too rarely: what weighs most is seldom drawn.",
            MUCH,
            False,
            {"at_most": level - SHORT},
        ),
    ):
        row = _row_of(rows, population, largest=largest)
        if row is not None:
            figure: MonteCarloNumber = row["coverage"]
            found.append(
                StudyClaim(
                    text=text,
                    reference=SOURCE,
                    place="the variance of the weights",
                    measured=(
                        f"coverage of its own target, {population}, {row['n']} rows, {TRUE}, "
                        "normal:weighted"
                    ),
                    figure=figure,
                    **bounds,
                )
            )
    return found


def _row_of(rows: Sequence[Row], population: str, *, largest: bool) -> Row | None:
    """Return the row of the largest or smallest size, or None."""
    wanted = (population, TRUE, "normal:weighted", Target.NEW_POPULATION.value)
    known = [
        row
        for row in rows
        if (row["population"], row["scheme"], row["interval"], row["target"]) == wanted
        and "coverage" in row
    ]
    choose = max if largest else min
    return choose(known, key=lambda row: row["n"]) if known else None
