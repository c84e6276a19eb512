"""The memory of quasi-Newton steps, for several objectives at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

_MAX_REMEMBERED_STEPS: Final = 8


class StepMemory:
    r"""The previous steps of m parts, and the changes of their gradients.

    They show where the curvature differs from an approximate one, as in limited-memory quasi-Newton
    methods: with them a fixed curvature needs half the steps. The result of a part does not depend
    on the others.
    """

    def __init__(self) -> None:
        self.pairs: list[tuple[FloatArray, FloatArray, FloatArray]] = []

    def add(self, moved: FloatArray, change: FloatArray) -> None:
        """Store (m, K q) steps and the changes of the gradients over them."""
        along = np.vecdot(moved, change)
        scale = np.divide(1.0, along, out=np.zeros_like(along), where=along > 0)
        self.pairs = [*self.pairs[1 - _MAX_REMEMBERED_STEPS :], (moved, change, scale)]

    def forget(self, part: int) -> None:
        """Discard the steps of one part."""
        for _, _, scale in self.pairs:
            scale[part] = 0.0

    def compute_steps(
        self, gradients: FloatArray, solve: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return (m, K q) steps from such gradients.

        ``solve`` multiplies gradients by an approximate inverse curvature; it returns a new array.
        """
        left, shares = gradients, []
        for moved, change, scale in reversed(self.pairs):
            shares.append(scale * np.vecdot(moved, left))
            left = left - shares[-1][:, None] * change
        steps = solve(left)
        for (moved, change, scale), share in zip(self.pairs, reversed(shares), strict=True):
            steps += (share - scale * np.vecdot(change, steps))[:, None] * moved
        return steps
