"""The settings of the coverage study: populations, each with its loss and learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.generated_population import GeneratedData
from thetahat.analyses.studies.population import Population
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.generators import DrawSize
from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.tables.data import CLASSIFICATION, Data

N_JUDGED: Final = 5000
"""Fresh rows on which the risk of a model is computed. Their own sampling error makes a perfect
interval of level 0.95 for the fitted models with 200 rows cover in 0.944 of the cases."""
JUDGED_PER_ROW: Final = 20
"""Fresh rows for each row of a draw of more than 250. With 1000 rows and 5000 fresh ones a perfect
interval for the fitted models would cover in 0.926 of the cases, with 20 000 in 0.944."""
N_JUDGED_BY_SOURCE: Final = 2500
"""The same if blocks are sources: each of 100 new sources then has 25 rows, like a source in a draw
of 200."""
SOURCES: Final = 8
"""Sources in a draw, if blocks are sources."""
SAME_SOURCES: Final = 25
"""Repetitions that share their sources, in the population for the target "these sources"."""
CLUSTER_SIZE: Final = 5
"""Rows of a cluster, if rows come in clusters."""

ROLES: Final[Mapping[str, str]] = {
    "rows": (
        "Rows with a target, at least twice as many as the largest sample size: one more "
        "population. Rows that share a cluster label are taken as copies, and only the first is "
        "used."
    ),
    "labelled_rows": (
        "Rows of a classification, likewise: another population. With sparse features the "
        "learner is multinomial naive Bayes, and no method fits it again."
    ),
}
"""The data sets that can be used, by role."""
TITLES: Final[Mapping[str, str]] = {
    "rows": "the data set",
    "labelled_rows": "the data set of classes",
}
"""The names of the data sets in the tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSetting:
    """A population with its loss and learners."""

    population: Population
    """Where the rows come from."""
    loss: str
    """Wire name."""
    learners: tuple[str, ...]
    """Wire names."""
    by_source: bool = False
    """Whether blocks are sources."""
    in_clusters: bool = False
    """Whether rows come in clusters; each is also a source, so that a scheme can keep it whole."""
    same_sources: int | None = 1
    """How many repetitions share their sources."""
    refits: bool = True
    """Whether methods that fit the learner again are included."""

    def size(self, n: int) -> DrawSize:
        """Return the size of a draw of about n rows."""
        if self.by_source:
            return DrawSize(n_sources=SOURCES, per_source=max(n // SOURCES, 4))
        if self.in_clusters:
            return DrawSize(n_sources=n // CLUSTER_SIZE, per_source=CLUSTER_SIZE)
        return DrawSize(n=n)


_CLASSES = TwoClassGaussian(n_features=10, n_relevant=5, shift=0.7)
_BY_SOURCE = replace(_CLASSES, source_spread=0.5)
_CLUSTERS = replace(_CLASSES, cluster_size=CLUSTER_SIZE, cluster_correlation=0.5)
_HEAVY = LinearModelGenerator(degrees_of_freedom=3, curvature=0.5)
_LINE_BY_SOURCE = LinearModelGenerator(source_spread=0.5)
_LINE_IN_CLUSTERS = LinearModelGenerator(cluster_size=CLUSTER_SIZE, cluster_correlation=0.8)


def build_settings(n: int = 0) -> dict[str, CoverageSetting]:
    """Return the settings with generators for draws of n rows, by their names in the tables.

    If blocks are sources, models are judged on half as many fresh rows as elsewhere.
    """
    n_judged = max(N_JUDGED, JUDGED_PER_ROW * n)
    # sources that are clusters have no properties of their own, so they need not be drawn again
    clustered = {"in_clusters": True, "same_sources": None}

    def build_setting(generator: Any, loss: str, *learners: str, **options: Any) -> CoverageSetting:
        judged = n_judged * N_JUDGED_BY_SOURCE // N_JUDGED if "by_source" in options else n_judged
        population = GeneratedData(generator, judged)
        return CoverageSetting(population=population, loss=loss, learners=learners, **options)

    classes = ("linear_discriminant", "nearest_neighbours")
    line = ("ridge", "nearest_neighbours")
    return {
        "two classes": build_setting(_CLASSES, "zero_one", *classes),
        "two classes, brier": build_setting(_CLASSES, "brier", "linear_discriminant"),
        "line": build_setting(LinearModelGenerator(), "squared", *line),
        "curve with heavy tails": build_setting(_HEAVY, "squared", "ridge"),
        "new sources": build_setting(_BY_SOURCE, "zero_one", *classes, by_source=True),
        "the same sources": build_setting(
            _BY_SOURCE, "zero_one", *classes, by_source=True, same_sources=SAME_SOURCES
        ),
        "line, new sources": build_setting(_LINE_BY_SOURCE, "squared", *line, by_source=True),
        "line, the same sources": build_setting(
            _LINE_BY_SOURCE, "squared", *line, by_source=True, same_sources=SAME_SOURCES
        ),
        "classes in clusters": build_setting(
            _CLUSTERS, "zero_one", "linear_discriminant", **clustered
        ),
        "line in clusters": build_setting(_LINE_IN_CLUSTERS, "squared", "ridge", **clustered),
    }


def build_dataset_setting(data: Data) -> CoverageSetting:
    """Return the setting with a data set as the population."""
    learners: tuple[str, ...] = ("ridge",)
    if data.task == CLASSIFICATION:
        dense = ("linear_discriminant", "nearest_neighbours")
        learners = ("multinomial_naive_bayes",) if data.features.wide else dense
    return CoverageSetting(
        population=DataAsPopulation(data=data, n_judged=N_JUDGED),
        loss="zero_one" if data.task == CLASSIFICATION else "squared",
        learners=learners,
        refits=not data.features.wide,  # thousands of fits with thousands of columns
    )


def remove_copies(data: Data) -> Data:
    """Return the first row of each cluster label, without the labels: independent rows."""
    if data.cluster is None:
        return data
    first = np.sort(np.unique(data.cluster, return_index=True)[1])
    return replace(select_rows(data, first), cluster=None)
