"""Parameters and repetitions of the preset ``lecture_splits``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.errors import InvalidParameter
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.lectures.gaussian_samples import GaussianSample, check_classifier
from thetahat_replications.parameter_checks import check_largest, is_ascending, require_at_least
from thetahat_replications.presets.lecture_splits.tables import compute_findings

MAX_SPLITS: Final = 20_000
"""The most splits of the smallest sample; complete subsampling computes all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureSplits:
    r"""Split samples and complete subsampling on small and larger samples.

    One repetition draws a sample of each size. For each share :math:`\mu` of rows to test on it
    makes ``splits`` random splits, and all splits of the smallest sample. Bias and variance over
    the splits of one sample are conditional, those over samples unconditional. The estimate of a
    split is compared with the error of the model fitted in it, R(f), and with that of the model
    fitted on all rows, :math:`R(f^S)`, both on fresh rows.

    In the lecture: the parts on the split sample and on complete subsampling.

    Deviations: the lecture's figures have no numbers, so the population is two normal classes. All
    samples and splits are kept; a model fitted on rows of one class only predicts that class.

    Parameters
    ----------
    sizes : tuple of int
        Rows of the samples, ascending; the lecture has 10 and 60.
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
            "Conditional and unconditional bias and variance of the split sample against the share "
            "mu of rows to test on, and of complete subsampling on a small sample."
        ),
        references=("zelezny2011", "hastie2009"),
        assumptions="The population is two normal classes with one covariance matrix.",
        errs="The results are for one classifier on one population and may differ for others.",
    )
    repetitions: ClassVar[int] = 10_000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_classifier(self.classifier)
        sizes_fit = is_ascending(self.sizes) and self.sizes[0] >= 8
        require(sizes_fit, "sizes", self.sizes, "must ascend from 8 or more")
        check_largest("sizes", *self.sizes)
        shares_fit = is_ascending(self.shares) and all(0 < share < 1 for share in self.shares)
        requirement = "must be two or more that ascend between 0 and 1"
        require(shares_fit and len(self.shares) > 1, "shares", self.shares, requirement)
        for share in self.shares:
            self._check_number_of_splits(share)
        require_at_least(self, splits=2, n_features=1)

    def _check_number_of_splits(self, share: float) -> None:
        n = self.sizes[0]
        tested = count_test_rows(n, share)
        if n - tested < 2:
            raise InvalidParameter(
                f"The share {share} of {n} rows leaves fewer than two rows to learn from. Use "
                "smaller shares or larger samples.",
                loc=("shares",),
                value=share,
            )
        if math.comb(n, tested) > MAX_SPLITS:
            raise InvalidParameter(
                f"{n} rows have {math.comb(n, tested)} splits with {tested} rows to test on, and "
                f"all splits of the smallest sample are computed: at most {MAX_SPLITS} are "
                "possible. Use a smaller first sample.",
                loc=("sizes", 0),
                value=n,
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> SplitsStudy:
        """Return the study; it uses no data sets."""
        del data
        return SplitsStudy(self, seed)


def count_test_rows(n: int, share: float) -> int:
    """Return the number of rows to test on, rounded as the resampling schemes do."""
    return min(max(math.ceil(share * n - 1e-9), 1), n - 1)


@dataclass(frozen=True, slots=True, eq=False)
class SplitsStudy(RepeatedStudy):
    """The repetitions: by sample size, means and variances over splits, (shares,) each."""

    preset: LectureSplits
    seed: int

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims."""
        preset = self.preset
        return compute_findings(records, preset.sizes, preset.shares, preset.splits)

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng, preset = make_repetition_generator(self.seed, index), self.preset
        generator = TwoClassGaussian(
            n_features=preset.n_features, n_relevant=preset.n_features, shift=preset.shift
        )
        record: dict[str, FloatArray] = {}
        for n in preset.sizes:
            sample = GaussianSample.draw(generator, n, rng)
            whole = np.ones((1, n), dtype=np.bool_)
            true_error = sample.true_errors(preset.classifier, whole, rng)
            record[f"{n}/truth"] = np.repeat(true_error, len(preset.shares))
            by_share = [self._split(sample, share, rng) for share in preset.shares]
            for name in by_share[0]:
                record[f"{n}/{name}"] = np.array([values[name] for values in by_share])
        return record

    def _split(
        self, sample: GaussianSample, share: float, rng: np.random.Generator
    ) -> dict[str, float]:
        """Return mean and variance over splits with one share of rows to test on."""
        name, n = self.preset.classifier, sample.n
        tested = count_test_rows(n, share)
        parts = draw_training_parts(sample, tested, self.preset.splits, rng)
        estimates = sample.test_errors(name, parts, rng)
        values = {
            "mean": float(estimates.mean()),
            "variance": float(estimates.var(ddof=1)),
            "fitted": float(sample.true_errors(name, parts, rng).mean()),
        }
        if n == self.preset.sizes[0]:
            all_parts = list_training_parts(n, tested)
            values["complete"] = float(sample.test_errors(name, all_parts, rng).mean())
        return values


def draw_training_parts(
    sample: GaussianSample, tested: int, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (count, n) random training parts."""
    order = rng.permuted(np.tile(np.arange(sample.n), (count, 1)), axis=1)
    return np.asarray(order >= tested)


def list_training_parts(n: int, tested: int) -> np.ndarray:
    """Return the (C, n) training parts of all splits with ``tested`` rows to test on."""
    held_out = np.array(list(combinations(range(n), tested)))
    parts = np.ones((len(held_out), n), dtype=np.bool_)
    parts[np.arange(len(held_out))[:, None], held_out] = False
    return parts
