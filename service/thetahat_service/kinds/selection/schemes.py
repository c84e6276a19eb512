"""The schemes of a selection: internal splits that choose, external splits that assess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thetahat.analyses.selection.nested_splits import (
    get_own_internal_scheme,
    refuse_repeated_rows,
    select_rows,
)
from thetahat.errors import InvalidParameter
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.types import BlockKind
from thetahat_service.kinds.fitting.building import build_scheme, check_scheme_columns
from thetahat_service.kinds.fitting.bundles import Bundle
from thetahat_service.kinds.fitting.expected_layout import locate_scheme_error
from thetahat_service.kinds.fitting.refits import MOST_FITS, MOST_LOSSES
from thetahat_service.kinds.selection.bundles import MOST_SHOWN
from thetahat_service.kinds.selection.request import SelectionRequest

MOST_RUNS = 2_000_000
"""Largest number of fits with every candidate counted."""
MOST_KEPT = 200_000_000
"""Largest number of losses in the outputs of all chunks, which are read one after another."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SelectionSchemes:
    """The scheme that chooses candidates, and the one that assesses the choice."""

    internal: Scheme
    """The scheme inside the external training parts, and on all rows."""
    external: Scheme | None
    """The scheme that assesses the choice; None if it is not assessed."""
    chooses_on_all: bool
    """Whether the last choice is made on all rows: not in a three-way split, whose test rows must
    not be used again."""
    is_own: bool
    """Whether the internal scheme is part of the external one."""

    @property
    def assessed(self) -> Scheme:
        """The scheme whose losses the result evaluates."""
        return self.internal if self.external is None else self.external

    @property
    def assessed_field(self) -> str:
        """The field of the request that names this scheme."""
        return "internal" if self.external is None else "external"


def build_schemes(request: SelectionRequest, rows: Rows) -> SelectionSchemes:
    """Return the schemes; with an external scheme that includes an internal one, none is named."""
    external = None if request.external is None else build_scheme(request.external, "external")
    with locate_scheme_error(request, field="external"):
        own_scheme = None if external is None else get_own_internal_scheme(external, rows)
    if own_scheme is not None and external is not None:
        if request.internal is not None:
            raise InvalidParameter(
                f"The scheme {external.info.name} includes internal splits. Leave internal out.",
                loc=("internal",),
            )
        last = external.block_kind is not BlockKind.HOLDOUT
        return SelectionSchemes(
            internal=own_scheme, external=external, chooses_on_all=last, is_own=True
        )
    if request.internal is None:
        raise InvalidParameter(
            "A selection needs an internal scheme to choose by. Of the external schemes, only "
            "nested and three_way include one.",
            loc=("internal",),
        )
    internal = build_scheme(request.internal, "internal")
    if get_own_internal_scheme(internal, rows) is not None:
        raise InvalidParameter(
            f"The scheme {internal.info.name} includes internal splits and can only be external.",
            loc=("internal",),
            value=internal.info.name,
        )
    return SelectionSchemes(internal=internal, external=external, chooses_on_all=True, is_own=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionSizes:
    """Numbers of splits, and of test rows of one candidate."""

    n_external: int
    """External splits."""
    n_internal: int
    """Internal splits in the training part of the first external split."""
    n_on_all: int
    """Internal splits of all rows."""
    n_tests: int
    n_tests_on_all: int
    """Test rows of one candidate over the external splits, and over internal splits of all rows."""

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
    """Return the numbers of splits, and of test rows of one candidate.

    Raises
    ------
    InvalidParameter
        The selection would need more fits or losses than the limits.
    EvaluationError
        A scheme refuses the rows; the error has its path in the request.
    """
    n_external, n_internal, n_on_all, n_tests, n_tests_on_all = 0, 0, 0, 0, 0
    if schemes.external is not None:
        with locate_scheme_error(request, field="external"):
            n_external = schemes.external.n_splits(rows)
            first = next(iter(schemes.external.splits(rows, 0, stop=1)))
            refuse_repeated_rows(first)
        n_tests = n_external * len(first.test)
    with locate_scheme_error(request, field="external" if schemes.is_own else "internal"):
        if schemes.external is not None:
            n_internal = schemes.internal.n_splits(select_rows(rows, first.train))
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
    for noun, number, limit in (
        ("fits", n_groups * sizes.n_fits, MOST_FITS),
        ("fits, all candidates counted", n * sizes.n_fits, MOST_RUNS),
        ("losses in memory", in_memory, MOST_LOSSES),
        ("losses to be kept", n * (sizes.n_tests + sizes.n_tests_on_all), MOST_KEPT),
    ):
        if number > limit:
            raise InvalidParameter(
                f"The selection would need {number} {noun}, more than the limit of {limit}: {n} "
                f"candidates, {sizes.n_external} external splits with {sizes.n_internal} internal "
                f"splits each, and {sizes.n_on_all} internal splits of all rows. Ask for fewer.",
                loc=(schemes.assessed_field,),
                value=number,
            )
