"""The cells of the coverage study: every population, learner and sample size, with its schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.truths import FITTED, MODEL, NEW_FITTED, ONE_NEW
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.refit_estimators import REFIT_ESTIMATORS, RequestedRefit
from thetahat.schemes import SCHEMES
from thetahat.variances import VARIANCES
from thetahat_replications.presets.interval_coverage.settings import CoverageSetting

FEW_RESAMPLES: Final = 100
"""Resamples of methods that fit the learner again on each."""
N_RESAMPLES: Final = 400
"""Resamples of bootstrap intervals, a fifth of the service's default, since they would take most of
the time. At a level of 0.95 ten resamples lie beyond each end."""

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

The last two multiply fits. Between the 0.025 and 0.975 quantiles of 40 resamples another draw falls
in 0.90 of the cases instead of 0.95, which limits their coverage.
"""


@dataclass(frozen=True, slots=True, eq=False)
class CoverageCell:
    """One population, learner and sample size.

    Parameters
    ----------
    population, learner : str
        Their names in the tables.
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
        """The beginning of the names of its records."""
        return f"{self.population}, {self.learner}, {self.n}"


def build_cells(
    chosen: Mapping[str, CoverageSetting],
    sizes: Sequence[int],
    level: float,
    seed: int,
    *,
    refits: bool,
) -> list[CoverageCell]:
    """Return every cell: settings x learners x sizes."""
    return [
        CoverageCell(
            name,
            learner,
            n,
            _build_study(setting, (learner,), n, level, seed, refits and n == sizes[0]),
        )
        for name, setting in chosen.items()
        for learner in setting.learners
        for n in sizes
    ]


def build_pair_cells(
    chosen: Mapping[str, CoverageSetting],
    sizes: Sequence[int],
    level: float,
    seed: int,
    second_learners: Mapping[str, str],
) -> list[CoverageCell]:
    """Return a cell for each setting and size, with all its learners and their differences.

    ``second_learners`` has one more learner for each setting that has only one. No method fits the
    learners again.
    """
    cells = []
    for name, setting in chosen.items():
        learners = setting.learners
        if len(learners) == 1:
            learners = (*learners, second_learners[name])
        for n in sizes:
            study = _build_study(setting, learners, n, level, seed, refits=False)
            cells.append(CoverageCell(name, " - ".join(learners), n, study))
    return cells


def _build_study(  # noqa: PLR0913 - what a cell is
    setting: CoverageSetting,
    learners: tuple[str, ...],
    n: int,
    level: float,
    seed: int,
    refits: bool,  # noqa: FBT001 - one of the cell's own fields
) -> GeneralStudy:
    if setting.by_source:
        estimators = [_build_estimator("leave_one_source_out", {}, setting, learners, level)]
    elif setting.in_clusters:
        estimators = _build_cluster_estimators(setting, learners, level)
    else:
        estimators = _build_random_estimators(setting, learners, n, level)
        if refits and setting.refits:
            estimators.append(_build_refit_estimator(setting, learners, level))
    return GeneralStudy(
        population=setting.population,
        size=setting.size(n),
        estimators=estimators,
        seed=seed,
        same_sources=setting.same_sources,
    )


def _build_random_estimators(
    setting: CoverageSetting, learners: tuple[str, ...], n: int, level: float
) -> list[StudyEstimator]:
    estimators = [
        _build_estimator("holdout", {"test_size": 1 / 3}, setting, learners, level),
        _build_estimator("k_fold", {"n_folds": 5}, setting, learners, level, key="5-fold"),
        _build_estimator("k_fold", {"n_folds": 10}, setting, learners, level, key="10-fold"),
        _build_estimator("repeated_k_fold", {"n_repeats": 5}, setting, learners, level),
        _build_estimator("random_subsampling", {"n_draws": 25}, setting, learners, level),
        _build_estimator("five_by_two", {}, setting, learners, level),
    ]
    if n <= 100:
        estimators.append(_build_estimator("leave_one_out", {}, setting, learners, level))
    return estimators


CLUSTERS_APART: Final = "clusters whole, 5-fold"
CLUSTERS_CUT: Final = ("clusters cut, 5-fold", "clusters cut, holdout")
"""Schemes for rows in clusters: each cluster on one side of a split, or rows at random."""


def _build_cluster_estimators(
    setting: CoverageSetting, learners: tuple[str, ...], level: float
) -> list[StudyEstimator]:
    folds, holdout = CLUSTERS_CUT
    cluster_truths = (MODEL, FITTED, NEW_FITTED)
    return [
        _build_estimator("holdout", {"test_size": 1 / 3}, setting, learners, level, key=holdout),
        _build_estimator("k_fold", {"n_folds": 5}, setting, learners, level, key=folds),
        _build_estimator(
            "source_k_fold",
            {"n_folds": 5},
            setting,
            learners,
            level,
            key=CLUSTERS_APART,
            truths=cluster_truths,
        ),
    ]


def _build_estimator(  # noqa: PLR0913 - what an estimator is
    scheme: str,
    parameters: Mapping[str, object],
    setting: CoverageSetting,
    names: tuple[str, ...],
    level: float,
    *,
    key: str = "",
    truths: tuple[str, ...] | None = None,
    refits: tuple[RequestedRefit, ...] = (),
) -> StudyEstimator:
    method: Any = SCHEMES[scheme]
    known = (MODEL, FITTED, NEW_FITTED, ONE_NEW) if setting.by_source else (MODEL, FITTED)
    return StudyEstimator(
        key=key or scheme,
        choices=Choices(
            level=level,
            tests=(),
            intervals=_build_all(INTERVALS),
            variances=_build_all(VARIANCES),
        ),
        scheme=method(**parameters),
        learners={name: _build_learner(name) for name in names},
        loss=LOSSES[setting.loss](),
        refits=refits,
        truths=known if truths is None else truths,
    )


def _build_refit_estimator(
    setting: CoverageSetting, learners: tuple[str, ...], level: float
) -> StudyEstimator:
    requested = []
    for i, (field, name, parameters) in enumerate(REFITTED):
        method: Any = REFIT_ESTIMATORS[name]
        requested.append(RequestedRefit(field, i, name, method(**parameters)))
    return _build_estimator(
        "k_fold", {"n_folds": 5}, setting, learners, level, key="refits", refits=tuple(requested)
    )


def _build_all(family: Mapping[str, Any]) -> tuple[ChosenMethod[Any], ...]:
    """Return every method of a family; methods that resample do so less often than by default."""
    methods = []
    for name, method in family.items():
        if not method.info.by_request_only:
            resamples = any(field.name == "n_resamples" for field in fields(method))
            built = method(n_resamples=N_RESAMPLES) if resamples else method()
            methods.append(ChosenMethod(name, name, built))
    return tuple(methods)


def _build_learner(name: str) -> Any:
    method: Any = LEARNERS[name]
    return method(k=1) if name == "nearest_neighbours" else method()
