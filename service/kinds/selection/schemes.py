"""The schemes of a selection: how candidates are chosen, and how the choice is assessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.kinds.cross_validation.plan import built_scheme, check_roles
from service.kinds.fitting.scheme_layout import where_scheme
from service.kinds.selection.groups import MOST_SHOWN, Groups
from thetahat.analyses.selection import own_internal
from thetahat.analyses.selection.nesting import check_no_row_twice, rows_of_part
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.schemes.base import Rows, Scheme
from thetahat.values.types import BlockKind

if TYPE_CHECKING:
    from service.kinds.selection.kind import SelectionRequest

MOST_FITS = 50_000
"""Of one selection: (external splits x (internal splits + 1) + internal splits on all rows) x
candidates, of which those that are run together count as one."""
MOST_RUNS = 2_000_000
"""The same with every candidate counted."""
MOST_LOSSES = 50_000_000
"""That are in memory at once at the end."""
MOST_KEPT = 200_000_000
"""Losses that chunks hand in: of all candidates, to be read one after another."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Schemes:
    """How candidates are chosen and the choice is assessed.

    Parameters
    ----------
    internal : Scheme
        Inside the external training parts, and on all rows.
    external : Scheme or None
        None where the choice is not assessed.
    chooses_on_all : bool
        Whether a last choice is made on all rows: not in a three-way split, whose test rows are
        not to be looked at again.
    own : bool
        Whether the external scheme brought the internal one.
    """

    internal: Scheme
    external: Scheme | None
    chooses_on_all: bool
    own: bool

    @property
    def assessed(self) -> Scheme:
        """The scheme whose losses the result evaluates."""
        return self.internal if self.external is None else self.external

    @property
    def assessed_field(self) -> str:
        """Where the request names it."""
        return "internal" if self.external is None else "external"


def schemes_of(given: SelectionRequest, rows: Rows) -> Schemes:
    """Return the schemes; an external one may bring its internal one, which is then not named."""
    external = None if given.external is None else built_scheme(given.external, "external")
    try:
        own = None if external is None else own_internal(external, rows)
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc, "external")
        raise
    if own is not None and external is not None:
        if given.internal is not None:
            raise InvalidParameter(
                f"{external.info.name} brings its internal splits; leave internal out",
                loc=("internal",),
            )
        last = external.block_kind is not BlockKind.HOLDOUT
        return Schemes(internal=own, external=external, chooses_on_all=last, own=True)
    if given.internal is None:
        raise InvalidParameter(
            "a selection needs the scheme that it chooses by, internal; only nested and "
            "three_way, as external, bring their own",
            loc=("internal",),
        )
    internal = built_scheme(given.internal, "internal")
    if own_internal(internal, rows) is not None:
        raise InvalidParameter(
            f"{internal.info.name} is a scheme for external, and brings its internal splits",
            loc=("internal",),
            value=internal.info.name,
        )
    return Schemes(internal=internal, external=external, chooses_on_all=True, own=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Numbers of splits, and of rows that one candidate is tested on outside, and on all rows."""

    n_external: int
    n_internal: int
    n_on_all: int
    n_tests: int
    n_tests_on_all: int

    @property
    def n_fits(self) -> int:
        """Of one candidate."""
        return self.n_external * (self.n_internal + 1) + self.n_on_all


def check_schemes(given: SelectionRequest, schemes: Schemes) -> None:
    """Refuse schemes whose columns the request does not name."""
    for one in (schemes.internal, schemes.assessed):
        check_roles(given, one)


def sizes_of(given: SelectionRequest, schemes: Schemes, rows: Rows, groups: Groups) -> Sizes:
    """Return the numbers of external splits, of internal splits in the first, of those on all rows.

    Raises
    ------
    InvalidParameter
        More fits or losses than one selection may have.
    EvaluationError
        What a scheme refuses, in place.
    """
    n_external, n_internal, n_on_all, n_tests, n_tests_on_all = 0, 0, 0, 0, 0
    inner = "external" if schemes.own else "internal"
    if schemes.external is not None:
        try:
            n_external = schemes.external.n_splits(rows)
            first = next(iter(schemes.external.splits(rows, 0, stop=1)))
            check_no_row_twice(first)
        except EvaluationError as error:
            error.loc = where_scheme(given, error.loc, "external")
            raise
        n_tests = n_external * len(first.test)
    try:
        if schemes.external is not None:
            n_internal = schemes.internal.n_splits(rows_of_part(rows, first.train))
        if schemes.chooses_on_all:
            n_on_all = schemes.internal.n_splits(rows)
            of_first = next(iter(schemes.internal.splits(rows, 0, stop=1)))
            n_tests_on_all = n_on_all * len(of_first.test)
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc, inner)
        raise
    sizes = Sizes(
        n_external=n_external,
        n_internal=n_internal,
        n_on_all=n_on_all,
        n_tests=n_tests,
        n_tests_on_all=n_tests_on_all,
    )
    _check_sizes(given, schemes, sizes, groups)
    return sizes


def _check_sizes(given: SelectionRequest, schemes: Schemes, sizes: Sizes, groups: Groups) -> None:
    n = groups.n_candidates
    if schemes.external is None:
        in_memory = min(n, MOST_SHOWN) * sizes.n_tests_on_all
    else:
        in_memory = (n + 1 if given.compare else 1) * sizes.n_tests
    for what, found, most in (
        ("fits", groups.n_groups * sizes.n_fits, MOST_FITS),
        ("fits, all candidates counted", n * sizes.n_fits, MOST_RUNS),
        ("losses in memory", in_memory, MOST_LOSSES),
        ("losses to be kept", n * (sizes.n_tests + sizes.n_tests_on_all), MOST_KEPT),
    ):
        if found > most:
            raise InvalidParameter(
                f"{n} candidates, {sizes.n_external} external splits, {sizes.n_internal} internal "
                f"splits in each and {sizes.n_on_all} on all rows make {found} {what}, and {most} "
                "is the most",
                loc=(schemes.assessed_field,),
                value=found,
            )
