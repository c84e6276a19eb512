"""Ratings of items as codes of categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, get_args

import numpy as np

from thetahat.analyses.agreement.result import Category
from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, InvalidParameter, UnsupportedCombination, run_checks
from thetahat.numerics.agreement import RatingScale
from thetahat.similar_names import suggest_name
from thetahat.tables.labels import encode_labels, find_similar_labels
from thetahat.values.types import FloatArray, IntArray, Label

MOST_RATERS: Final = 20
"""Largest number of raters: all pairs of them are 190."""

MOST_CATEGORIES: Final = 100
"""Largest number of categories of nominal and ordinal ratings, and of those that kappa is for."""


_KINDS: Final = {str: "text", bool: "boolean", int: "number", float: "number"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """Ratings of n items by r raters."""

    names: tuple[str, ...]
    """(r,) raters."""
    codes: IntArray
    """(n, r) codes of the categories, -1 for none."""
    categories: tuple[Category, ...]
    """(q,) values of the codes, in their order."""
    scale: RatingScale
    """What the distance of two ratings means."""
    truth: str | None = None
    """The rater that the others are compared with."""
    positive: int | None = None
    """Code of the positive one of two categories; None for other ratings."""
    cluster: IntArray | None = None
    """(n,) codes of the clusters of items."""
    cautions: tuple[Caution, ...] = ()
    """Categories and clusters that look alike."""

    @property
    def values(self) -> FloatArray:
        """(q,) numbers of interval ratings; positions of the categories of others."""
        if self.scale == "interval":
            return np.array(self.categories, dtype=np.float64)
        return np.arange(len(self.categories), dtype=np.float64)


def read_ratings(  # noqa: PLR0913 - the fields of a request
    ratings: Mapping[str, Sequence[Any] | np.ndarray],
    *,
    scale: str = "nominal",
    truth: str | None = None,
    positive: Category | None = None,
    categories: Sequence[Category] | None = None,
    cluster: Sequence[Label] | None = None,
) -> Ratings:
    """Return ratings as codes.

    Parameters
    ----------
    ratings : mapping
        By rater, (n,) ratings: texts, numbers or booleans, None or NaN where there is none.
    scale : str
        ``nominal``, ``ordinal`` or ``interval``.
    truth : str or None
        The rater that the others are compared with.
    positive : category or None
        The positive one of two categories; None takes the second one.
    categories : sequence or None
        All categories in their order; None sorts those that occur.
    cluster : sequence of label or None
        (n,) cluster of each item.

    Raises
    ------
    InvalidParameter
        Columns of different length, values of different kinds, unknown names.
    InsufficientData
        Fewer than two raters, or no item with two ratings.
    UnsupportedCombination
        A scale that does not fit the values.
    """
    first, n = next(((name, len(column)) for name, column in ratings.items()), ("", 0))
    columns: dict[str, list[Category | None]] = {}

    def read_column(name: str) -> None:
        if len(ratings[name]) != n:
            raise InvalidParameter(
                f"The rater {name!r} has {len(ratings[name])} ratings and {first!r} has {n}. Every "
                "rater needs the same items; unrated ones are null.",
                loc=("ratings", name),
                value=len(ratings[name]),
            )
        columns[name] = _read_column(name, ratings[name])

    run_checks(
        lambda: _check_names(ratings, scale, truth),
        *(partial(read_column, name) for name in ratings),
        lambda: _check_cluster(cluster, n),
    )
    known = _choose_categories(columns, scale, categories)
    codes = _encode(columns, known)
    if ((codes >= 0).sum(axis=1) >= 2).sum() == 0:
        raise InsufficientData("No item has two ratings.", loc=("ratings",))
    clusters = None if cluster is None else encode_labels(cluster)
    cautions = find_similar_labels(known, "categories")
    if clusters is not None:
        cautions += find_similar_labels(clusters[1], "clusters")
    return Ratings(
        names=tuple(ratings),
        codes=codes,
        categories=known,
        scale=scale,  # type: ignore[arg-type]  # checked above
        truth=truth,
        positive=_find_positive(positive, known),
        cluster=None if clusters is None else clusters[0],
        cautions=cautions,
    )


def _check_names(ratings: Mapping[str, object], scale: str, truth: str | None) -> None:
    def check_scale() -> None:
        if scale not in get_args(RatingScale):
            raise InvalidParameter(
                f"scale must be one of {', '.join(get_args(RatingScale))}, got {scale!r}.",
                loc=("scale",),
                value=scale,
            )

    def check_raters() -> None:
        if not 2 <= len(ratings) <= MOST_RATERS:
            raise InsufficientData(
                f"The ratings have {len(ratings)} raters. Agreement is of 2 to {MOST_RATERS}.",
                loc=("ratings",),
                value=len(ratings),
            )

    def check_truth() -> None:
        if truth is not None and truth not in ratings:
            raise InvalidParameter(
                f"truth {truth!r} is not one of the raters{suggest_name(truth, ratings)}: "
                f"{', '.join(ratings)}.",
                loc=("truth",),
                value=truth,
            )

    run_checks(check_scale, check_raters, check_truth)


def _check_cluster(cluster: Sequence[Label] | None, n: int) -> None:
    if cluster is not None and len(cluster) != n:
        raise InvalidParameter(
            f"cluster has {len(cluster)} entries, and there are {n} items.",
            loc=("cluster",),
            value=len(cluster),
        )


def _read_column(name: str, column: Sequence[Any] | np.ndarray) -> list[Category | None]:
    """Return a rater's values, None where there is none."""
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    for i, value in enumerate(values):
        if isinstance(value, np.generic):
            value = values[i] = value.item()  # noqa: PLW2901 - the same value
        if value is None or type(value) in {str, int, bool}:
            continue
        if type(value) is not float or math.isinf(value):
            raise InvalidParameter(
                f"The rating of item {i} by {name!r} is {value!r}; a rating is a text, a finite "
                "number or a boolean, or null.",
                loc=("ratings", name, i),
                value=str(value),
            )
        if math.isnan(value):
            values[i] = None
    return values


def _choose_categories(
    columns: Mapping[str, list[Category | None]],
    scale: str,
    categories: Sequence[Category] | None,
) -> tuple[Category, ...]:
    """Return the categories in their order."""
    present = {value for column in columns.values() for value in column if value is not None}
    types = {type(value) for column in (*columns.values(), categories or ()) for value in column}
    kinds = {_KINDS[kind] for kind in types - {type(None)}}
    if len(kinds) > 1:
        raise InvalidParameter(
            f"Ratings are of several kinds: {' and '.join(sorted(kinds))}. Write all categories "
            "alike.",
            loc=("ratings",),
        )
    if categories is not None:
        known = tuple(dict.fromkeys(categories))
        if len(known) < len(categories):
            raise InvalidParameter("categories names a value twice.", loc=("categories",))
        unknown = [value for value in present if value not in known]
        if unknown:
            raise InvalidParameter(
                f"The rating {unknown[0]!r} is none of the categories.",
                loc=("categories",),
                value=unknown[0],
            )
    else:
        if scale == "ordinal" and kinds == {"text"}:
            raise UnsupportedCombination(
                "Ordinal ratings that are texts need their order. Name all of them in categories, "
                "the lowest first, or set scale to nominal.",
                loc=("categories",),
            )
        known = tuple(sorted(present))
    if scale == "interval" and kinds == {"text"}:
        raise UnsupportedCombination(
            "Interval ratings are numbers, and these are texts. Set scale to nominal or ordinal.",
            loc=("scale",),
            value=scale,
        )
    if scale == "interval":
        known = tuple(sorted(known))
    if scale != "interval" and len(known) > MOST_CATEGORIES:
        raise UnsupportedCombination(
            f"The ratings have {len(known)} different values, and {scale} ratings may have "
            f"{MOST_CATEGORIES}. For numbers set scale to interval; or group the values.",
            loc=("scale",),
            value=scale,
        )
    return known


def _encode(
    columns: Mapping[str, list[Category | None]], categories: tuple[Category, ...]
) -> IntArray:
    """Return (n, r) codes, -1 where there is no rating."""
    code: dict[Category | None, int] = {value: i for i, value in enumerate(categories)}
    code[None] = -1
    return np.array(
        [np.fromiter((code[v] for v in column), dtype=np.intp) for column in columns.values()]
    ).T


def _find_positive(positive: Category | None, categories: tuple[Category, ...]) -> int | None:
    if positive is not None and positive not in categories:
        raise InvalidParameter(
            f"positive {positive!r} is none of the categories.", loc=("positive",), value=positive
        )
    if len(categories) != 2:
        if positive is not None:
            raise UnsupportedCombination(
                f"positive is for two categories, and there are {len(categories)}. Leave it out.",
                loc=("positive",),
                value=positive,
            )
        return None
    return 1 if positive is None else categories.index(positive)
