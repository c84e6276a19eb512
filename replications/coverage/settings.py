"""What the coverage study draws from: populations, and what is learnt on each."""

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
"""Fresh rows on which a model's risk is taken. They have an error of their own: with 200 rows in a
draw a perfect interval of level .95 for the fitted models seems to cover in .944."""
N_OF_SOURCES: Final = 2500
"""The same where blocks are sources: a new source has as many rows as one of a draw of 200."""
SOURCES: Final = 8
"""Sources of a draw where blocks are sources."""
SAME_SOURCES: Final = 25
"""Repetitions that share their sources, where these sources are spoken of."""
CLUSTER: Final = 5
"""Rows of a cluster, where rows come in clusters."""

ROLES: Final[Mapping[str, str]] = {
    "rows": (
        "Rows with a target, of which at least twice the largest size: taken as one more "
        "population. Of rows that share a cluster label, which are taken for copies, the first "
        "stands."
    ),
    "labelled_rows": (
        "Rows of a classification, likewise: another population. With sparse features the "
        "learner is multinomial naive Bayes, and it is not fitted again by any method."
    ),
}
"""What data sets can be used, by role."""
TITLES: Final[Mapping[str, str]] = {
    "rows": "the data set",
    "labelled_rows": "the data set of classes",
}
"""What the tables call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A population with what is learnt on it.

    Parameters
    ----------
    population : Population
        Where rows come from.
    loss : str
        By wire name.
    learners : tuple of str
        Likewise.
    by_source : bool
        Whether blocks are sources.
    in_clusters : bool
        Whether rows come in clusters; each is a source too, so that a scheme can keep it whole.
    same_sources : int or None
        How many repetitions share their sources.
    refits : bool
        Whether methods that fit again are among what is judged.
    """

    population: Population
    loss: str
    learners: tuple[str, ...]
    by_source: bool = False
    in_clusters: bool = False
    same_sources: int | None = 1
    refits: bool = True

    def size(self, n: int) -> DrawSize:
        """Return the size of a draw of about n rows."""
        if self.by_source:
            return DrawSize(n_sources=SOURCES, per_source=max(n // SOURCES, 4))
        if self.in_clusters:
            return DrawSize(n_sources=n // CLUSTER, per_source=CLUSTER)
        return DrawSize(n=n)


_CLASSES = TwoClassGaussian(n_features=10, n_relevant=5, shift=0.7)
_BY_SOURCE = replace(_CLASSES, source_spread=0.5)
_CLUSTERS = replace(_CLASSES, cluster_size=CLUSTER, cluster_correlation=0.5)
_HEAVY = LinearModelGenerator(degrees_of_freedom=3, curvature=0.5)
_LINE_IN_CLUSTERS = LinearModelGenerator(cluster_size=CLUSTER, cluster_correlation=0.8)


def settings() -> dict[str, Setting]:
    """Return the settings on generators, by what the tables call them."""
    # sources that are clusters have nothing of their own but what a draw gives them
    clustered = {"in_clusters": True, "same_sources": None}

    def of(generator: Any, loss: str, *learners: str, **by: Any) -> Setting:
        population = GeneratedData(generator, N_OF_SOURCES if "by_source" in by else N_JUDGED)
        return Setting(population=population, loss=loss, learners=learners, **by)

    classes = ("linear_discriminant", "nearest_neighbours")
    return {
        "two classes": of(_CLASSES, "zero_one", *classes),
        "two classes, brier": of(_CLASSES, "brier", "linear_discriminant"),
        "line": of(LinearModelGenerator(), "squared", "ridge", "nearest_neighbours"),
        "curve with heavy tails": of(_HEAVY, "squared", "ridge"),
        "new sources": of(_BY_SOURCE, "zero_one", *classes, by_source=True),
        "the same sources": of(
            _BY_SOURCE, "zero_one", *classes, by_source=True, same_sources=SAME_SOURCES
        ),
        "classes in clusters": of(_CLUSTERS, "zero_one", "linear_discriminant", **clustered),
        "line in clusters": of(_LINE_IN_CLUSTERS, "squared", "ridge", **clustered),
    }


def setting_of(data: Data) -> Setting:
    """Return the setting of a data set that is taken as the population."""
    learners: tuple[str, ...] = ("ridge",)
    if data.task == CLASSIFICATION:
        dense = ("linear_discriminant", "nearest_neighbours")
        learners = ("multinomial_naive_bayes",) if data.features.wide else dense
    return Setting(
        population=DataAsPopulation(data=data, n_judged=N_JUDGED),
        loss="zero_one" if data.task == CLASSIFICATION else "squared",
        learners=learners,
        refits=not data.features.wide,  # thousands of fits of thousands of columns
    )


def without_copies(data: Data) -> Data:
    """Return the first row of each cluster label, and no labels: rows that are independent."""
    if data.cluster is None:
        return data
    first = np.sort(np.unique(data.cluster, return_index=True)[1])
    return replace(select_rows(data, first), cluster=None)
