"""The cells of the coverage study: every population, learner and sample size, with its schemes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
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
    """One population, learner and sample size."""

    population: str
    learner: str
    """Names of the population and of the learner in the tables."""
    n: int
    """Rows of a draw."""
    study: GeneralStudy
    """With one estimator for each scheme."""

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
            _build_study(setting, (learner,), n, level, seed, refits=refits and n == sizes[0]),
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


@dataclass(frozen=True, slots=True)
class _EstimatorBuilder:
    """What the estimators of a cell have in common."""

    setting: CoverageSetting
    learners: tuple[str, ...]
    level: float

    def build(
        self,
        scheme: str,
        parameters: Mapping[str, object] = MappingProxyType({}),
        *,
        key: str = "",
        truths: tuple[str, ...] | None = None,
        refits: tuple[RequestedRefit, ...] = (),
    ) -> StudyEstimator:
        """Return the estimator with a scheme, which has its name unless another key is given."""
        method: Any = SCHEMES[scheme]
        by_source = self.setting.by_source
        known = (MODEL, FITTED, NEW_FITTED, ONE_NEW) if by_source else (MODEL, FITTED)
        return StudyEstimator(
            key=key or scheme,
            choices=Choices(
                level=self.level,
                tests=(),
                intervals=_build_all(INTERVALS),
                variances=_build_all(VARIANCES),
            ),
            scheme=method(**parameters),
            learners={name: _build_learner(name) for name in self.learners},
            loss=LOSSES[self.setting.loss](),
            refits=refits,
            truths=known if truths is None else truths,
        )

    def list_estimators(self, n: int, *, refits: bool) -> Iterator[StudyEstimator]:
        """Yield the estimators of a sample of n rows."""
        if self.setting.by_source:
            yield self.build("leave_one_source_out")
        elif self.setting.in_clusters:
            folds, holdout = CLUSTERS_CUT
            yield self.build("holdout", {"test_size": 1 / 3}, key=holdout)
            yield self.build("k_fold", {"n_folds": 5}, key=folds)
            truths = (MODEL, FITTED, NEW_FITTED)
            yield self.build("source_k_fold", {"n_folds": 5}, key=CLUSTERS_APART, truths=truths)
        else:
            yield self.build("holdout", {"test_size": 1 / 3})
            yield self.build("k_fold", {"n_folds": 5}, key="5-fold")
            yield self.build("k_fold", {"n_folds": 10}, key="10-fold")
            yield self.build("repeated_k_fold", {"n_repeats": 5})
            yield self.build("random_subsampling", {"n_draws": 25})
            yield self.build("five_by_two")
            if n <= 100:
                yield self.build("leave_one_out")
            if refits and self.setting.refits:
                requested = tuple(
                    RequestedRefit(family, i, name, REFIT_ESTIMATORS[name](**parameters))
                    for i, (family, name, parameters) in enumerate(REFITTED)
                )
                yield self.build("k_fold", {"n_folds": 5}, key="refits", refits=requested)


CLUSTERS_APART: Final = "clusters whole, 5-fold"
CLUSTERS_CUT: Final = ("clusters cut, 5-fold", "clusters cut, holdout")
"""Schemes for rows in clusters: each cluster on one side of a split, or rows at random."""


def _build_study(  # noqa: PLR0913 - what a cell is
    setting: CoverageSetting,
    learners: tuple[str, ...],
    n: int,
    level: float,
    seed: int,
    *,
    refits: bool,
) -> GeneralStudy:
    builder = _EstimatorBuilder(setting, learners, level)
    return GeneralStudy(
        population=setting.population,
        size=setting.size(n),
        estimators=list(builder.list_estimators(n, refits=refits)),
        seed=seed,
        same_sources=setting.same_sources,
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
