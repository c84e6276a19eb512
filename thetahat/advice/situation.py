"""What a person knows before an evaluation: the data, the question and the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import check_level, require
from thetahat.values.types import Target

MAX_N: Final = 10**9
MAX_MODELS: Final = 200
SMALLEST: Final = 1e-100
LARGEST: Final = 1e100
"""Losses beyond these cannot be squared."""
RAREST: Final = 1e-9
LOWEST_LEVEL: Final = 0.5
QUESTIONS: Final = (Target.THESE_MODELS, Target.THESE_SOURCES, Target.NEW_SOURCE)
"""What the advice can be about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known before the evaluation."""

    n: int
    """Number of rows."""
    question: Target | None = None
    """these_models: how good the trained models are. these_sources: how good the learner is on
    further rows like these. new_source: how good it is on a source that is not among these. Left
    out: new_source if there are sources, else these_sources."""
    source_sizes: tuple[int, ...] = ()
    """Rows of each source, such as a school, hospital or task; they add up to n."""
    class_counts: Mapping[str, int] = field(default_factory=dict)
    """Rows of each class, for a classification; they add up to n."""
    n_clusters: int | None = None
    """Number of groups of rows that depend on each other, such as the rows of one patient."""
    time_ordered: bool = False
    """Whether rows are in an order of time, and models predict later ones."""
    fit_seconds: float | None = None
    """Seconds that one fit of one model takes, on nearly all rows."""
    budget_seconds: float | None = None
    """Seconds that all fits together may take. Needs fit_seconds."""
    n_models: int = 2
    """Number of models; two or more are compared."""
    expected_error: float | None = None
    """Expected share of errors, for a loss of 0 and 1."""
    loss_spread: float | None = None
    """Standard deviation of one model's losses over rows, for other losses."""
    correlation: float = 0.5
    """Correlation of two models' losses on one row."""
    between_sources: float = 0.0
    """Standard deviation, between sources, of the expected loss and of the difference of two
    models."""
    margin: float | None = None
    """Largest difference of mean losses that does not matter."""
    level: float = 0.95
    """Confidence level of intervals, from 0.5."""
    power: float = 0.8
    """The chance with which a difference shall be found."""

    def __post_init__(self) -> None:
        require(2 <= self.n <= MAX_N, "n", self.n, f"must be from 2 to {MAX_N}")
        self._check_groups()
        self._check_numbers()
        known = ", ".join(QUESTIONS)
        question = self.question
        if question is None:
            question = Target.NEW_SOURCE if self.source_sizes else Target.THESE_SOURCES
        require(question in QUESTIONS, "question", question, f"must be one of {known}")
        object.__setattr__(self, "question", Target(question))
        if question == Target.NEW_SOURCE and not self.source_sizes:
            raise InvalidParameter(
                "The question new_source needs source_sizes: the number of rows of each source.",
                loc=("question",),
                value=str(question),
            )

    def _check_groups(self) -> None:
        sizes, counts, n_clusters = self.source_sizes, self.class_counts, self.n_clusters
        if sizes:
            require(min(sizes) >= 1, "source_sizes", list(sizes), "must be 1 or more each")
            require(len(sizes) >= 2, "source_sizes", list(sizes), "must name two sources or more")
            good = sum(sizes) == self.n
            require(good, "source_sizes", sum(sizes), f"must add up to n, which is {self.n}")
        if counts:
            listed = dict(counts)
            require(min(counts.values()) >= 1, "class_counts", listed, "must be 1 or more each")
            require(len(counts) >= 2, "class_counts", listed, "must name two classes or more")
            total = sum(counts.values())
            require(total == self.n, "class_counts", total, f"must add up to n, which is {self.n}")
        if n_clusters is not None:
            good = 2 <= n_clusters <= self.n
            require(good, "n_clusters", n_clusters, f"must be from 2 to n, which is {self.n}")
        if sizes and n_clusters is not None:
            raise InvalidParameter(
                "source_sizes and n_clusters cannot both be given: folds keep one of them whole. "
                "Give the one that new data will differ in.",
                loc=("n_clusters",),
                value=n_clusters,
            )
        good = self.n > 2 or not self.time_ordered
        require(good, "n", self.n, "must be 3 or more for rows in an order of time")
        if self.time_ordered and (sizes or n_clusters is not None):
            raise InvalidParameter(
                "time_ordered cannot be combined with source_sizes or n_clusters: a scheme in "
                "order of time keeps neither whole.",
                loc=("time_ordered",),
                value=True,
            )

    def _check_numbers(self) -> None:
        for name in ("fit_seconds", "budget_seconds"):
            value = getattr(self, name)
            good = value is None or (math.isfinite(value) and value > 0)
            require(good, name, value, "must be a finite number above 0")
        for name in ("loss_spread", "margin"):
            value = getattr(self, name)
            good = value is None or SMALLEST <= value <= LARGEST
            require(good, name, value, f"must be from {SMALLEST:g} to {LARGEST:g}")
        good = 0 <= self.between_sources <= LARGEST
        require(good, "between_sources", self.between_sources, f"must be from 0 to {LARGEST:g}")
        error = self.expected_error
        good = error is None or RAREST <= error <= 1 - RAREST
        require(good, "expected_error", error, f"must be from {RAREST:g} to 1 - {RAREST:g}")
        if self.expected_error is not None and self.loss_spread is not None:
            raise InvalidParameter(
                "expected_error and loss_spread cannot both be given: the first is for losses of 0 "
                "and 1, whose spread follows from it.",
                loc=("loss_spread",),
                value=self.loss_spread,
            )
        good = 1 <= self.n_models <= MAX_MODELS
        require(good, "n_models", self.n_models, f"must be from 1 to {MAX_MODELS}")
        require(0 <= self.correlation < 1, "correlation", self.correlation, "must be in [0, 1)")
        require(0 < self.power < 1, "power", self.power, "must be in (0, 1)")
        check_level(self.level)
        require(self.level >= LOWEST_LEVEL, "level", self.level, f"must be {LOWEST_LEVEL} or above")
        if self.budget_seconds is not None and self.fit_seconds is None:
            raise InvalidParameter(
                "budget_seconds needs fit_seconds, the time of one fit.",
                loc=("budget_seconds",),
                value=self.budget_seconds,
            )

    @property
    def target(self) -> Target:
        """The question, where None has been replaced."""
        assert self.question is not None  # noqa: S101 - replaced when it was built
        return self.question

    @property
    def most_splits(self) -> float:
        """The number of splits whose fits the budget allows for all models."""
        if self.fit_seconds is None or self.budget_seconds is None:
            return math.inf
        return self.budget_seconds / (self.fit_seconds * self.n_models)

    @property
    def smallest_class(self) -> int | None:
        """Rows of the smallest class; None without classes."""
        return min(self.class_counts.values()) if self.class_counts else None
