"""What a paired test is and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, overload, runtime_checkable

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import EvaluationError
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.many_moments import ManyMoments
from thetahat.values.types import Alternative, FloatArray, IntArray, Target, UnitName


@dataclass(frozen=True, slots=True, eq=False)
class PairedLosses:
    """Two models over one layout.

    Parameters
    ----------
    a, b : BlockLosses
        Of the two models.
    difference : BlockLosses
        a minus b.
    higher_is_better : bool
        Whether the numbers are scores to be raised: a positive difference then means that a is
        better, and a negative one otherwise.
    """

    a: BlockLosses
    b: BlockLosses
    difference: BlockLosses
    higher_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairBatch:
    """Some pairs out of the models of one evaluation, tested together.

    Parameters
    ----------
    pairs : tuple of PairedLosses
        (p,) all over one layout.
    positions : ndarray of int
        (p, 2) the places of a and b in ``models``.
    models : tuple of BlockLosses
        All models of the evaluation.
    n_pairs_in_all : int
        How many pairs the evaluation compares, over all its batches.
    differences : ndarray of float or None
        (p, n) the pairs' differences by row, where they are known.
    moments : ManyMoments or None
        Of the pairs' differences, where they were made together.
    shared : dict
        Kept from batch to batch: what a test makes of ``models`` and its stream alone.
    own : dict
        What several tests make of this batch alike.
    """

    pairs: tuple[PairedLosses, ...]
    positions: IntArray
    models: tuple[BlockLosses, ...]
    n_pairs_in_all: int
    differences: FloatArray | None = None
    moments: ManyMoments | None = None
    shared: dict[Hashable, Any] = field(default_factory=dict)
    own: dict[Hashable, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome:
    """The outcome of one paired test.

    Parameters
    ----------
    statistic : float or None
        None where it is infinite or undefined, with a caution, and for Bayesian tests.
    p_value : float or None
        In [0, 1]; None where no p-value can be stood by, with a caution, and for Bayesian tests,
        which have none.
    degrees_of_freedom : float or tuple of float or None
        Numerator and denominator of F; None where the reference distribution has none.
    target : Target
        What the null hypothesis is about, such as the expected difference on a new source.
    unit : str
        What was paired: ``block``, ``instance`` or ``cluster``.
    cautions : tuple of Caution
        What to know before using it.
    details : mapping
        Further fields for the result, as plain JSON values.
    """

    __test__ = False  # the name is the field's word, not pytest's

    statistic: float | None
    p_value: float | None
    degrees_of_freedom: float | tuple[float, ...] | None
    target: Target
    unit: UnitName
    cautions: tuple[Caution, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ManyOutcomes(Sequence[TestOutcome]):
    """The outcomes of a batch as arrays; each becomes an object when it is asked for.

    Parameters
    ----------
    statistics, p_values : ndarray of float
        (p,) of each pair; NaN where it has none.
    told : callable
        Gives the outcome of the pair at a place.
    """

    statistics: FloatArray
    p_values: FloatArray
    told: Callable[[int], TestOutcome]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.p_values)

    @overload
    def __getitem__(self, index: int) -> TestOutcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TestOutcome]: ...
    def __getitem__(self, index: int | slice) -> TestOutcome | Sequence[TestOutcome]:
        """Return one outcome, or some."""
        places = range(len(self))[index]
        return self.told(places) if isinstance(places, int) else [self.told(i) for i in places]

    def __iter__(self) -> Iterator[TestOutcome]:
        """Yield every outcome."""
        return map(self.told, range(len(self)))


class PairedTest(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the test cannot be used on this layout, or None."""
        ...

    def test(
        self, pair: PairedLosses, alternative: Alternative, rng: np.random.Generator
    ) -> TestOutcome:
        """Test the null hypothesis of no difference."""
        ...


@runtime_checkable
class BatchedTest(Protocol):
    """A paired test that can do many pairs at once, with the same numbers.

    Its random numbers are common to all pairs: every call of ``test`` and of ``test_many`` in one
    evaluation is handed a generator at the start of one and the same stream, so that a p-value
    does not depend on which other pairs there are, or on how they are batched.
    """

    def test_many(
        self, batch: PairBatch, alternative: Alternative, rng: np.random.Generator
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test every pair of the batch; what ``test`` raises for a pair stands in its place."""
        ...


class DrawsNothing:
    """A base for tests without random numbers: a batch is its pairs one by one."""

    __slots__ = ()

    def test_many(
        self: PairedTest, batch: PairBatch, alternative: Alternative, rng: np.random.Generator
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test every pair of the batch."""
        outcomes: list[TestOutcome | EvaluationError] = []
        for pair in batch.pairs:
            try:
                outcomes.append(self.test(pair, alternative, rng))
            except EvaluationError as error:
                outcomes.append(error)
        return outcomes
