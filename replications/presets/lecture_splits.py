"""The lecture on split samples: bias and variance against the share of rows to test on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np

from replications.lectures.many_fits import GaussianSample, check_classifier, has_both
from replications.lectures.splits_result import findings
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import OneRecord, repetition_generator, run_one_by_one
from thetahat.errors import InvalidParameter
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

MOST_SPLITS: Final = 20_000
"""Of one size, beyond which not every split is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureSplits:
    r"""Split samples and complete subsampling on small and larger samples.

    One repetition draws a sample of each size. For each share :math:`\mu` to test on it makes
    ``splits`` random splits and, of the smallest sample, all of them. Over the splits of one
    sample bias and variance are conditional, over samples unconditional; a split's estimate is set
    against the error of what was fitted in it, R(f), and of what is fitted on all rows,
    :math:`R(f^S)`, each on fresh rows.

    Source: zelezny2011, split sample and complete subsampling.

    Deviations: the lecture's figures have no numbers; the population is two normal classes.
    Splits whose training part lacks a class are drawn again, and left out of all splits.

    Parameters
    ----------
    sizes : tuple of int
        Rows of the samples, ascending; the lecture speaks of 10 and 60.
    shares : tuple of float
        :math:`\mu`, ascending, in (0, 1).
    splits : int
        Random splits of each sample and share, at least 2.
    classifier : str
        One of ``nearest_mean lda dda nn cart``.
    n_features, shift : int and float
        Of the normal classes, in which all features matter.
    """

    sizes: tuple[int, ...] = (10, 60)
    shares: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    splits: int = 50
    classifier: str = "nearest_mean"
    n_features: int = 10
    shift: float = 0.6

    info: ClassVar[MethodInfo] = MethodInfo(
        name="lecture_splits",
        title="Split samples: bias and variance against the share to test on",
        summary=(
            "Conditional and unconditional bias and variance of the split sample against mu, and "
            "of complete subsampling on a small sample."
        ),
        references=("zelezny2011", "hastie2009"),
        assumptions="The population is two normal classes with one covariance matrix.",
        errs="What is true of one classifier on one population need not be so of others.",
    )
    repetitions: ClassVar[int] = 5000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_classifier(self.classifier)
        if not self.sizes or min(self.sizes) < 8 or list(self.sizes) != sorted(set(self.sizes)):
            raise InvalidParameter(
                f"sizes must ascend from 8 or more, got {list(self.sizes)}",
                loc=("sizes",),
                value=list(self.sizes),
            )
        inside = all(0 < share < 1 for share in self.shares)
        if len(self.shares) < 2 or not inside or list(self.shares) != sorted(set(self.shares)):
            raise InvalidParameter(
                f"shares must be two or more that ascend in (0, 1), got {list(self.shares)}",
                loc=("shares",),
                value=list(self.shares),
            )
        for share in self.shares:
            self._require_room(share)
        if self.splits < 2:
            raise InvalidParameter(
                f"splits must be 2 or more, got {self.splits}", loc=("splits",), value=self.splits
            )

    def _require_room(self, share: float) -> None:
        n = self.sizes[0]
        tested = n_test(n, share)
        if n - tested < 2:
            raise InvalidParameter(
                f"a share of {share} of {n} rows leaves fewer than two to learn from",
                loc=("shares",),
                value=share,
            )
        if math.comb(n, tested) > MOST_SPLITS:
            raise InvalidParameter(
                f"{n} rows have {math.comb(n, tested)} splits with {tested} to test on, and all "
                f"splits of the smallest sample are made: at most {MOST_SPLITS}",
                loc=("sizes", 0),
                value=n,
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> SplitsStudy:
        """Return the study; it takes no data."""
        del data
        return SplitsStudy(self, seed)


def n_test(n: int, share: float) -> int:
    """Rows to test on, as the schemes have it."""
    return min(max(math.ceil(share * n - 1e-9), 1), n - 1)


@dataclass(frozen=True, slots=True, eq=False)
class SplitsStudy:
    """The repetitions: by sample size, means and variances over splits, (shares,) each."""

    preset: LectureSplits
    seed: int

    @property
    def grain(self) -> int:
        """Each sample stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw samples and split them."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate against the share to test on."""
        preset = self.preset
        return findings(records, preset.sizes, preset.shares, preset.splits)

    def _repeat(self, index: int) -> OneRecord:
        rng, preset = repetition_generator(self.seed, index), self.preset
        generator = TwoClassGaussian(
            n_features=preset.n_features, n_relevant=preset.n_features, shift=preset.shift
        )
        found: dict[str, FloatArray] = {}
        for n in preset.sizes:
            sample = GaussianSample.draw(generator, n, rng)
            of_all = sample.true_errors(preset.classifier, np.ones((1, n), dtype=np.bool_), rng)
            found[f"{n}/truth"] = np.repeat(of_all, len(preset.shares))
            for share in preset.shares:
                told = self._of_share(sample, share, rng)
                for name, value in told.items():
                    found.setdefault(f"{n}/{name}", np.empty(0))
                    found[f"{n}/{name}"] = np.append(found[f"{n}/{name}"], value)
        return found

    def _of_share(
        self, sample: GaussianSample, share: float, rng: np.random.Generator
    ) -> dict[str, float]:
        name, n = self.preset.classifier, sample.n
        tested = n_test(n, share)
        parts = random_parts(sample, tested, self.preset.splits, rng)
        estimates = _tested(sample, name, parts, rng)
        told = {
            "mean": float(estimates.mean()),
            "variance": float(estimates.var(ddof=1)),
            "fitted": float(sample.true_errors(name, parts, rng).mean()),
        }
        if n == self.preset.sizes[0]:
            every = every_part(n, tested)
            complete = _tested(sample, name, every[has_both(every, sample.y)], rng)
            told["complete"] = float(complete.mean())
        return told


def random_parts(
    sample: GaussianSample, tested: int, count: int, rng: np.random.Generator
) -> np.ndarray:
    """(count, n) random training parts that have both classes."""
    found = np.empty((0, sample.n), dtype=np.bool_)
    while len(found) < count:
        order = rng.permuted(np.tile(np.arange(sample.n), (count, 1)), axis=1)
        drawn = order >= tested
        found = np.concatenate([found, drawn[has_both(drawn, sample.y)]])
    return found[:count]


def every_part(n: int, tested: int) -> np.ndarray:
    """(C, n) all training parts that leave ``tested`` rows."""
    held = np.array(list(combinations(range(n), tested)))
    parts = np.ones((len(held), n), dtype=np.bool_)
    parts[np.arange(len(held))[:, None], held] = False
    return parts


def _tested(
    sample: GaussianSample, name: str, parts: np.ndarray, rng: np.random.Generator
) -> FloatArray:
    """(F,) error on the rows that are not in each part."""
    wrong = sample.wrong(name, parts, rng)
    return np.asarray((wrong & ~parts).sum(axis=1) / (~parts).sum(axis=1))


METHOD = LectureSplits
