"""What the coverage study is made of: populations, learners, sizes, and the schemes on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from thetahat.data import CLASSIFICATION, Data
from thetahat.evaluation import Choices, Chosen
from thetahat.generators import Size
from thetahat.generators.linear_model import LinearModel
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import IntervalMethod
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.refits import REFITS, Asked
from thetahat.schemes import SCHEMES
from thetahat.studies.estimator import Estimator
from thetahat.studies.general import GeneralStudy
from thetahat.studies.population import DataAsPopulation, GeneratedData, Population
from thetahat.studies.truths import FITTED, MODEL, NEW_FITTED

N_JUDGED: Final = 1000
"""Fresh rows on which a model's risk is taken."""
SOURCES: Final = 8
"""Sources of a draw where blocks are sources."""
SAME_SOURCES: Final = 25
"""Repetitions that share their sources, where these sources are spoken of."""
FEW_RESAMPLES: Final = 100
"""Of methods that fit the learner again on each."""
RESAMPLES: Final = 400
"""Of the bootstrap's intervals, a fifth of the service's default: they would take most of the
time, and at a level of .95 ten resamples lie beyond each end."""

REFITTED: Final[tuple[tuple[str, str, Mapping[str, int]], ...]] = (
    ("variances", "bates_nested_cv", {"n_repeats": 10}),
    ("variances", "conservative_z", {"n_halvings": 10, "n_subsamples": 10}),
    ("variances", "out_of_bag", {"n_resamples": FEW_RESAMPLES}),
    ("variances", "bootstrap_632_plus", {"n_resamples": FEW_RESAMPLES}),
    ("intervals", "location_shifted_bootstrap", {"n_resamples": FEW_RESAMPLES}),
)
"""Methods that fit the learner again: the list that names them, and fewer fits than by default."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A population with what is learnt on it."""

    population: Population
    loss: str
    learners: tuple[str, ...]
    by_source: bool = False
    same_sources: int | None = 1


_CLASSES = TwoClassGaussian(n_features=10, n_relevant=5, shift=0.7)
_BY_SOURCE = TwoClassGaussian(n_features=10, n_relevant=5, shift=0.7, source_spread=0.5)
_HEAVY = LinearModel(degrees_of_freedom=3, curvature=0.5)


def settings() -> dict[str, Setting]:
    """Return the settings on generators, by what the tables call them."""

    def of(generator: Any, loss: str, *learners: str, **by: Any) -> Setting:
        population = GeneratedData(generator, N_JUDGED)
        return Setting(population=population, loss=loss, learners=learners, **by)

    classes = ("linear_discriminant", "nearest_neighbours")
    return {
        "two classes": of(_CLASSES, "zero_one", *classes),
        "two classes, brier": of(_CLASSES, "brier", "linear_discriminant"),
        "line": of(LinearModel(), "squared", "ridge", "nearest_neighbours"),
        "curve with heavy tails": of(_HEAVY, "squared", "ridge"),
        "new sources": of(_BY_SOURCE, "zero_one", *classes, by_source=True),
        "the same sources": of(
            _BY_SOURCE, "zero_one", *classes, by_source=True, same_sources=SAME_SOURCES
        ),
    }


def setting_of(data: Data) -> Setting:
    """Return the setting of a data set that is taken as the population."""
    is_classes = data.task == CLASSIFICATION
    return Setting(
        population=DataAsPopulation(data=data, group=data.cluster, n_judged=N_JUDGED),
        loss="zero_one" if is_classes else "squared",
        learners=("linear_discriminant", "nearest_neighbours") if is_classes else ("ridge",),
    )


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
        size = Size(n_sources=SOURCES, per_source=max(n // SOURCES, 4))
        estimators = [_estimator("leave_one_source_out", {}, setting, learner, level)]
    else:
        size = Size(n=n)
        estimators = _schemes(setting, learner, n, level)
        if refits:
            estimators.append(_refitting(setting, learner, level))
    return GeneralStudy(
        population=setting.population,
        size=size,
        estimators=estimators,
        seed=seed,
        same_sources=setting.same_sources,
    )


def _schemes(setting: Setting, learner: str, n: int, level: float) -> list[Estimator]:
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


def _estimator(  # noqa: PLR0913 - what an estimator is
    scheme: str,
    parameters: Mapping[str, Any],
    setting: Setting,
    learner: str,
    level: float,
    *,
    key: str = "",
    truths: tuple[str, ...] | None = None,
    asked: tuple[Asked, ...] = (),
) -> Estimator:
    method: Any = SCHEMES[scheme]
    known = (MODEL, FITTED, NEW_FITTED) if setting.by_source else (MODEL, FITTED)
    return Estimator(
        key=key or scheme,
        choices=Choices(level=level, tests=(), intervals=_every_interval()),
        scheme=method(**parameters),
        learners={learner: _learner(learner)},
        loss=LOSSES[setting.loss](),
        refits=asked,
        truths=known if truths is None else truths,
    )


def _refitting(setting: Setting, learner: str, level: float) -> Estimator:
    asked = []
    for i, (field, name, parameters) in enumerate(REFITTED):
        method: Any = REFITS[name]
        asked.append(Asked(field, i, name, method(**parameters)))
    return _estimator(
        "k_fold", {"n_folds": 5}, setting, learner, level, key="refits", asked=tuple(asked)
    )


def _every_interval() -> tuple[Chosen[IntervalMethod], ...]:
    """Return every interval, those that resample with fewer; what does not fit is left out."""
    found = []
    for name in INTERVALS:
        method: Any = INTERVALS[name]
        resamples = any(field.name == "n_resamples" for field in fields(method))
        found.append(Chosen(name, name, method(n_resamples=RESAMPLES) if resamples else method()))
    return tuple(found)


def _learner(name: str) -> Any:
    method: Any = LEARNERS[name]
    return method(k=1) if name == "nearest_neighbours" else method()
