"""The schemes of a selection: how candidates are chosen, and how the choice is assessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.kinds.fitting.building import build_scheme, check_scheme_columns
from service.kinds.fitting.bundles import Bundle
from service.kinds.fitting.expected_layout import locate_scheme_error
from service.kinds.selection.bundles import MOST_SHOWN
from service.kinds.selection.request import SelectionRequest
from thetahat.analyses.selection import own_internal
from thetahat.analyses.selection.nesting import check_no_row_twice, rows_of_part
from thetahat.errors import InvalidParameter
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.types import BlockKind

MOST_FITS = 50_000
"""Fits of one selection: (external splits x (internal splits + 1) + internal splits of all rows) x
candidates, where candidates that are fitted together count as one."""
MOST_RUNS = 2_000_000
"""The same with every candidate counted."""
MOST_LOSSES = 50_000_000
"""Losses that are in memory at once at the end."""
MOST_KEPT = 200_000_000
"""Losses that the chunks of all candidates return, to be read one chunk after another."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionSchemes:
    """The scheme that chooses candidates, and the one that assesses the choice.

    Parameters
    ----------
    internal : Scheme
        Inside the external training parts, and on all rows.
    external : Scheme or None
        None where the choice is not assessed.
    chooses_on_all : bool
        Whether a last choice is made on all rows: not in a three-way split, whose test rows must
        not be used again.
    is_own : bool
        Whether the external scheme brings the internal one.
    """

    internal: Scheme
    external: Scheme | None
    chooses_on_all: bool
    is_own: bool

    @property
    def assessed(self) -> Scheme:
        """The scheme whose losses the result evaluates."""
        return self.internal if self.external is None else self.external

    @property
    def assessed_field(self) -> str:
        """The field of the request that names it."""
        return "internal" if self.external is None else "external"


def build_schemes(request: SelectionRequest, rows: Rows) -> SelectionSchemes:
    """Return the schemes; an external one that brings its internal one must be named alone."""
    external = None if request.external is None else build_scheme(request.external, "external")
    with locate_scheme_error(request, field="external"):
        own = None if external is None else own_internal(external, rows)
    if own is not None and external is not None:
        if request.internal is not None:
            raise InvalidParameter(
                f"{external.info.name} brings its internal splits; leave internal out",
                loc=("internal",),
            )
        last = external.block_kind is not BlockKind.HOLDOUT
        return SelectionSchemes(internal=own, external=external, chooses_on_all=last, is_own=True)
    if request.internal is None:
        raise InvalidParameter(
            "a selection needs the scheme that it chooses by, internal; only nested and "
            "three_way, as external, bring their own",
            loc=("internal",),
        )
    internal = build_scheme(request.internal, "internal")
    if own_internal(internal, rows) is not None:
        raise InvalidParameter(
            f"{internal.info.name} is a scheme for external, and brings its internal splits",
            loc=("internal",),
            value=internal.info.name,
        )
    return SelectionSchemes(internal=internal, external=external, chooses_on_all=True, is_own=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionSizes:
    """Numbers of splits, and of the rows that one candidate is tested on.

    Parameters
    ----------
    n_external : int
        External splits.
    n_internal : int
        Internal splits in the training part of the first external split.
    n_on_all : int
        Internal splits of all rows.
    n_tests, n_tests_on_all : int
        Rows that one candidate is tested on in external splits, and in internal ones of all rows.
    """

    n_external: int
    n_internal: int
    n_on_all: int
    n_tests: int
    n_tests_on_all: int

    @property
    def n_fits(self) -> int:
        """Fits of one candidate."""
        return self.n_external * (self.n_internal + 1) + self.n_on_all


def check_columns(request: SelectionRequest, schemes: SelectionSchemes) -> None:
    """Refuse schemes that need columns which the request does not name."""
    for scheme in (schemes.internal, schemes.assessed):
        check_scheme_columns(request, scheme)


def count_splits(
    request: SelectionRequest, schemes: SelectionSchemes, rows: Rows, bundles: Sequence[Bundle]
) -> SelectionSizes:
    """Return the numbers of splits, and of the rows that one candidate is tested on.

    Raises
    ------
    InvalidParameter
        More fits or losses than one selection may have.
    EvaluationError
        An error of a scheme, with its path in the request.
    """
    n_external, n_internal, n_on_all, n_tests, n_tests_on_all = 0, 0, 0, 0, 0
    if schemes.external is not None:
        with locate_scheme_error(request, field="external"):
            n_external = schemes.external.n_splits(rows)
            first = next(iter(schemes.external.splits(rows, 0, stop=1)))
            check_no_row_twice(first)
        n_tests = n_external * len(first.test)
    with locate_scheme_error(request, field="external" if schemes.is_own else "internal"):
        if schemes.external is not None:
            n_internal = schemes.internal.n_splits(rows_of_part(rows, first.train))
        if schemes.chooses_on_all:
            n_on_all = schemes.internal.n_splits(rows)
            first_on_all = next(iter(schemes.internal.splits(rows, 0, stop=1)))
            n_tests_on_all = n_on_all * len(first_on_all.test)
    sizes = SelectionSizes(
        n_external=n_external,
        n_internal=n_internal,
        n_on_all=n_on_all,
        n_tests=n_tests,
        n_tests_on_all=n_tests_on_all,
    )
    _check_sizes(request, schemes, sizes, bundles)
    return sizes


def _check_sizes(
    request: SelectionRequest,
    schemes: SelectionSchemes,
    sizes: SelectionSizes,
    bundles: Sequence[Bundle],
) -> None:
    n = sum(len(bundle.names) for bundle in bundles)
    n_groups = sum(len(bundle.groups) for bundle in bundles)
    if schemes.external is None:
        in_memory = min(n, MOST_SHOWN) * sizes.n_tests_on_all
    else:
        in_memory = (n + 1 if request.compare else 1) * sizes.n_tests
    for noun, number, most in (
        ("fits", n_groups * sizes.n_fits, MOST_FITS),
        ("fits, all candidates counted", n * sizes.n_fits, MOST_RUNS),
        ("losses in memory", in_memory, MOST_LOSSES),
        ("losses to be kept", n * (sizes.n_tests + sizes.n_tests_on_all), MOST_KEPT),
    ):
        if number > most:
            raise InvalidParameter(
                f"{n} candidates, {sizes.n_external} external splits, {sizes.n_internal} internal "
                f"splits in each and {sizes.n_on_all} on all rows make {number} {noun}, and {most} "
                "is the most",
                loc=(schemes.assessed_field,),
                value=number,
            )
