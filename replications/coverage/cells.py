"""What the coverage study is made of: the schemes, learners and sizes on each population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from replications.coverage.settings import Setting
from thetahat.analyses.losses import Choices, Chosen
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.truths import FITTED, MODEL, NEW_FITTED, ONE_NEW
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.refit_estimators import REFIT_ESTIMATORS, RequestedRefit
from thetahat.schemes import SCHEMES
from thetahat.variances import VARIANCES

FEW_RESAMPLES: Final = 100
"""Of methods that fit the learner again on each."""
RESAMPLES: Final = 400
"""Of the bootstrap's intervals, a fifth of the service's default: they would take most of the
time, and at a level of .95 ten resamples lie beyond each end."""

REFITTED: Final[tuple[tuple[str, str, Mapping[str, int]], ...]] = (
    ("variances", "bates_nested_cv", {"n_repeats": 10}),
    ("variances", "conservative_z", {"n_halvings": 10, "n_subsamples": 10}),
    ("variances", "austern_zhou", {}),
    ("variances", "out_of_bag", {"n_resamples": FEW_RESAMPLES}),
    ("variances", "bootstrap_632", {"n_resamples": FEW_RESAMPLES}),
    ("variances", "bootstrap_632_plus", {"n_resamples": FEW_RESAMPLES}),
    ("intervals", "location_shifted_bootstrap", {"n_resamples": FEW_RESAMPLES}),
    ("intervals", "two_stage_bootstrap", {"n_outer": 40, "n_inner": 5}),
    ("intervals", "bccv_percentile", {"n_resamples": 40}),
)
"""Methods that fit the learner again: the list that names them, and fewer fits than by default.

The last two multiply fits. Between the .025 and .975 quantiles of 40 resamples one more falls in
.90 of the cases and not in .95, which their coverage is to be read with.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One population, learner and size.

    Parameters
    ----------
    population, learner : str
        For the tables.
    n : int
        Rows of a draw.
    study : GeneralStudy
        With one estimator for each scheme.
    """

    population: str
    learner: str
    n: int
    study: GeneralStudy

    @property
    def name(self) -> str:
        """What its records begin with."""
        return f"{self.population}, {self.learner}, {self.n}"


def cells(
    chosen: Mapping[str, Setting], sizes: Sequence[int], level: float, seed: int, *, refits: bool
) -> list[Cell]:
    """Return every cell: settings x learners x sizes."""
    return [
        Cell(name, learner, n, _study(setting, learner, n, level, seed, refits and n == sizes[0]))
        for name, setting in chosen.items()
        for learner in setting.learners
        for n in sizes
    ]


def _study(  # noqa: PLR0913 - what a cell is
    setting: Setting,
    learner: str,
    n: int,
    level: float,
    seed: int,
    refits: bool,  # noqa: FBT001 - one of the cell's own fields
) -> GeneralStudy:
    if setting.by_source:
        estimators = [_estimator("leave_one_source_out", {}, setting, learner, level)]
    elif setting.in_clusters:
        estimators = _schemes_of_clusters(setting, learner, level)
    else:
        estimators = _schemes(setting, learner, n, level)
        if refits and setting.refits:
            estimators.append(_refitting(setting, learner, level))
    return GeneralStudy(
        population=setting.population,
        size=setting.size(n),
        estimators=estimators,
        seed=seed,
        same_sources=setting.same_sources,
    )


def _schemes(setting: Setting, learner: str, n: int, level: float) -> list[StudyEstimator]:
    found = [
        _estimator("holdout", {"test_size": 1 / 3}, setting, learner, level),
        _estimator("k_fold", {"n_folds": 5}, setting, learner, level, key="5-fold"),
        _estimator("k_fold", {"n_folds": 10}, setting, learner, level, key="10-fold"),
        _estimator("repeated_k_fold", {"n_repeats": 5}, setting, learner, level),
        _estimator("random_subsampling", {"n_draws": 25}, setting, learner, level),
        _estimator("five_by_two", {}, setting, learner, level),
    ]
    if n <= 100:
        found.append(_estimator("leave_one_out", {}, setting, learner, level, truths=(MODEL,)))
    return found


CLUSTERS_APART: Final = "clusters whole, 5-fold"
CLUSTERS_CUT: Final = ("clusters cut, 5-fold", "clusters cut, holdout")
"""Schemes of rows in clusters: each whole on one side of a split, or rows at random."""


def _schemes_of_clusters(setting: Setting, learner: str, level: float) -> list[StudyEstimator]:
    folds, holdout = CLUSTERS_CUT
    whole = (MODEL, FITTED, NEW_FITTED)
    return [
        _estimator("holdout", {"test_size": 1 / 3}, setting, learner, level, key=holdout),
        _estimator("k_fold", {"n_folds": 5}, setting, learner, level, key=folds),
        _estimator(
            "source_k_fold",
            {"n_folds": 5},
            setting,
            learner,
            level,
            key=CLUSTERS_APART,
            truths=whole,
        ),
    ]


def _estimator(  # noqa: PLR0913 - what an estimator is
    scheme: str,
    parameters: Mapping[str, Any],
    setting: Setting,
    learner: str,
    level: float,
    *,
    key: str = "",
    truths: tuple[str, ...] | None = None,
    asked: tuple[RequestedRefit, ...] = (),
) -> StudyEstimator:
    method: Any = SCHEMES[scheme]
    known = (MODEL, FITTED, NEW_FITTED, ONE_NEW) if setting.by_source else (MODEL, FITTED)
    return StudyEstimator(
        key=key or scheme,
        choices=Choices(
            level=level, tests=(), intervals=_every(INTERVALS), variances=_every(VARIANCES)
        ),
        scheme=method(**parameters),
        learners={learner: _learner(learner)},
        loss=LOSSES[setting.loss](),
        refits=asked,
        truths=known if truths is None else truths,
    )


def _refitting(setting: Setting, learner: str, level: float) -> StudyEstimator:
    asked = []
    for i, (field, name, parameters) in enumerate(REFITTED):
        method: Any = REFIT_ESTIMATORS[name]
        asked.append(RequestedRefit(field, i, name, method(**parameters)))
    return _estimator(
        "k_fold", {"n_folds": 5}, setting, learner, level, key="refits", asked=tuple(asked)
    )


def _every(family: Mapping[str, Any]) -> tuple[Chosen[Any], ...]:
    """Return every method, those that resample with fewer; what does not fit is left out."""
    found = []
    for name, method in family.items():
        if not method.info.by_request_only:
            few = any(field.name == "n_resamples" for field in fields(method))
            found.append(Chosen(name, name, method(n_resamples=RESAMPLES) if few else method()))
    return tuple(found)


def _learner(name: str) -> Any:
    method: Any = LEARNERS[name]
    return method(k=1) if name == "nearest_neighbours" else method()
