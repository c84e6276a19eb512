"""What a test of many models is and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import Target, UnitName

PostHocError = Literal["permutation", "garcia"]
POST_HOC_ERRORS: Final = ("permutation", "garcia")
"""Standard errors of pairs: of permutations within rows, or as Garcia et al. (2010) print them."""

FEWEST_MODELS: Final = 3
"""Two models are what the paired tests are for."""


@dataclass(frozen=True, slots=True)
class PostHoc:
    r"""What pairs of models are compared by after a test of all: scores and their error.

    .. math:: z_{ij} = (s_i - s_j) / \mathrm{se}

    Parameters
    ----------
    name : str
        What the scores are, such as ``mean_ranks``.
    scores : tuple of float
        (k,) in the models' order; smaller is better.
    standard_error : float
        Of the difference of two scores when no model differs, the same for every pair; 0 where
        nothing tells the models apart.
    """

    name: str
    scores: tuple[float, ...]
    standard_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusOutcome:
    """The outcome of one test of all models.

    Parameters
    ----------
    statistic : float or None
        None where it is infinite or undefined, with a caution.
    p_value : float
        In [0, 1].
    degrees_of_freedom : float or tuple of float or None
        One of chi squared; numerator and denominator of F; None where the reference distribution
        has none.
    target : Target
        What the null hypothesis is about, such as expected losses on a new source.
    unit : str
        What the rows are: ``block``, ``instance`` or ``cluster``.
    cautions : tuple of Caution
        What to know before using it.
    details : mapping
        Further fields for the result, as plain JSON values.
    post_hoc : PostHoc or None
        For the pairs; None where the test has its own answer to which models are tied.
    """

    statistic: float | None
    p_value: float
    degrees_of_freedom: float | tuple[float, ...] | None
    target: Target
    unit: UnitName
    cautions: tuple[Caution, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    post_hoc: PostHoc | None = None


class OmnibusTest(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Say why the test cannot be used on this layout and so many models, or None."""
        ...

    def test(self, table: LossTable, rng: np.random.Generator) -> OmnibusOutcome:
        """Test the null hypothesis that all models are alike."""
        ...


DEFAULT_ALPHA: Final = 0.05
"""Taken where neither the method nor the request says one."""


def check_alpha(alpha: float | None) -> None:
    """Raise ``InvalidParameter`` for an alpha outside (0, 1); None leaves it to the request."""
    if alpha is not None and not 0 < alpha < 1:
        raise InvalidParameter(f"alpha must be in (0, 1), got {alpha}", loc=("alpha",), value=alpha)


def alpha_of(named: float | None) -> float:
    """Return the alpha asked for, or the default."""
    return DEFAULT_ALPHA if named is None else named
