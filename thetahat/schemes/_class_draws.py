"""Bootstrap draws with at least two classes, so that a classifier can be fitted to them.

With a rare class some resamples contain no row of it. If one class is left, most classifiers cannot
be fitted, and one failed fit would fail the learner. Such a resample is drawn again from the same
random stream, for all learners alike, so that their losses stay paired.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from thetahat.cautions import RARE_CLASS_DRAWN_AGAIN, Caution
from thetahat.errors import InsufficientData
from thetahat.schemes.base import Rows
from thetahat.values.types import IntArray, Label

MAX_DRAWS: Final = 1000
"""Largest number of draws for one resample. If a draw can have two classes, it has them with a
probability of 0.2 or more, so the probability that none of 1000 draws does is below 1e-96."""

_Draw = TypeVar("_Draw")


@dataclass(frozen=True, slots=True)
class RowsToDraw:
    """The number of rows and their classes, on which bootstrap draws depend, as a cache key."""

    n: int
    """Number of rows."""
    codes: bytes = b""
    """(n,) class codes of the rows, as the bytes of an ``intp`` array; empty if any draw will do:
    the rows have values, or one class only."""
    classes: tuple[Label, ...] = ()
    """Labels of the class codes."""

    @classmethod
    def read(cls, rows: Rows) -> RowsToDraw:
        """Return the number of rows, and their classes if there are two or more."""
        y = rows.y
        if not rows.classes or y is None or y.min() == y.max():
            return cls(rows.n)
        return cls(rows.n, np.ascontiguousarray(y, dtype=np.intp).tobytes(), rows.classes)

    @property
    def class_codes(self) -> IntArray | None:
        """(n,) class codes; None if any draw will do."""
        return np.frombuffer(self.codes, dtype=np.intp) if self.codes else None

    def count_classes(self, drawn: IntArray) -> int:
        """Return the number of classes among drawn rows; 2 if any draw will do."""
        y = self.class_codes
        return 2 if y is None else len(np.unique(y[drawn]))

    def draw(
        self, draw: Callable[[], _Draw], is_usable: Callable[[_Draw], bool]
    ) -> tuple[_Draw, int]:
        """Repeat a draw until it is usable; return it and how many before it were not.

        Raises ``InsufficientData`` if ``MAX_DRAWS`` draws are not usable; the message names the
        class with the fewest rows.
        """
        for n_unusable in range(MAX_DRAWS):
            drawn = draw()
            if is_usable(drawn):
                return drawn, n_unusable
        raise self._build_error(f"{MAX_DRAWS} bootstrap resamples in a row had one class only")

    def check_size(self, least: int, unit: str) -> None:
        """Raise ``InsufficientData`` if no draw of so few rows can have two classes."""
        if self.codes and self.n < least:
            raise self._build_error(f"{unit} of two classes needs {least} rows or more")

    def _build_error(self, reason: str) -> InsufficientData:
        y = self.class_codes
        if y is None:
            return InsufficientData(f"{reason}. The data have {self.n} rows.", value=self.n)
        present, sizes = np.unique(y, return_counts=True)
        rarest = int(sizes.argmin())
        label = self.classes[int(present[rarest])]
        return InsufficientData(
            f"{reason}: the class {label!r} has {int(sizes[rarest])} of {self.n} rows. Add rows of "
            "that class, or leave the class out.",
            loc=("columns", "target"),
            value=label,
        )


def caution_about_repeated_draws(n_drawn_again: int, n_resamples: int) -> tuple[Caution, ...]:
    """Return the caution that resamples with one class were drawn again, if any were."""
    if n_drawn_again == 0:
        return ()
    return (RARE_CLASS_DRAWN_AGAIN(n=n_drawn_again, n_used=n_resamples),)
