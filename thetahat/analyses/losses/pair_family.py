"""The pairs of models that p-values and intervals are corrected for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.evidence import PairQuestion
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.corrections import CORRECTIONS, adjust, bounds_any_false_statement
from thetahat.distributions import compute_p_values
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Alternative, FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.numerics.joint_distribution import JointDistribution, StepDown, UnitMoments

_LEAST_ALPHA: Final = 1e-9
"""Intervals of a higher level are refused."""


def choose_pair_alpha(alpha: float, n_pairs: int, correction: str) -> float:
    """Return the alpha of the interval of one pair with which those of all pairs hold together."""
    if n_pairs < 2 or not bounds_any_false_statement(correction):
        return alpha
    return max(_LEAST_ALPHA, alpha / n_pairs)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairFamily:
    """The pairs of one evaluation, and how their p-values and intervals are corrected."""

    names: tuple[str, ...]
    """(k,) models."""
    places: Sequence[tuple[int, int]]
    """The pairs that are compared, as ``list_places`` has them."""
    correction: str
    """A name in ``CORRECTIONS``."""
    alpha: float
    """1 - level of all statements together."""
    best: str | None = None
    """The model that all others are compared with because it is the best of these data. The family
    then has all pairs of models, because any other one could have been the best."""
    joint: JointDistribution | None = None
    """That of all pairs of the family; None if the correction does not use it."""
    moments: tuple[UnitMoments, ...] = field(default=())
    """What the standard errors of pairs that are not compared are computed from."""

    @classmethod
    def build(
        cls, table: LossTable, choices: Choices, seed: int, best: str | None = None
    ) -> PairFamily:
        """Return the family of a request whose control, if any, is a model of the table."""
        names = table.names
        places = list_places(names, best if choices.control is None else choices.control)
        correction = choices.get_correction(len(names))
        joint: JointDistribution | None = None
        moments: list[UnitMoments] = []
        uses_joint = CORRECTIONS[correction].info.correction.uses_joint_distribution
        if uses_joint and len(places) > 1:
            from thetahat.analyses.losses.contributions import list_unit_moments  # noqa: PLC0415 - seldom needed
            from thetahat.numerics.joint_distribution import JointDistribution  # noqa: PLC0415 - same

            target = choices.get_target(table.layout.kind)
            moments = list_unit_moments(table, target)
            in_family = places if best is None else list_places(names, None)
            joint = JointDistribution(
                moments[0].estimate_covariance(),
                np.array(in_family, dtype=np.intp),
                make_random_stream(seed, "joint_distribution"),
            )
        return cls(
            names=names,
            places=places,
            correction=correction,
            alpha=choices.alpha,
            best=best,
            joint=joint,
            moments=tuple(moments),
        )

    @property
    def n_pairs(self) -> int:
        """Number of pairs that are corrected for."""
        return len(self.places) if self.joint is None else self.joint.n_pairs

    @cached_property
    def pair_alpha(self) -> float:
        """Alpha of the interval of one pair, so that those of all pairs hold together.

        It is alpha itself for a single pair, and for corrections that do not bound the chance of
        any false rejection.
        """
        if len(self.places) < 2:
            return self.alpha
        if self.joint is not None:
            return max(_LEAST_ALPHA, self.joint.find_pair_alpha(self.alpha))
        return choose_pair_alpha(self.alpha, self.n_pairs, self.correction)

    @property
    def simultaneous_pairs(self) -> int | None:
        """Number of pairs whose intervals hold all at once; None where each holds by itself."""
        return None if self.pair_alpha == self.alpha else self.n_pairs

    def choose_level(self, choices: Choices) -> Choices:
        """Return the choices with the level of the interval of one pair."""
        pair_alpha = self.pair_alpha
        return choices if pair_alpha == self.alpha else replace(choices, level=1 - pair_alpha)

    def adjust_as_interval(self, p_value: float) -> float | None:
        """Return the p-value for all pairs at once, which decides as the interval of the pair does.

        A step-down correction rejects more than intervals that hold at once exclude. None where
        each interval holds by itself.
        """
        if self.simultaneous_pairs is None:
            return None
        if self.joint is not None:
            return self.joint.adjust_at_once(p_value)
        return min(1.0, p_value * self.n_pairs)

    def mark_interval(self, entry: BuiltInterval, choices: Choices) -> BuiltInterval:
        """Return an interval of that level with the level at which all pairs hold together."""
        n_pairs = self.simultaneous_pairs
        if n_pairs is None:
            return entry
        interval = replace(entry.interval, level=choices.level, simultaneous_pairs=n_pairs)
        return entry._replace(interval=interval)

    def order(
        self, questions: Sequence[PairQuestion], p_values: Sequence[float | None]
    ) -> OrderedFamily:
        """Return the family with the order in which a step-down correction tests its pairs."""
        if self.joint is None:
            return OrderedFamily(self)
        listed = self._find_listed()
        known = self._compute_p_values(questions)
        for pair, p_value in zip(listed.tolist(), p_values, strict=True):
            known[pair] = p_value
        return OrderedFamily(self, listed, self.joint.step_down(known), tuple(known))

    def _find_listed(self) -> IntArray:
        """Return the positions of the compared pairs in the family."""
        if self.best is None:
            return np.arange(len(self.places))
        at = {pair: i for i, pair in enumerate(list_places(self.names, None))}
        return np.array([at[min(pair), max(pair)] for pair in self.places], dtype=np.intp)

    def _compute_p_values(self, questions: Sequence[PairQuestion]) -> list[float | None]:
        """Return the p-values of the pairs of the family that are not compared.

        The variance of a difference is a quadratic form in it. Those of the compared pairs say
        how large it is relative to the spread of the units; of several ratios, which differ where
        it is no such form, the largest is taken.
        """
        assert self.joint is not None  # noqa: S101 - the caller has seen it
        unknown: list[float | None] = [None] * self.joint.n_pairs
        bases = {
            pair: question.basis
            for pair, question in zip(self.places, questions, strict=True)
            if question.basis is not None
        }
        if self.best is None or not bases:
            return unknown
        compared = np.array(list(bases), dtype=np.intp)
        squares = np.array([basis.standard_error**2 for basis in bases.values()])
        moments, ratio = self._choose_moments(compared, squares)
        if moments is None:
            return unknown
        means = np.full(len(self.names), np.nan)
        means[self.names.index(self.best)] = 0.0
        means[compared[:, 0]] = [basis.difference for basis in bases.values()]
        degrees = [
            basis.degrees_of_freedom
            for basis in bases.values()
            if basis.degrees_of_freedom is not None
        ]
        i, j = np.array(list_places(self.names, None), dtype=np.intp).T
        errors = np.sqrt(ratio * moments.compute_difference_variances(np.stack([i, j], axis=1)))
        known = np.flatnonzero((errors > 0) & np.isfinite(means[i] - means[j]))
        t = (means[i] - means[j])[known] / errors[known]
        p_values = compute_p_values(t, min(degrees, default=None), Alternative.TWO_SIDED)
        for pair, p_value in zip(known.tolist(), p_values.tolist(), strict=True):
            unknown[pair] = p_value
        return unknown

    def _choose_moments(
        self, compared: IntArray, squares: FloatArray
    ) -> tuple[UnitMoments | None, float]:
        """Return the moments to which the squared standard errors are nearest to proportional."""
        best: tuple[float, UnitMoments | None, float] = (np.inf, None, 0.0)
        for moments in self.moments:
            spread = moments.compute_difference_variances(compared)
            varies = spread > 0
            if varies.any():
                ratios = squares[varies] / spread[varies]
                unequal = float(ratios.max() / ratios.min())
                if unequal < best[0]:
                    best = (unequal, moments, float(ratios.max()))
        return best[1], best[2]


class OrderedFamily(NamedTuple):
    """A family whose p-values are known, so that they, and those of other tests, are corrected."""

    family: PairFamily
    """The family."""
    listed: IntArray | None = None
    """Positions of the compared pairs in the family; None without a joint distribution."""
    steps: StepDown | None = None
    """The steps of all pairs of the family."""
    p_values: tuple[float | None, ...] = ()
    """p-values of all pairs of the family, before they are corrected."""

    def adjust(self, p_values: Sequence[float | None]) -> list[float | None]:
        """Return the corrected two-sided p-values of the compared pairs; None for a single one."""
        if len(p_values) < 2:
            return [None] * len(p_values)
        if self.steps is None or self.listed is None:
            return adjust(p_values, self.family.correction)
        of_all = list(self.p_values)
        for pair, p_value in zip(self.listed.tolist(), p_values, strict=True):
            of_all[pair] = p_value
        adjusted = self.steps.adjust(of_all)
        return [adjusted[pair] for pair in self.listed.tolist()]

    def adjust_all(self) -> list[float | None]:
        """Return the corrected p-values of every pair of the family."""
        assert self.steps is not None  # noqa: S101 - only of a joint distribution
        return self.steps.adjust(self.p_values)
