"""Difference of a statistic between two samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from thetahat.cautions import Caution
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import require_two_columns
from thetahat.statistics._moments import SumsFunctional
from thetahat.statistics._two_samples import (
    DifferenceFunctional,
    PairedDifferenceFunctional,
    PairedSumsFunctional,
)
from thetahat.statistics.base import AcceptedSamples, Functional, Sample, Statistic
from thetahat.values.json_values import JsonValue
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True)
class Difference(Statistic):
    """A statistic of x minus the same statistic of y.

    Independent samples are resampled separately, in their own sizes; for ``paired`` ones rows are
    resampled, so that what x and y have in common cancels. Chapter 8 and section 14.3 of efron1993;
    section 3.2 of davison1997 for several samples.

    Degenerate cases: those of the statistic, in either sample. The paired difference of means is
    computed from the differences of the rows.

    Parameters
    ----------
    statistic : str
        A statistic of one sample.
    params : mapping
        Its parameters.
    paired : bool
        Whether x and y are two columns of the same rows.
    """

    statistic: str = "mean"
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    paired: bool = False

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Difference of a statistic between two samples",
        summary=(
            "A statistic of x minus the same statistic of y, for independent samples or for pairs "
            "that are resampled together."
        ),
        formula=r"\hat\theta(x) - \hat\theta(y)",
        references=("davison1997", "efron1993"),
        assumptions="Independent samples, or with paired independent pairs.",
        errs=(
            "The same as that of the statistic. Pairs that are treated as independent samples "
            "give intervals that are too long where the pairs correlate positively and too short "
            "where they correlate negatively."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        self._get_inner()

    @property
    def takes(self) -> AcceptedSamples:
        """Two samples, or their rows."""
        return "pairs" if self.paired else "two"

    @property
    def is_smooth(self) -> bool:
        """Whether the jackknife's standard error is consistent for the statistic."""
        return self._get_inner().is_smooth

    @property
    def is_of_means(self) -> bool:
        """Whether it is a difference of two means."""
        return self.statistic == "mean"

    def undefined(self) -> str:
        """Return when the statistic of a resample has no value, as the end of a sentence."""
        return self._get_inner().undefined()

    def strata(self, sample: Sample) -> IntArray:
        """Return (2,) or (3,) bounds: pairs are one stratum, independent samples are two."""
        parts = [len(values) for _, values in sample.parts()]
        ends = parts[:1] if self.paired else np.cumsum(parts)
        return np.array([0, *ends], dtype=np.intp)

    def build_functional(self, sample: Sample, *, fast: bool) -> Functional:
        """Return the difference on that sample as a function of row counts."""
        if sample.y is None:
            raise InvalidParameter("A difference needs a second sample, y.", loc=("y",))
        if self.paired:
            require_two_columns("a paired difference", sample, 1)
        inner = self._get_inner()
        if self.paired and self.is_of_means:
            return inner.build_functional(Sample(sample.x - sample.y), fast=fast)
        a = inner.build_functional(Sample(sample.x), fast=fast)
        with located_errors({"x": ("y",)}, default=("y",)):
            b = inner.build_functional(Sample(sample.y), fast=fast)
        if not self.paired:
            return DifferenceFunctional(a, b, len(sample.x))
        if isinstance(a, SumsFunctional) and isinstance(b, SumsFunctional):
            return PairedSumsFunctional(a, b)
        return PairedDifferenceFunctional(a, b)

    def cautions(self, sample: Sample) -> tuple[Caution, ...]:
        """Return the cautions about the statistic of either sample."""
        inner = self._get_inner()
        cautions = [c for _, values in sample.parts() for c in inner.cautions(Sample(values))]
        return tuple(dict.fromkeys(cautions))

    def _get_inner(self) -> Statistic:
        from thetahat.statistics import STATISTICS  # noqa: PLC0415 - a cycle: this is one of them

        cls: Any = STATISTICS.get_method(self.statistic, loc=("statistic",))
        if cls is type(self):
            message = "a difference is of a statistic of one sample, not of another difference"
            raise UnsupportedCombination(message, loc=("statistic",), value=self.statistic)
        known = {f.name for f in dataclasses.fields(cls)}
        lacking = {f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING}
        if not lacking <= set(self.params) <= known:
            raise InvalidParameter(
                f"{self.statistic} has the parameters: {', '.join(sorted(known)) or 'none'}.",
                loc=("params",),
                value=sorted(self.params),
            )
        with located_errors(within=("params",)):
            inner: Statistic = cls(**self.params)
        if inner.takes != "one":
            raise UnsupportedCombination(
                f"A difference is of a statistic of one sample, and {self.statistic} is of pairs.",
                loc=("statistic",),
                value=self.statistic,
            )
        return inner
