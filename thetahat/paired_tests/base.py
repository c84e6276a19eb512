"""The interface of paired tests: their input and their outcome.

A test takes a batch of pairs, and goes pair by pair unless it computes them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeVar, cast

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import EvaluationError
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, FloatArray, IntArray, Target, UnitName

T = TypeVar("T")


class PairedLosses(NamedTuple):
    """Losses (or scores) of two models on one layout."""

    a: BlockLosses
    b: BlockLosses
    """Losses of the two models."""
    difference: BlockLosses
    """a minus b."""
    higher_is_better: bool = False
    """Whether the numbers are scores to be raised: a positive difference then means that a is
    better, otherwise a negative one does."""


class IntermediateResults:
    """Intermediate results that several tests or batches use, each computed once."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}

    def compute_once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result stored under the key; compute and store it at the first call."""
        if key not in self._values:
            self._values[key] = compute()
        return cast("T", self._values[key])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairBatch:
    """Some of the pairs of an evaluation, which are tested together."""

    pairs: tuple[PairedLosses, ...]
    """(p,) pairs, all on one layout."""
    positions: IntArray
    """(p, 2) indices of a and b in ``models``."""
    models: tuple[BlockLosses, ...]
    """All models of the evaluation."""
    n_pairs_total: int
    """Number of pairs that the evaluation compares, over all batches."""
    differences: FloatArray | None = None
    """(p, n) differences of the pairs by row, if they are known."""
    resamples: SharedResamples | None = None
    """Bootstrap resamples of the evaluation's intervals, which a test may use too."""
    evaluation_cache: IntermediateResults = field(default_factory=IntermediateResults)
    """Results that depend on ``models`` and a random stream alone; all batches share them."""
    batch_cache: IntermediateResults = field(default_factory=IntermediateResults)
    """Results that several tests of this batch use."""

    @property
    def layout(self) -> Layout:
        """Layout of all losses."""
        return self.models[0].layout


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorProbabilities:
    """Posterior probabilities of a Bayesian test."""

    p_left: float
    """Probability that the difference a minus b is below the region of practical equivalence: a is
    better by its losses (b by its scores, if higher is better)."""
    p_rope: float
    """Probability that the difference is within the region: the models are practically
    equivalent."""
    p_right: float
    """Probability that the difference is above the region: b is better by its losses."""
    rope: float
    """Half the width of the region of practical equivalence, in units of the loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome:
    """Outcome of one paired test."""

    __test__ = False  # keeps pytest from collecting the class

    statistic: float | None
    """Test statistic; None if it is infinite or undefined, and for Bayesian tests."""
    p_value: float | None
    """p-value; None if there is no valid one, and for Bayesian tests."""
    target: Target
    """What the null hypothesis is about, such as the expected difference on a new source."""
    unit: UnitName
    """Units that were paired: ``block``, ``instance`` or ``cluster``."""
    degrees_of_freedom: float | tuple[float, ...] | None = None
    """Degrees of freedom, those of numerator and denominator for F; None if the reference
    distribution has none."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the outcome."""
    posterior: PosteriorProbabilities | None = None
    """Result of a Bayesian test, which has no p-value; None for other tests."""
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    """Further fields of the result."""


RandomStreams = Callable[..., np.random.Generator]
"""Returns a generator at the start of the random stream of one test in one evaluation: without
arguments the stream that all pairs share, with the two positions of a pair that of this pair."""


class PairedTest(ABC):
    """A paired test: a frozen dataclass whose fields are the method's parameters.

    It has ``test_pair`` and goes pair by pair, or it has a ``test_many`` of its own that computes a
    batch of pairs together.
    """

    __slots__ = ()
    info: ClassVar[MethodInfo]

    @abstractmethod
    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the test cannot be used on this layout, or None if it can."""

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Return the outcome of one pair, without random numbers, or raise its exception."""
        raise NotImplementedError

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        streams: RandomStreams,  # noqa: ARG002 - pair by pair no random numbers are drawn
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test the null hypothesis of no difference for each pair.

        An outcome depends neither on the other pairs nor on how the pairs are divided into batches.
        A pair that cannot be tested has the exception in place of its outcome.
        """
        outcomes: list[TestOutcome | EvaluationError] = []
        for pair in batch.pairs:
            try:
                outcomes.append(self.test_pair(pair, alternative))
            except EvaluationError as error:
                outcomes.append(error)
        return outcomes

    def test(
        self, pair: PairedLosses, alternative: Alternative, rng: np.random.Generator
    ) -> TestOutcome:
        """Return the outcome of a batch of one pair, or raise its exception."""
        (outcome,) = self.test_many(build_batch(pair), alternative, lambda *_: rng)
        if isinstance(outcome, EvaluationError):
            raise outcome
        return outcome


def build_batch(pair: PairedLosses) -> PairBatch:
    """Return the batch of a single pair."""
    differences = pair.difference.values
    return PairBatch(
        pairs=(pair,),
        positions=np.array([[0, 1]], dtype=np.intp),
        models=(pair.a, pair.b),
        n_pairs_total=1,
        differences=None if differences is None else differences[np.newaxis],
    )
