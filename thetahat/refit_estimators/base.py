"""What a method that fits the learner again is, what it asks for and what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.registry import MethodInfo
from thetahat.schemes.base import Rows, Split
from thetahat.values.types import Alternative, FloatArray
from thetahat.variances.base import VarianceEstimate


class Design(Protocol):
    """Which extra fits are made; a frozen dataclass, and equal designs share their fits.

    The splits depend on the rows and the seed alone, never on a learner, so that two learners
    are fitted and tested on the same ones and can be compared pair by pair.
    """

    def n_splits(self, rows: Rows) -> int:
        """Return how many splits there are, and raise as ``splits`` does.

        A place among them may stay empty, so there may be fewer fits of each learner.
        """
        ...

    def n_tests(self, rows: Rows) -> int:
        """Return how many losses these fits give, over all splits."""
        ...

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the splits from ``start`` to ``stop``, without building those before.

        Rows may stand several times in a training or a test part. A split called ``APPARENT``
        is tested on what it was fitted to, and gives the no-information error too.
        """
        ...


APPARENT = "apparent"
"""Label of a split that is tested on its own training part."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fits:
    """What the fits of one design gave, for one learner or for the difference of two.

    Parameters
    ----------
    rows : Rows
        What the splits were drawn from.
    seed : int
        The seed that they were drawn with.
    losses : tuple of ndarray
        By split, in the design's order: (n_test,) in the order of the split's test part.
    no_information : tuple of float or None
        By split, the error that the model would have if targets had nothing to do with features:
        the mean loss over all pairs of a target and a prediction. Known of ``APPARENT`` splits;
        None for the difference of two learners, which has no such error.
    """

    rows: Rows
    seed: int
    losses: tuple[FloatArray, ...]
    no_information: tuple[float | None, ...] | None = None

    @property
    def is_difference(self) -> bool:
        """Whether the losses are differences of two learners."""
        return self.no_information is None

    def minus(self, other: Fits) -> Fits:
        """Return the paired differences, this minus the other; both share design and seed."""
        if len(self.losses) != len(other.losses) or self.seed != other.seed:
            raise InvalidParameter("the two learners were not fitted to the same splits")
        pairs = zip(self.losses, other.losses, strict=True)
        return Fits(rows=self.rows, seed=self.seed, losses=tuple(a - b for a, b in pairs))


class Refit(Protocol):
    """A frozen dataclass whose fields are the method's parameters.

    It is also an ``EstimatesVariance``, a ``BuildsInterval`` or both, as ``gives`` says.
    """

    info: ClassVar[MethodInfo]
    gives: ClassVar[frozenset[str]]  # of "variances", "intervals": the lists that may name it
    is_own_estimate: ClassVar[bool]  # an estimate of the error in its own right, as ``Found`` says
    not_of_pairs: ClassVar[str | None]  # why it says nothing of a difference, or None

    @property
    def design(self) -> Design:
        """The fits that it needs."""
        ...


class EstimatesVariance(Refit, Protocol):
    """A method that the list ``variances`` may name."""

    def estimate(self, fits: Fits) -> VarianceEstimate:
        """Estimate the error and the variance of that estimate."""
        ...


class BuildsInterval(Refit, Protocol):
    """A method that the list ``intervals`` may name."""

    def interval(self, fits: Fits, level: float, alternative: Alternative) -> Interval | None:
        """Build the interval; None where the losses do not vary."""
        ...


VARIANCES_LIST = "variances"
INTERVALS_LIST = "intervals"
