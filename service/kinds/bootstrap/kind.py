"""Kind ``bootstrap``: bias, variance and intervals of any statistic of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal
from uuid import UUID

from pydantic import Field

from service.kinds.base import Chunks, DatasetFile, Finished, Job, JobKind
from service.kinds.bootstrap.result import statistic_told
from service.kinds.bootstrap.sample import (
    SampleInput,
    StatisticColumns,
    check_form,
    given_resamples,
    placed,
    sample_of,
)
from service.kinds.fields.methods import Method, build_one, entry_of
from service.kinds.fields.methods_used import method_used
from service.schemas.base import EvaluationRequest
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.numerics.bootstrap.statistic_bootstrap import (
    AnyResamples,
    bootstrap_statistic,
    check_size,
)
from thetahat.numerics.bootstrap.statistic_intervals import METHODS, intervals_of, misfit, tail_of
from thetahat.statistics import STATISTICS, Sample, Statistic
from thetahat.values.types import Alternative

DEFAULT_RESAMPLES: Final = 2000


class BootstrapRequest(EvaluationRequest):
    """A sample, and the statistic whose replicates are asked for."""

    kind: Literal["bootstrap"] = "bootstrap"
    sample: list[Any] | SampleInput | None = Field(
        None, description="Numbers, or columns x and y; or name a dataset."
    )
    dataset: UUID | None = None
    columns: StatisticColumns | None = None
    statistic: Method = Field(STATISTICS.defaults()[0], examples=["median"])
    resamples: list[Any] | None = Field(
        None,
        min_length=1,
        description="Each as long as the sample, of its values; or lists by x and y.",
    )
    n_resamples: Annotated[int, Field(strict=True)] | None = Field(
        None, description=f"Drawn ones; {DEFAULT_RESAMPLES} if left out."
    )
    level: float = Field(0.95, description="Confidence level, between 0 and 1.", strict=True)
    alternative: Alternative = Alternative.TWO_SIDED
    intervals: Annotated[list[Method], Field(max_length=20)] | None = Field(
        None, description=f"Of {', '.join(METHODS)}. Left out: all that fit."
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data set of the sample, if there is one."""
        return () if self.dataset is None else (self.dataset,)


class Bootstrap(JobKind[BootstrapRequest]):
    """Draw, compute, done: one unit of work."""

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "Bootstrap of a statistic"
    request = BootstrapRequest

    def check(self, request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what is unknown, too large or does not fit; an inline sample is read."""
        given = request
        statistic = _statistic(given)
        tail_of(given.level, given.alternative)
        _named_intervals(given)
        check_form(given.sample, given.dataset, given.columns, datasets)
        if given.resamples is not None and given.n_resamples is not None:
            raise InvalidParameter(
                "resamples are given, and n_resamples is for drawn ones", loc=("n_resamples",)
            )
        if given.dataset is None:
            sample = sample_of(given.sample, None, None, datasets)
            n_rows = _n_rows(_resamples(given, statistic, sample, seed=0))
        else:
            n_rows = datasets[given.dataset].rows * (2 if statistic.takes == "two" else 1)
        _intervals(given, statistic, n_rows)

    def start(self, job: Job[BootstrapRequest]) -> Finished | Chunks:
        """Do it all."""
        given = job.request
        statistic = _statistic(given)
        sample = sample_of(given.sample, given.dataset, given.columns, job.datasets)
        resamples = _resamples(given, statistic, sample, job.seed)
        methods, left_out = _intervals(given, statistic, _n_rows(resamples))
        replicates = bootstrap_statistic(
            statistic, sample, resamples, with_errors="studentised" in methods
        )
        intervals = intervals_of(replicates, statistic, methods, given.level, given.alternative)
        name = entry_of(given.statistic).name
        result = {
            **statistic_told(name, statistic, sample, replicates, intervals),
            "not_applicable": left_out,
            "methods": [
                method_used("statistics", name, statistic),
                *({"family": "intervals", "name": each, "params": {}} for each in methods),
            ],
        }
        return Finished(result)


def _statistic(given: BootstrapRequest) -> Statistic:
    return build_one(STATISTICS, given.statistic, ("statistic",))


def _resamples(
    given: BootstrapRequest, statistic: Statistic, sample: Sample, seed: int
) -> AnyResamples:
    """Return the resamples, of a sample that fits the statistic."""
    with placed(given.sample):
        statistic.on(sample, fast=False)
    starts = statistic.strata(sample)
    if given.resamples is not None:
        return given_resamples(given.resamples, statistic.takes, sample, starts)
    return HashedResamples(starts, seed, _n_resamples(given))


def _n_resamples(given: BootstrapRequest) -> int:
    if given.resamples is not None:
        return len(given.resamples)
    return DEFAULT_RESAMPLES if given.n_resamples is None else given.n_resamples


def _n_rows(resamples: AnyResamples) -> int:
    return int(resamples.starts[-1])


def _named_intervals(given: BootstrapRequest) -> list[str]:
    names: list[str] = []
    for i, method in enumerate(given.intervals or ()):
        entry = entry_of(method)
        if entry.name not in METHODS:
            raise InvalidParameter(
                f"{entry.name!r} is not an interval of a bootstrap: {', '.join(METHODS)}",
                loc=("intervals", i),
                value=entry.name,
            )
        if entry.params or entry.as_ is not None:
            raise InvalidParameter(
                f"{entry.name} takes nothing here: n_resamples is the request's own field",
                loc=("intervals", i),
            )
        if entry.name in names:
            raise InvalidParameter(
                f"{entry.name!r} stands twice", loc=("intervals", i), value=entry.name
            )
        names.append(entry.name)
    return names


def _intervals(
    given: BootstrapRequest, statistic: Statistic, n_rows: int
) -> tuple[list[str], list[dict[str, str]]]:
    """Return the intervals to build, and those left out with the reason; a named one must fit."""
    if given.resamples is None:
        check_size(n_rows, _n_resamples(given), loc=("n_resamples",))
    n_draws = n_rows * _n_resamples(given)
    names = list(METHODS) if given.intervals is None else _named_intervals(given)
    reasons = {name: misfit(name, statistic, n_draws) for name in names}
    bad = {name: reason for name, reason in reasons.items() if reason is not None}
    if given.intervals is not None and bad:
        name, reason = next(iter(bad.items()))
        fit = ", ".join(each for each in METHODS if misfit(each, statistic, n_draws) is None)
        raise UnsupportedCombination(
            f"{reason}; those that fit: {fit}", loc=("intervals", names.index(name)), value=name
        )
    kept = [name for name in names if name not in bad]
    return kept, [{"name": name, "reason": reason} for name, reason in bad.items()]


KIND = Bootstrap()
