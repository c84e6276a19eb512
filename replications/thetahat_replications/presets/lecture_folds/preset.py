"""Parameters and repetitions of the preset ``lecture_folds``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import (
    OneRecord,
    RepeatedStudy,
    make_repetition_generator,
)
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.lectures.gaussian_samples import GaussianSample, check_classifier
from thetahat_replications.parameter_checks import is_ascending, require_at_least
from thetahat_replications.presets.lecture_folds.tables import compute_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureFolds:
    r"""Cross-validation with few and many folds, once and repeated, stratified and not.

    One repetition draws a sample of ``n`` rows and, for each number of folds, ``repeats``
    partitions at random and as many that are stratified by class. The truth is the error on fresh
    rows of the model learnt from all n.

    Rows are drawn independently, so with folds at random the expected estimate is the expected
    error of the models of the folds. The bias is therefore the mean over fresh rows of the errors
    of these models minus that of the model learnt from all rows, which varies much less than the
    estimates do. To the bias of stratified folds the mean difference of the estimates is added.

    In the lecture: the part on the variance and the bias of cross-validation, and "Leave-one-out
    vs. 10-fold" on simulated data. The lecture gutierrez_osuna: "How many folds are needed?".

    Deviations: the population is two normal classes, one of them rarer, so that stratification can
    matter. A model fitted on rows of one class only predicts that class.

    Parameters
    ----------
    n : int
        Rows of a sample.
    folds : tuple of int
        Numbers of folds, ascending, below n; leave-one-out is always included.
    repeats : int
        Partitions for each number of folds, at least 2.
    classifier : str
        One of ``nearest_mean lda dda nn cart``.
    n_features, shift, prior : int, float and float
        Of the normal classes, in which all features matter; ``prior`` is the share of the rarer.
    """

    n: int = 40
    folds: tuple[int, ...] = (2, 5, 10, 20)
    repeats: int = 10
    classifier: str = "nearest_mean"
    n_features: int = 5
    shift: float = 0.8
    prior: float = 0.3

    info: ClassVar[MethodInfo] = MethodInfo(
        name="lecture_folds",
        title="Cross-validation: folds, repeats, stratification",
        summary=(
            "Bias and variance of cross-validation against the number of folds, the smaller "
            "variance of repeated cross-validation, and the effect of stratification."
        ),
        references=("zelezny2011", "gutierrez_osuna", "molinaro2005", "hastie2009", "kohavi1995"),
        assumptions="The population is two normal classes with one covariance matrix.",
        errs="The results are for one classifier on one population and may differ for others.",
    )
    repetitions: ClassVar[int] = 6000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_classifier(self.classifier)
        require_at_least(self, n=10)
        are_valid = is_ascending(self.folds) and self.folds[0] >= 2 and self.folds[-1] < self.n
        require(are_valid, "folds", self.folds, "must ascend from 2 or more and be below n")
        require_at_least(self, repeats=2, n_features=1)

    def plan(self, data: Mapping[str, Data], seed: int) -> FoldsStudy:
        """Return the study; it uses no data sets."""
        del data
        return FoldsStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class FoldsStudy(RepeatedStudy):
    """The repetitions; ``random`` and ``stratified`` are (folds, repeats) estimates each.

    ``fitted`` is (folds + 1,) mean errors of the models of random folds, the last leave-one-out.
    """

    preset: LectureFolds
    seed: int

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims."""
        return compute_findings(records, self.preset.folds, self.preset.n)

    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""
        rng, preset = make_repetition_generator(self.seed, index), self.preset
        generator = TwoClassGaussian(
            n_features=preset.n_features,
            n_relevant=preset.n_features,
            shift=preset.shift,
            prior=preset.prior,
        )
        sample = GaussianSample.draw(generator, preset.n, rng)
        name, n = preset.classifier, preset.n
        whole = np.ones((1, n), dtype=np.bool_)
        shape = (len(preset.folds), preset.repeats)
        record: dict[str, FloatArray] = {
            "truth": sample.true_errors(name, whole, rng)[0],
            "leave_one_out": np.asarray(self._average_fold_errors(sample, np.arange(n), rng)),
            "fitted": np.empty(len(preset.folds) + 1),
            "random": np.empty(shape),
            "stratified": np.empty(shape),
        }
        for at, v in enumerate(preset.folds):
            for repeat in range(preset.repeats):
                at_random = draw_partition(sample.y, v, rng, stratified=False)
                record["random"][at, repeat] = self._average_fold_errors(sample, at_random, rng)
                if not repeat:
                    record["fitted"][at] = self._average_true_errors(sample, at_random, rng)
                by_class = draw_partition(sample.y, v, rng, stratified=True)
                record["stratified"][at, repeat] = self._average_fold_errors(sample, by_class, rng)
        record["fitted"][-1] = self._average_true_errors(sample, np.arange(n), rng)
        return record

    def _average_true_errors(
        self, sample: GaussianSample, fold: IntArray, rng: np.random.Generator
    ) -> float:
        """Return the mean error on fresh rows of the models of the folds."""
        parts = fold != np.arange(int(fold.max()) + 1)[:, None]
        return float(sample.true_errors(self.preset.classifier, parts, rng).mean())

    def _average_fold_errors(
        self, sample: GaussianSample, fold: IntArray, rng: np.random.Generator
    ) -> float:
        """Return the mean of the folds' error rates."""
        parts = fold != np.arange(int(fold.max()) + 1)[:, None]
        return float(sample.test_errors(self.preset.classifier, parts, rng).mean())


def draw_partition(y: IntArray, v: int, rng: np.random.Generator, *, stratified: bool) -> IntArray:
    """Return the (n,) fold of each row.

    A stratified partition deals the rows to the folds in turn, one class after the other.
    """
    order = rng.permutation(len(y))
    if stratified:
        order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % v
    return fold
