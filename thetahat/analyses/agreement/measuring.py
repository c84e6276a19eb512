"""The agreement of raters, measured from their ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from thetahat.analyses.agreement.expected_coverage import (
    add_coverage_of_rate,
    add_expected_coverage,
)
from thetahat.analyses.agreement.kappa_differences import MOST_RESAMPLES, compare_all_kappas
from thetahat.analyses.agreement.ratings import MOST_CATEGORIES, Ratings, read_ratings
from thetahat.analyses.agreement.result import (
    AgreementEstimate,
    AgreementResult,
    Category,
    KappaDifference,
    RaterCounts,
    RaterPair,
)
from thetahat.analyses.probabilities.estimates import estimate_share
from thetahat.cautions import (
    AGREEMENT_OF_COMMON_CATEGORY,
    FEW_CLUSTERS_OF_ITEMS,
    FEW_DISAGREEMENTS,
    FEW_RARE_RATINGS,
    ITEMS_WITHOUT_TWO_RATINGS,
    Caution,
)
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.errors import InvalidParameter, run_checks
from thetahat.numerics.agreement import (
    Coefficient,
    compute_cohen_kappa,
    compute_ends,
    compute_fleiss_kappa,
    compute_gwet_ac1,
    compute_krippendorff_alpha,
    compute_observed_agreement,
)
from thetahat.numerics.thresholds import SAME_CONTRIBUTIONS
from thetahat.parameter_checks import check_level
from thetahat.tables.labels import make_label_key
from thetahat.values.number_text import format_count, format_percent
from thetahat.values.types import Alternative, IntArray, Label

DEFAULT_RESAMPLES: Final = 2000
"""Resamples of items for the difference of two kappas."""

MOST_SHOWN: Final = 20
"""Categories that a result lists."""

ONE_CATEGORY: Final = "all ratings are equal, so that agreement and chance are the same"
NO_DISAGREEMENT: Final = "no item has different ratings, so that nothing varies"
NO_SPREAD: Final = "all items count alike in it, so that nothing varies"
NO_ITEMS: Final = "no item was rated by both"
NO_TWO_UNITS: Final = "an interval needs two items, or clusters, or more"
MANY_CATEGORIES: Final = f"there are more than {MOST_CATEGORIES} different values"


def check_options(level: float, n_resamples: int) -> None:
    """Raise ``InvalidParameter`` for a level, or a number of resamples, that is out of range."""

    def check_resamples() -> None:
        if not 0 < n_resamples <= MOST_RESAMPLES:
            raise InvalidParameter(
                f"n_resamples must be from 1 to {MOST_RESAMPLES}, got {n_resamples}.",
                loc=("n_resamples",),
                value=n_resamples,
            )

    run_checks(lambda: check_level(level), check_resamples)


def measure_agreement(  # noqa: PLR0913 - the fields of a request
    ratings: Mapping[str, Sequence[Any] | np.ndarray],
    *,
    scale: str = "nominal",
    truth: str | None = None,
    positive: Category | None = None,
    categories: Sequence[Category] | None = None,
    cluster: Sequence[Label] | None = None,
    level: float = 0.95,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> AgreementResult:
    """Measure how far raters of the same items agree.

    Parameters
    ----------
    ratings : mapping
        By rater, (n,) ratings: texts, numbers or booleans, None or NaN where there is none.
    scale : str
        ``nominal``, ``ordinal`` or ``interval``: what the distance of two ratings means.
    truth : str or None
        A rater with whom all others are compared, such as a person; None compares all pairs.
    positive : category or None
        The positive one of two categories; None takes the second one.
    categories : sequence or None
        All categories in their order; None sorts those that occur.
    cluster : sequence of label or None
        (n,) cluster of each item; items of one cluster depend on each other.
    level : float
        Confidence level of intervals.
    n_resamples : int
        Resamples of items (or clusters) for the difference of two kappas; of several differences at
        least so many that ten are beyond each end of an interval, up to 20 000.
    seed : int
        Seed of the resamples.

    Examples
    --------
    >>> import thetahat
    >>> found = thetahat.measure_agreement(
    ...     {"anna": ["yes", "no", "no", "yes"], "judge": ["yes", "no", "yes", "yes"]},
    ...     truth="anna",
    ... )
    >>> found.pairs[0].kappa.estimate
    0.5
    """
    check_options(level, n_resamples)
    read = read_ratings(
        ratings,
        scale=scale,
        truth=truth,
        positive=positive,
        categories=categories,
        cluster=cluster,
    )
    pairs = tuple(_measure_pair(read, a, b, level) for a, b in _list_pairs(read))
    differences = (
        compare_all_kappas(read, level, n_resamples, seed)
        if truth is not None and len(read.categories) <= MOST_CATEGORIES
        else ()
    )
    coefficients = _measure_all(read, level)
    return AgreementResult(
        scale=read.scale,
        categories=read.categories[:MOST_SHOWN],
        n_categories=len(read.categories),
        truth=truth,
        positive=None if read.positive is None else read.categories[read.positive],
        level=level,
        n=len(read.codes),
        n_clusters=None if read.cluster is None else int(read.cluster.max()) + 1,
        raters={name: _count(read, i) for i, name in enumerate(read.names)},
        coefficients=coefficients,
        pairs=pairs,
        differences=differences,
        sentences=tuple(_write_sentences(read, coefficients, pairs, differences, level)),
        cautions=tuple(_list_cautions(read)),
    )


def _list_pairs(ratings: Ratings) -> list[tuple[str, str]]:
    """Return each rater with the truth, or all pairs without one."""
    if ratings.truth is None:
        return list(combinations(ratings.names, 2))
    return [(name, ratings.truth) for name in ratings.names if name != ratings.truth]


def _count(ratings: Ratings, rater: int) -> RaterCounts:
    codes = ratings.codes[:, rater]
    counts = np.bincount(codes[codes >= 0], minlength=len(ratings.categories))
    n = int(counts.sum())
    commonest = np.sort(np.argsort(-counts, kind="stable")[:MOST_SHOWN])
    return RaterCounts(
        n=n,
        shares={
            make_label_key(ratings.categories[code]): float(counts[code] / n) if n else 0.0
            for code in commonest.tolist()
        },
    )


def _measure_all(ratings: Ratings, level: float) -> dict[str, AgreementEstimate]:
    """Return the coefficients of all raters together."""
    codes, q, cluster = ratings.codes, len(ratings.categories), ratings.cluster
    found = {
        "krippendorff_alpha": compute_krippendorff_alpha(codes, ratings.scale, ratings.values),
        "fleiss_kappa": compute_fleiss_kappa(codes, q),
        "gwet_ac1": compute_gwet_ac1(codes, q),
    }
    n = int(((codes >= 0).sum(axis=1) >= 2).sum())
    return {
        key: add_expected_coverage(
            _estimate(each, cluster, level, n),
            key,
            codes,
            q,
            cluster,
            is_weighted=key == "krippendorff_alpha" and ratings.scale != "nominal",
        )
        for key, each in found.items()
    }


def _measure_pair(ratings: Ratings, a: str, b: str, level: float) -> RaterPair:
    codes = ratings.codes[:, [ratings.names.index(name) for name in (a, b)]]
    is_rated = (codes >= 0).all(axis=1)
    codes = codes[is_rated]
    n, q = len(codes), len(ratings.categories)
    if n == 0:
        nothing = AgreementEstimate(estimate=None, n=0, reason=NO_ITEMS)
        return RaterPair(
            a=a,
            b=b,
            n=0,
            n_disagree=0,
            observed=nothing,
            kappa=nothing,
            gwet_ac1=nothing,
            krippendorff_alpha=nothing,
        )
    first, second = codes.T
    cluster = None
    if ratings.cluster is not None:
        cluster = np.unique(ratings.cluster[is_rated], return_inverse=True)[1]

    is_ordered = ratings.scale != "nominal"

    def estimate(
        key: str, found: Coefficient | None, *, is_weighted: bool = False
    ) -> AgreementEstimate:
        built = _estimate(found, cluster, level, n)
        return add_expected_coverage(built, key, codes, q, cluster, is_weighted=is_weighted)

    def estimate_kappa(power: int) -> AgreementEstimate:
        if q > MOST_CATEGORIES:
            return AgreementEstimate(estimate=None, n=n, reason=MANY_CATEGORIES)
        kappa = compute_cohen_kappa(first, second, q, power, ratings.values)
        return estimate("kappa", kappa, is_weighted=power > 0)

    observed = compute_observed_agreement(first, second)
    kappa = estimate_kappa(0)
    alpha = compute_krippendorff_alpha(codes, ratings.scale, ratings.values)
    n_disagree = int((first != second).sum())
    of_truth = ratings.positive is not None and b == ratings.truth
    return RaterPair(
        a=a,
        b=b,
        n=n,
        n_disagree=n_disagree,
        observed=_estimate_rate(observed.contributions > 0, cluster, level),
        kappa=kappa,
        kappa_linear=estimate_kappa(1) if is_ordered else None,
        kappa_quadratic=estimate_kappa(2) if is_ordered else None,
        gwet_ac1=estimate("gwet_ac1", compute_gwet_ac1(codes, q)),
        krippendorff_alpha=estimate("krippendorff_alpha", alpha, is_weighted=is_ordered),
        sensitivity=_estimate_hits(ratings, first, second, cluster, level, positive=True)
        if of_truth
        else None,
        specificity=_estimate_hits(ratings, first, second, cluster, level, positive=False)
        if of_truth
        else None,
        cautions=tuple(_list_pair_cautions(a, b, codes, n_disagree, observed, kappa)),
    )


def _estimate(
    found: Coefficient | None, cluster: IntArray | None, level: float, n: int
) -> AgreementEstimate:
    """Return a coefficient with its interval, which is built on the scale of Fisher's z."""
    if found is None:
        return AgreementEstimate(estimate=None, n=n, reason=ONE_CATEGORY)
    n, degrees = len(found.contributions), found.count_units(cluster) - 1.0
    variance = found.compute_variance(cluster)
    if not variance > 0:
        reason = NO_DISAGREEMENT if found.estimate >= 1 - SAME_CONTRIBUTIONS else NO_SPREAD
        if math.isnan(variance):
            reason = NO_TWO_UNITS
        return AgreementEstimate(estimate=found.estimate, n=n, reason=reason)
    tail = compute_tail_probability(level, Alternative.TWO_SIDED)
    error = math.sqrt(variance)
    ends = compute_ends(found.estimate, error, compute_upper_quantile(tail, degrees))
    return AgreementEstimate(
        estimate=found.estimate,
        standard_error=error,
        degrees_of_freedom=degrees,
        lower=None if ends is None else ends[0],
        upper=None if ends is None else ends[1],
        n=n,
        reason=NO_SPREAD if ends is None else None,
    )


def _estimate_hits(  # noqa: PLR0913 - the ratings, and which of them
    ratings: Ratings,
    rated: IntArray,
    true: IntArray,
    cluster: IntArray | None,
    level: float,
    *,
    positive: bool,
) -> AgreementEstimate:
    """Return the share of right ratings among the items whose truth is positive, or negative."""
    counted = (true == ratings.positive) == positive
    hits = rated[counted] == true[counted]
    if not len(hits):
        word = "positive" if positive else "negative"
        return AgreementEstimate(estimate=None, n=0, reason=f"no item is truly {word}")
    return _estimate_rate(hits, None if cluster is None else cluster[counted], level)


def _estimate_rate(hits: np.ndarray, cluster: IntArray | None, level: float) -> AgreementEstimate:
    """Return a share with Wilson's interval, in clusters by their design effect."""
    n = len(hits)
    share = estimate_share(
        hits.astype(np.float64), np.ones(n, dtype=np.bool_), cluster, level, "items"
    )
    found = AgreementEstimate(
        estimate=share.estimate,
        standard_error=None if cluster is None else share.standard_error,
        degrees_of_freedom=share.degrees_of_freedom,
        lower=share.lower,
        upper=share.upper,
        n=n,
        reason=NO_TWO_UNITS if share.lower is None else None,
    )
    return add_coverage_of_rate(found, cluster)


def _list_cautions(ratings: Ratings) -> Iterator[Caution]:
    yield from ratings.cautions
    n_ratings = (ratings.codes >= 0).sum(axis=1)
    n_alone = int((n_ratings < 2).sum())
    if n_alone:
        yield ITEMS_WITHOUT_TWO_RATINGS(n=n_alone, n_items=len(ratings.codes))
    if ratings.cluster is not None:
        n_clusters = int(ratings.cluster.max()) + 1
        if n_clusters < FEW_CLUSTERS_OF_ITEMS.threshold:
            yield FEW_CLUSTERS_OF_ITEMS(n=n_clusters)


def _list_pair_cautions(  # noqa: PLR0913 - what is known of a pair
    a: str,
    b: str,
    codes: IntArray,
    n_disagree: int,
    observed: Coefficient,
    kappa: AgreementEstimate,
) -> Iterator[Caution]:
    if n_disagree < FEW_DISAGREEMENTS.threshold:
        yield FEW_DISAGREEMENTS(items=_count_items(n_disagree), a=a, b=b)
    counts = np.bincount(codes.ravel())
    n_rare = int((codes != np.argmax(counts)).any(axis=1).sum())
    if n_rare < FEW_RARE_RATINGS.threshold:
        yield FEW_RARE_RATINGS(items=_count_items(n_rare), a=a, b=b)
    least, k = AGREEMENT_OF_COMMON_CATEGORY.threshold, kappa.estimate
    if observed.estimate >= least and k is not None and k < least / 2:
        share = format_percent(round(observed.estimate, 3))
        yield AGREEMENT_OF_COMMON_CATEGORY(a=a, b=b, observed=share, kappa=round(k, 2))


def _count_items(n: int) -> str:
    return f"{n} item" if n == 1 else f"{n} items"


def _write_sentences(
    ratings: Ratings,
    coefficients: Mapping[str, AgreementEstimate],
    pairs: Sequence[RaterPair],
    differences: Sequence[KappaDifference],
    level: float,
) -> Iterator[str]:
    """Yield the result in words, the answer first."""
    if ratings.truth is not None or len(pairs) == 1:
        for pair in pairs:
            yield _write_pair(pair, level)
    if len(ratings.names) > 2:
        alpha = coefficients["krippendorff_alpha"]
        yield (
            f"Krippendorff's alpha of all {len(ratings.names)} raters is "
            f"{_write_estimate(alpha, level)}, on {format_count(alpha.n)} items."
        )
    for difference in differences:
        yield difference.sentence


def _write_pair(pair: RaterPair, level: float) -> str:
    if pair.observed.estimate is None:
        return f"No item was rated by both {pair.a} and {pair.b}."
    share = format_percent(round(pair.observed.estimate, 3))
    text = (
        f"{pair.a} and {pair.b} agree on {share} of {format_count(pair.n)} items; kappa is "
        f"{_write_estimate(pair.kappa, level)}"
    )
    found, kept = pair.sensitivity, pair.specificity
    if found is not None and found.estimate is not None:
        text += f", sensitivity {found.estimate:.2f}"
    if kept is not None and kept.estimate is not None:
        text += f", specificity {kept.estimate:.2f}"
    return f"{text}."


def _write_estimate(estimate: AgreementEstimate, level: float) -> str:
    if estimate.estimate is None:
        return f"not defined ({estimate.reason})"
    if estimate.lower is None or estimate.upper is None:
        return f"{estimate.estimate:.2f} (no interval: {estimate.reason})"
    return (
        f"{estimate.estimate:.2f} ({format_percent(level)} interval {estimate.lower:.2f} to "
        f"{estimate.upper:.2f})"
    )
