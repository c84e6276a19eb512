"""The settings for metrics in the coverage study: generators, pairs of learners, schemes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat.generators import DataGenerator
from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.generators.two_class_gaussian import TwoClassGaussian

N_FOLDS: Final = 5

Schemes = Mapping[str, tuple[str, Mapping[str, object]]]
_RANDOM: Final[Schemes] = {
    "holdout": ("holdout", {"test_size": 1 / 3}),
    "5-fold": ("k_fold", {"n_folds": N_FOLDS}),
}
_REPEATED: Final[Schemes] = {
    "2 x 5-fold": ("repeated_k_fold", {"n_folds": N_FOLDS, "n_repeats": 2}),
}
_IN_CLUSTERS: Final[Schemes] = {"clusters whole, 5-fold": ("predefined", {})}
_BY_SOURCE: Final[Schemes] = {"leave_one_source_out": ("leave_one_source_out", {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSetting:
    """A generator with the two learners whose metrics are estimated on it.

    With ``in_clusters`` rows come in clusters, and each cluster is in one fold; with ``repeats``
    repeated folds are used too, at the smallest sample size.
    """

    generator: DataGenerator
    learners: tuple[str, str]
    by_source: bool = False
    in_clusters: bool = False
    repeats: bool = False

    def schemes(self, *, repeats: bool) -> Schemes:
        """Return the schemes by their names in the tables, with repeated ones on request."""
        if self.by_source:
            return _BY_SOURCE
        if self.in_clusters:
            return _IN_CLUSTERS
        return {**_RANDOM, **(_REPEATED if repeats else {})}


def build_metric_settings() -> dict[str, MetricSetting]:
    """Return the settings by their names in the tables."""
    classes, line = ("linear_discriminant", "gaussian_naive_bayes"), ("ridge", "least_squares")

    def two_classes(prior: float, **options: Any) -> DataGenerator:
        return TwoClassGaussian(n_features=10, n_relevant=5, shift=0.7, prior=prior, **options)

    in_clusters = two_classes(0.5, cluster_size=5, cluster_correlation=0.5)
    by_source = two_classes(0.5, source_spread=0.5)
    heavy = LinearModelGenerator(degrees_of_freedom=3, curvature=0.5)
    return {
        "two classes": MetricSetting(generator=two_classes(0.5), learners=classes, repeats=True),
        "few positives": MetricSetting(generator=two_classes(0.15), learners=classes),
        "line": MetricSetting(generator=LinearModelGenerator(), learners=line, repeats=True),
        "curve with heavy tails": MetricSetting(generator=heavy, learners=line),
        "classes in clusters": MetricSetting(
            generator=in_clusters, learners=classes, in_clusters=True
        ),
        "new sources": MetricSetting(generator=by_source, learners=classes, by_source=True),
    }
