"""The bootstrap's estimates of bias and variance beside the bias and variance of a statistic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from replications.lectures.bootstrap_result import INTERVALS, findings
from thetahat.analyses.bootstrap.intervals import build_intervals
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import OneRecord, repetition_generator, run_one_by_one
from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.registry import MethodInfo
from thetahat.statistics import STATISTICS, Sample, Statistic
from thetahat.tables.data import Data
from thetahat.values.types import Alternative, FloatArray

Distribution = Literal["normal", "exponential"]

TRUE_VALUES: Final[Mapping[str, Mapping[str, float]]] = {
    "mean": {"normal": 0.0, "exponential": 1.0},
    "median": {"normal": 0.0, "exponential": float(np.log(2))},
    "variance": {"normal": 1.0, "exponential": 1.0},
    "standard_deviation": {"normal": 1.0, "exponential": 1.0},
    "correlation": {"normal": 0.5, "exponential": 0.5},
}
"""Of the population, by distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapEstimates:
    """Bias, variance and intervals of statistics of a small sample, by the bootstrap.

    One repetition draws ``n`` values and makes ``resamples`` resamples of them. Over repetitions
    the bias and the variance of each statistic are known, and how often each interval covers.
    Variances and deviations divide by n, so that they have a bias. Pairs for the correlation are
    x and 0.5 x + sqrt(0.75) z with x and z independent draws.

    Source: zelezny2011 has no study of it; the lecture on resampling (efron1993) claims that the
    bootstrap gives both the bias and the variance of any estimate.

    Parameters
    ----------
    n : int
        Values in a sample, at least 5.
    resamples : int
        At least 50.
    distribution : {"normal", "exponential"}
        Each with variance 1.
    statistics : tuple of str
        Of ``mean median variance standard_deviation correlation``.
    level : float
        Of the intervals.
    """

    n: int = 20
    resamples: int = 1000
    distribution: Distribution = "exponential"
    statistics: tuple[str, ...] = tuple(TRUE_VALUES)
    level: float = 0.95

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bootstrap_estimates",
        title="The bootstrap's bias and variance beside the truth",
        summary=(
            "Mean bootstrap estimates of bias and variance of several statistics beside their "
            "bias and variance over many samples, and the coverage of bootstrap intervals."
        ),
        references=("efron1993", "zelezny2011"),
        assumptions="Independent draws from one distribution.",
        errs="What is so for samples of one size and distribution need not be so for others.",
    )
    repetitions: ClassVar[int] = 4000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for name, least in (("n", 5), ("resamples", 50)):
            value = getattr(self, name)
            if value < least:
                raise InvalidParameter(
                    f"{name} must be {least} or more, got {value}", loc=(name,), value=value
                )
        if self.distribution not in {"normal", "exponential"}:
            raise InvalidParameter(
                f"distribution is {self.distribution!r}; it must be normal or exponential",
                loc=("distribution",),
                value=self.distribution,
            )
        unknown = [name for name in self.statistics if name not in TRUE_VALUES]
        if unknown or not self.statistics:
            raise InvalidParameter(
                f"statistics are of {', '.join(TRUE_VALUES)}, got {list(self.statistics)}",
                loc=("statistics",),
                value=list(self.statistics),
            )
        if not 0 < self.level < 1:
            raise InvalidParameter(
                f"level must be in (0, 1), got {self.level}", loc=("level",), value=self.level
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> BootstrapStudy:
        """Return the study; it takes no data."""
        del data
        return BootstrapStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapStudy:
    """The repetitions: by statistic, its value and the bootstrap's bias, variance and intervals."""

    preset: BootstrapEstimates
    seed: int

    @property
    def grain(self) -> int:
        """Each sample stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw samples and resample them."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Set the bootstrap's estimates beside the truth."""
        preset = self.preset
        truths = {name: TRUE_VALUES[name][preset.distribution] for name in preset.statistics}
        return findings(records, truths, preset.n, preset.level)

    def _repeat(self, index: int) -> OneRecord:
        rng, preset = repetition_generator(self.seed, index), self.preset
        x, z = self._draw(rng), self._draw(rng)
        resamples = HashedResamples(
            np.array([0, preset.n]), int(rng.integers(2**53)), preset.resamples
        )
        found: dict[str, float | FloatArray] = {}
        for name in preset.statistics:
            statistic = _statistic(name)
            pairs = Sample(x, 0.5 * x + np.sqrt(0.75) * z)
            sample = pairs if name == "correlation" else Sample(x)
            replicates = bootstrap_statistic(statistic, sample, resamples)
            intervals = build_intervals(
                replicates, statistic, INTERVALS, preset.level, Alternative.TWO_SIDED
            )
            found[f"{name}/value"] = replicates.estimate
            found[f"{name}/bias"] = replicates.bias
            found[f"{name}/variance"] = _number(replicates.variance)
            found[f"{name}/ends"] = np.array(
                [[_number(each.lower), _number(each.upper)] for each in intervals]
            )
        return found

    def _draw(self, rng: np.random.Generator) -> FloatArray:
        if self.preset.distribution == "normal":
            return rng.standard_normal(self.preset.n)
        return rng.standard_exponential(self.preset.n)


def _statistic(name: str) -> Statistic:
    method = STATISTICS[name]
    parameters = {"ddof": 0} if name in {"variance", "standard_deviation"} else {}
    statistic: Statistic = method(**parameters)
    return statistic


def _number(value: float | None) -> float:
    return np.nan if value is None else value


METHOD = BootstrapEstimates
