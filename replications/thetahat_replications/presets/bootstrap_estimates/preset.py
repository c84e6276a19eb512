"""Parameters and repetitions of the preset ``bootstrap_estimates``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from thetahat.analyses.bootstrap.intervals import build_intervals
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.parameter_checks import check_level, require
from thetahat.registry import MethodInfo
from thetahat.statistics import STATISTICS, Sample, Statistic
from thetahat.tables.data import Data
from thetahat.values.types import Alternative, FloatArray
from thetahat_replications.parameter_checks import require_at_least
from thetahat_replications.presets.bootstrap_estimates.tables import INTERVALS, compute_findings

Distribution = Literal["normal", "exponential"]

TRUE_VALUES: Final[Mapping[str, Mapping[str, float]]] = {
    "mean": {"normal": 0.0, "exponential": 1.0},
    "median": {"normal": 0.0, "exponential": float(np.log(2))},
    "variance": {"normal": 1.0, "exponential": 1.0},
    "standard_deviation": {"normal": 1.0, "exponential": 1.0},
    "correlation": {"normal": 0.5, "exponential": 0.5},
}
"""The value of each statistic in the population, by distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapEstimates:
    """Bias, variance and intervals of statistics of a small sample, by the bootstrap.

    One repetition draws ``n`` values and makes ``resamples`` resamples of them. The bias and the
    variance of each statistic over repetitions are the truth for its bootstrap estimates, and each
    interval's coverage is counted. ``plain`` further samples in each repetition, which are not
    resampled, make the errors of the true bias and variance small. Variances and standard
    deviations divide by n, so that they are biased. Pairs for the correlation are x and 0.5 x +
    sqrt(0.75) z with x and z independent draws.

    The lecture gutierrez_osuna claims, after efron1993, that the bootstrap estimates the bias and
    the variance of any estimator; neither source contains this study.
    """

    n: int = 20
    """Values in a sample, at least 5."""
    resamples: int = 1000
    """Resamples of each sample, at least 50."""
    plain: int = 200
    """Further samples in each repetition, at least 1."""
    distribution: Distribution = "exponential"
    """Each with variance 1."""
    statistics: tuple[str, ...] = tuple(TRUE_VALUES)
    """Any of ``mean median variance standard_deviation correlation``."""
    level: float = 0.95
    """Confidence level of the intervals."""

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bootstrap_estimates",
        title="Bootstrap bias and variance compared with the truth",
        summary=(
            "Mean bootstrap estimates of bias and variance of several statistics compared with "
            "their bias and variance over many samples, and the coverage of bootstrap intervals."
        ),
        references=("efron1993", "gutierrez_osuna"),
        assumptions="Independent draws from one distribution.",
        errs="The results are for one sample size and distribution and may differ for others.",
    )
    repetitions: ClassVar[int] = 12_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        require_at_least(self, n=5, resamples=50, plain=1)
        is_known = self.distribution in {"normal", "exponential"}
        require(is_known, "distribution", self.distribution, "must be normal or exponential")
        are_known = bool(self.statistics) and set(self.statistics) <= set(TRUE_VALUES)
        names = f"must be one or more of {', '.join(TRUE_VALUES)}"
        require(are_known, "statistics", self.statistics, names)
        check_level(self.level)

    def plan(self, data: Mapping[str, Data], seed: int) -> BootstrapStudy:
        """Return the study; it uses no data sets."""
        del data
        return BootstrapStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapStudy(RepeatedStudy):
    """The repetitions; each statistic has the records ``value bias variance ends plain``.

    ``plain`` is the mean and the mean square of the statistic over the further samples, about its
    true value.
    """

    preset: BootstrapEstimates
    seed: int

    def finish(self, records: Records) -> StudyFindings:
        """Compare the bootstrap estimates with the truth."""
        preset = self.preset
        truths = {name: TRUE_VALUES[name][preset.distribution] for name in preset.statistics}
        return compute_findings(records, truths, preset.n, preset.level)

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng, preset = make_repetition_generator(self.seed, index), self.preset
        x, z = self._draw(rng), self._draw(rng)
        resamples = HashedResamples(
            np.array([0, preset.n]), int(rng.integers(2**53)), preset.resamples
        )
        record: dict[str, float | FloatArray] = {}
        plain = self._draw_plain(rng)
        for name in preset.statistics:
            statistic = build_statistic(name)
            pairs = Sample(x, 0.5 * x + np.sqrt(0.75) * z)
            sample = pairs if name == "correlation" else Sample(x)
            replicates = bootstrap_statistic(statistic, sample, resamples)
            intervals = build_intervals(
                replicates, statistic, INTERVALS, preset.level, Alternative.TWO_SIDED
            )
            values = compute_plain_values(name, *plain) - TRUE_VALUES[name][preset.distribution]
            record[f"{name}/plain"] = np.array([values.mean(), (values**2).mean()])
            record[f"{name}/value"] = replicates.estimate
            record[f"{name}/bias"] = replicates.bias
            record[f"{name}/variance"] = _replace_none_by_nan(replicates.variance)
            record[f"{name}/ends"] = np.array(
                [
                    [_replace_none_by_nan(interval.lower), _replace_none_by_nan(interval.upper)]
                    for interval in intervals
                ]
            )
        return record

    def _draw(self, rng: np.random.Generator) -> FloatArray:
        return self._draw_values(rng, self.preset.n)

    def _draw_plain(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return (plain, n) values of x and of the independent part of y."""
        shape = (self.preset.plain, self.preset.n)
        return self._draw_values(rng, shape), self._draw_values(rng, shape)

    def _draw_values(self, rng: np.random.Generator, shape: int | tuple[int, int]) -> FloatArray:
        if self.preset.distribution == "normal":
            return rng.standard_normal(shape)
        return rng.standard_exponential(shape)


def compute_plain_values(name: str, x: FloatArray, z: FloatArray) -> FloatArray:
    """Return the (samples,) values of a statistic of (samples, n) draws."""
    if name == "correlation":
        y = 0.5 * x + np.sqrt(0.75) * z
        x, y = (a - a.mean(axis=1, keepdims=True) for a in (x, y))
        spread = (x**2).sum(axis=1) * (y**2).sum(axis=1)
        return np.asarray((x * y).sum(axis=1) / np.sqrt(spread))
    if name == "mean":
        return np.asarray(x.mean(axis=1))
    if name == "median":
        return np.asarray(np.median(x, axis=1))
    return np.asarray(x.var(axis=1) if name == "variance" else x.std(axis=1))


def build_statistic(name: str) -> Statistic:
    """Return a statistic; variances and standard deviations divide by n."""
    method = STATISTICS[name]
    parameters = {"ddof": 0} if name in {"variance", "standard_deviation"} else {}
    statistic: Statistic = method(**parameters)
    return statistic


def _replace_none_by_nan(value: float | None) -> float:
    return np.nan if value is None else value
