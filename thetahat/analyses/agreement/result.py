"""The types of a result about the agreement of raters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thetahat.cautions import Caution
from thetahat.numerics.agreement import RatingScale
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.json_values import to_json
from thetahat_presentation.shown_result import ShownResult

Category = str | int | float | bool
"""A value that a rater gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementEstimate:
    """A coefficient of agreement or a rate, with its interval."""

    estimate: float | None
    """The coefficient; null where it is not defined, with the reason."""
    standard_error: float | None = None
    """Its standard error; left out for rates with Wilson's interval."""
    degrees_of_freedom: float | None = None
    """Items, or clusters, less one."""
    lower: float | None = None
    """Lower end of the two-sided interval."""
    upper: float | None = None
    """Upper end of the interval."""
    n: int
    """Number of items that it rests on."""
    reason: str | None = None
    """Why there is no estimate, or no interval."""
    expected_coverage: ExpectedCoverage | None = None
    """How often the interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCounts:
    """How often one rater gave each category."""

    n: int
    """Number of items that the rater rated."""
    shares: Mapping[str, float]
    """Share of these ratings in each category; of more than 20 categories the commonest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """The agreement of two raters on the items that both rated."""

    a: str
    """The first rater."""
    b: str
    """The second rater; the truth, where one is named."""
    n: int
    """Number of items that both rated."""
    n_disagree: int
    """Number of these with different ratings."""
    observed: AgreementEstimate
    """Share of the items with equal ratings."""
    kappa: AgreementEstimate
    """Cohen's kappa."""
    kappa_linear: AgreementEstimate | None = None
    """Cohen's kappa with linear weights; for ordinal and interval ratings."""
    kappa_quadratic: AgreementEstimate | None = None
    """Cohen's kappa with quadratic weights; for ordinal and interval ratings."""
    gwet_ac1: AgreementEstimate
    """Gwet's AC1."""
    krippendorff_alpha: AgreementEstimate
    """Krippendorff's alpha of the two."""
    sensitivity: AgreementEstimate | None = None
    """Of two categories: the share of positive ratings among the items that are truly positive."""
    specificity: AgreementEstimate | None = None
    """Of two categories: the share of negative ratings among the items that are truly negative."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KappaDifference:
    """Two raters compared by their kappa with the truth, on the items that all three rated."""

    a: str
    """The first rater."""
    b: str
    """The second rater."""
    n: int
    """Number of items that both and the truth rated."""
    kappa_a: float | None
    """Kappa of the first rater with the truth on these items."""
    kappa_b: float | None
    """Kappa of the second rater with the truth on these items."""
    difference: float | None
    """Kappa of a minus kappa of b."""
    standard_error: float | None
    """Standard deviation of the difference over the resamples."""
    lower: float | None
    """Lower end of the percentile interval."""
    upper: float | None
    """Upper end of the percentile interval."""
    n_resamples: int
    """Number of resamples of items, or clusters, in which both kappas are defined."""
    simultaneous_pairs: int | None = None
    """Number of pairs whose intervals hold all at once; left out where it holds by itself."""
    sentence: str
    """The difference in words."""
    expected_coverage: ExpectedCoverage | None = None
    """How often the interval covered in the nearest studied design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult(ShownResult):
    """The agreement of raters of the same items."""

    kind: str = "agreement"
    """``agreement``."""
    scale: RatingScale
    """What the distance of two ratings means: nominal, ordinal or interval."""
    categories: tuple[Category, ...]
    """The values of ratings, in their order; the first 20."""
    n_categories: int
    """Number of different values."""
    truth: str | None
    """The rater that the others are compared with."""
    positive: Category | None
    """The positive one of two categories, for sensitivity and specificity."""
    level: float
    """Confidence level of all intervals."""
    n: int
    """Number of items."""
    n_clusters: int | None = None
    """Number of clusters of items, where the request names them."""
    raters: Mapping[str, RaterCounts]
    """By rater, how often it gave each category."""
    coefficients: Mapping[str, AgreementEstimate]
    """Agreement of all raters together: krippendorff_alpha, and fleiss_kappa and gwet_ac1, which
    take categories as nominal."""
    pairs: tuple[RaterPair, ...]
    """The agreement of two raters: of each with the truth, or of all pairs without a truth."""
    differences: tuple[KappaDifference, ...]
    """Pairs of raters compared by their kappa with the truth."""
    sentences: tuple[str, ...]
    """The result in words."""
    cautions: tuple[Caution, ...]
    """Cautions about the ratings as a whole."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, with the field names of the service."""
        written: dict[str, Any] = to_json(self)
        return written
