"""The size of one draw."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.errors import InvalidParameter


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawSize:
    """The size of one draw: ``n`` rows in all, or ``per_source`` from each of ``n_sources``.

    Parameters
    ----------
    n : int or None
        Rows in all; for a pair of samples, of the source sample.
    n_sources : int or None
        Sources, or blocks of losses.
    per_source : int or None
        Rows of each.
    n_target : int or None
        Rows of the target sample of a pair; by default as many as the source sample has.
    """

    n: int | None = None
    n_sources: int | None = None
    per_source: int | None = None
    n_target: int | None = None

    def __post_init__(self) -> None:
        for name in ("n", "n_sources", "per_source", "n_target"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidParameter(
                    f"{name} must be 1 or more, got {value}", loc=(name,), value=value
                )
        if (self.n is None) == (self.per_source is None):
            raise InvalidParameter("Give either n, or per_source with n_sources.", loc=("n",))
        if self.per_source is not None and self.n_sources is None:
            raise InvalidParameter("per_source needs n_sources", loc=("n_sources",))

    @property
    def rows(self) -> int:
        """Rows in all, without those of a target sample."""
        if self.n is not None:
            return self.n
        assert self.n_sources is not None  # noqa: S101 - __post_init__ has checked it
        assert self.per_source is not None  # noqa: S101 - __post_init__ has checked it
        return self.n_sources * self.per_source
