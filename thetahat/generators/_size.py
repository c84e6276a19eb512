"""The size of one draw."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import MAX_DRAWN, MAX_ROWS, check_range


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawSize:
    """The size of one draw: ``n`` rows in all, or ``per_source`` from each of ``n_sources``."""

    n: int | None = None
    """Rows in all; for a pair of samples, of the source sample."""
    n_sources: int | None = None
    """Sources, or blocks of losses."""
    per_source: int | None = None
    """Rows of each."""
    n_target: int | None = None
    """Rows of the target sample of a pair; by default as many as the source sample has."""

    def __post_init__(self) -> None:
        for name in ("n", "n_sources", "per_source", "n_target"):
            value = getattr(self, name)
            check_range(name, value, 1, MAX_ROWS)
        if (self.n is None) == (self.per_source is None):
            raise InvalidParameter("Give either n, or per_source with n_sources.", loc=("n",))
        if self.per_source is not None and self.n_sources is None:
            raise InvalidParameter("per_source needs n_sources.", loc=("n_sources",))
        if self.per_source is not None:
            check_range("n_sources times per_source", self.rows, 1, MAX_ROWS)

    def check_columns(self, n_columns: int) -> None:
        """Raise ``InvalidParameter`` if a draw of so many columns would have too many numbers."""
        rows = max(self.rows, self.n_target or 0)
        check_drawn(rows, n_columns, "n" if self.n is not None else "per_source")

    @property
    def rows(self) -> int:
        """Rows in all, without those of a target sample."""
        if self.n is not None:
            return self.n
        assert self.n_sources is not None  # noqa: S101 - __post_init__ has checked it
        assert self.per_source is not None  # noqa: S101 - __post_init__ has checked it
        return self.n_sources * self.per_source


def check_drawn(n_rows: int, n_columns: int, name: str) -> None:
    """Raise ``InvalidParameter`` if an array of so many numbers is too large to be drawn.

    ``name`` is the parameter that sets the number of rows.
    """
    if n_rows * n_columns > MAX_DRAWN:
        raise InvalidParameter(
            f"A draw of {n_rows} rows with {n_columns} columns has more than {MAX_DRAWN} numbers. "
            "Draw fewer rows or columns.",
            loc=(name,),
            value=n_rows,
        )
