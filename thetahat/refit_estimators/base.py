"""The interface of refit estimators, which fit the learner again: splits, losses, estimates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import ClassVar, Final, NamedTuple, Protocol

from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS
from thetahat.registry import MethodInfo
from thetahat.schemes.base import Rows, Splits
from thetahat.values.types import Alternative, FloatArray, MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate


class RefitDesign(Protocol):
    """The splits of the extra fits, as a frozen dataclass; equal designs share their fits.

    The splits depend on the rows and the seed, but not on the learner. Two learners are therefore
    fitted and tested on the same splits and can be compared as a pair.
    """

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits; raise the exceptions of ``splits``.

        A split may stay empty, so there may be fewer fits of each learner.
        """
        ...

    def n_tests(self, rows: Rows) -> int:
        """Return the number of losses of these fits, over all splits."""
        ...

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits from ``start`` to ``stop``, without building those before.

        A row may occur several times in a training or a test part. A split with the label
        ``APPARENT`` is tested on its training part and gives the no-information error too.
        """
        ...


describe_refit: Final = partial(
    MethodInfo,
    needs=Needs.REFITS,
    blocks=INDEPENDENT_ROWS,
    targets=(Target.THESE_SOURCES,),
    mean=MeanKind.POOLED,
    by_request_only=True,
)
"""What most of these methods have in common; another target or mean is named beside it."""

APPARENT = "apparent"
"""Label of a split that is tested on its own training part."""


class RefitLosses(NamedTuple):
    """Losses of the fits of one design, for one learner or for the difference of two."""

    rows: Rows
    """Rows that the splits were drawn from."""
    seed: int
    """Seed that they were drawn with."""
    losses: tuple[FloatArray, ...]
    """(n_test,) losses of each split, in the order of the design and of the split's test part."""
    no_information: tuple[float | None, ...] | None = None
    """No-information error of each ``APPARENT`` split, the mean loss over all pairs of a target and
    a prediction, and None for other splits. None for the difference of two learners, which has no
    such error."""

    @property
    def is_difference(self) -> bool:
        """Whether the losses are differences of two learners."""
        return self.no_information is None

    def minus(self, other: RefitLosses) -> RefitLosses:
        """Return the paired differences of two learners on the same splits."""
        if len(self.losses) != len(other.losses) or self.seed != other.seed:
            raise InvalidParameter("The two learners were not fitted to the same splits.")
        pairs = zip(self.losses, other.losses, strict=True)
        return RefitLosses(rows=self.rows, seed=self.seed, losses=tuple(a - b for a, b in pairs))


VARIANCES_LIST = "variances"
INTERVALS_LIST = "intervals"


class RefitEstimator(ABC):
    """A method that fits the learner again; the fields of the dataclass are its parameters.

    It is an ``EstimatesVariance`` too, or a ``BuildsInterval``, or both, by ``gives``.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]
    gives: ClassVar[frozenset[str]]  # lists of a request that may name it: "variances", "intervals"
    is_own_estimate: ClassVar[bool] = False  # whether its estimate is not the cross-validated error
    reason_against_pairs: ClassVar[str | None] = None  # why it cannot estimate a difference

    @property
    @abstractmethod
    def design(self) -> RefitDesign:
        """The splits that the method needs."""


class EstimatesVariance(RefitEstimator):
    """A method that the list ``variances`` may name."""

    __slots__ = ()

    gives: ClassVar[frozenset[str]] = frozenset({VARIANCES_LIST})

    @abstractmethod
    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the error and the variance of that estimate."""


class BuildsInterval(RefitEstimator):
    """A method that the list ``intervals`` may name."""

    __slots__ = ()

    gives: ClassVar[frozenset[str]] = frozenset({INTERVALS_LIST})

    @abstractmethod
    def interval(
        self, fits: RefitLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the losses do not vary."""
