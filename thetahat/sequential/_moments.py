"""The mean and the spread of values that arrive in batches, and how many values differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from thetahat.values.types import FloatArray

LEAST_DIFFERING: Final = 20
"""Values that must differ from the commonest one before a normal approximation is used.

Of 0/1 losses of rate .05, asymptotic intervals of level 0.95 miss the mean at one of 100 looks in
.07 of all series without this rule, and in .03 with it (docs/results/edges/many_looks.md).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningMoments:
    """The count, the mean and the sum of squared deviations.

    Unlike a sum of squares, the squared deviations lose no digits where the mean is large.
    """

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    """Sum of the squared deviations from the mean."""
    counts: Mapping[str, int] | None = None
    """How often each value has occurred, until ``LEAST_DIFFERING`` differ; None from then on."""

    @classmethod
    def begin(cls) -> RunningMoments:
        """Return the moments of no value."""
        return cls(counts={})

    @property
    def standard_deviation(self) -> float:
        """Standard deviation with divisor n."""
        return math.sqrt(self.squares / self.n) if self.n else 0.0

    @property
    def n_differing(self) -> int | None:
        """How many values differ from the commonest; None once they are enough."""
        return None if self.counts is None else self.n - max(self.counts.values(), default=0)

    def add(self, values: FloatArray) -> RunningMoments:
        """Return the moments with these values, whose order does not matter, to the last bit."""
        size = len(values)
        if size == 0:
            return self
        numbers = values.tolist()
        mean = math.fsum(numbers) / size
        squares = math.fsum((number - mean) ** 2 for number in numbers)
        n = self.n + size
        gap = mean - self.mean
        return RunningMoments(
            n=n,
            mean=self.mean + gap * size / n,
            squares=self.squares + squares + gap * gap * self.n * size / n,
            counts=self._count(numbers),
        )

    def _count(self, numbers: list[float]) -> dict[str, int] | None:
        """Return the counts of the values; None once enough of them differ, which lasts."""
        if self.counts is None:
            return None
        counts = Counter(dict(self.counts))
        counts.update(map(repr, numbers))
        is_enough = counts.total() - max(counts.values()) >= LEAST_DIFFERING
        return None if is_enough else dict(sorted(counts.items()))

    def to_json(self) -> dict[str, Any]:
        """Return the moments as JSON can hold them."""
        return asdict(self)
