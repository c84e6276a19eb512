"""The interface of tests of many models: their outcome and their scores for comparing pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, NamedTuple, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import Target, UnitName

PostHocVariance = Literal["permutation", "garcia"]
POST_HOC_VARIANCES: Final = ("permutation", "garcia")
"""Variances of pairs: of permutations within rows, or as Garcia et al. (2010) print them."""

MIN_MODELS: Final = 3
"""Two models are compared by the paired tests."""

DEFAULT_ALPHA: Final = 0.05
"""Used if neither the method nor the request has an alpha."""


def choose_alpha(requested: float | None) -> float:
    """Return the requested alpha or the default."""
    return DEFAULT_ALPHA if requested is None else requested


def find_groups(differ: np.ndarray, names: Sequence[str]) -> list[list[str]]:
    """Return the largest runs of neighbouring models that do not differ, the best model's first.

    ``differ`` is (k, k) in the order of the names, best score first.
    """
    groups: list[list[str]] = []
    reached = 0
    for start in range(len(names)):
        end = max(start + 1, reached)
        while end < len(names) and not differ[start : end + 1, end].any():
            end += 1
        if end > reached:  # otherwise the previous run contains it
            groups.append(list(names[start:end]))
            reached = end
    return groups


class PostHocScores(NamedTuple):
    r"""Scores of the models and their standard error, for comparing pairs after a test of all.

    .. math:: z_{ij} = (s_i - s_j) / \mathrm{se}
    """

    name: str
    """Name of the scores, such as ``mean_ranks``."""
    scores: tuple[float, ...]
    """(k,) in the order of the models; smaller is better."""
    standard_error: float
    """Standard error of the difference of two scores if all models are alike, the same for every
    pair; 0 if no row distinguishes the models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusOutcome:
    """Outcome of one test of all models."""

    statistic: float | None
    """Test statistic; None, with a caution, if it is infinite or undefined."""
    p_value: float
    """p-value."""
    target: Target
    """What the null hypothesis is about, such as expected losses on a new source."""
    unit: UnitName
    """Units that are the rows of the test: ``block``, ``instance`` or ``cluster``."""
    degrees_of_freedom: float | tuple[float, ...] | None = None
    """One for chi squared; numerator and denominator for F; None if the reference distribution has
    none."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the outcome."""
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    """Further fields of the result."""
    post_hoc: PostHocScores | None = None
    """Scores for comparing pairs; None if the test itself determines which models are tied."""


class OmnibusTest(Protocol):
    """A test of all models: a frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Return why the test cannot be used on this layout and so many models, or None."""
        ...

    def test(self, table: LossTable, rng: np.random.Generator) -> OmnibusOutcome:
        """Test the null hypothesis that all models are alike."""
        ...
