"""The lecture on cross-validation: folds, repeats and stratification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from replications.lectures.folds_result import findings
from replications.lectures.many_fits import GaussianSample, check_classifier, has_both
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.repetitions import OneRecord, repetition_generator, run_one_by_one
from thetahat.errors import InvalidParameter
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

MOST_TRIES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LectureFolds:
    r"""Cross-validation with few and many folds, once and repeated, stratified and not.

    One repetition draws a sample of ``n`` rows and, for each number of folds, makes ``repeats``
    partitions, and as many that are stratified by class. The truth is the error on fresh rows of
    what is fitted on all n.

    Source: zelezny2011, cross-validation: variance and bias.

    Deviations: the population is two normal classes, of which one is rarer, so that stratification
    has something to do. A partition that leaves a training part without a class is drawn again.

    Parameters
    ----------
    n : int
        Rows of a sample.
    folds : tuple of int
        Numbers of folds, ascending, below n; leave-one-out is always there.
    repeats : int
        Partitions of each, at least 2.
    classifier : str
        One of ``nearest_mean lda dda nn cart``.
    n_features, shift, prior : int, float and float
        Of the normal classes, in which all features matter, and the share of the rarer.
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
            "Bias and variance of cross-validation against the number of folds, the falling "
            "variance of repeated cross-validation, and what stratification gains."
        ),
        references=("zelezny2011", "molinaro2005", "kohavi1995"),
        assumptions="The population is two normal classes with one covariance matrix.",
        errs="What is true of one classifier on one population need not be so of others.",
    )
    repetitions: ClassVar[int] = 2000
    roles: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        check_classifier(self.classifier)
        if self.n < 10:
            raise InvalidParameter(f"n must be 10 or more, got {self.n}", loc=("n",), value=self.n)
        ascends = list(self.folds) == sorted(set(self.folds))
        if not self.folds or not ascends or self.folds[0] < 2 or self.folds[-1] >= self.n:
            raise InvalidParameter(
                f"folds must ascend from 2 or more and be below n, got {list(self.folds)}",
                loc=("folds",),
                value=list(self.folds),
            )
        if self.repeats < 2:
            raise InvalidParameter(
                f"repeats must be 2 or more, got {self.repeats}",
                loc=("repeats",),
                value=self.repeats,
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> FoldsStudy:
        """Return the study; it takes no data."""
        del data
        return FoldsStudy(self, seed)


@dataclass(frozen=True, slots=True, eq=False)
class FoldsStudy:
    """The repetitions: ``random`` and ``stratified``, (folds, repeats) estimates each."""

    preset: LectureFolds
    seed: int

    @property
    def grain(self) -> int:
        """Each sample stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Draw samples and cross-validate."""
        return run_one_by_one(self._repeat, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate against the number of folds."""
        return findings(records, self.preset.folds, self.preset.n)

    def _repeat(self, index: int) -> OneRecord:
        rng, preset = repetition_generator(self.seed, index), self.preset
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
        found: dict[str, FloatArray] = {
            "truth": sample.true_errors(name, whole, rng)[0],
            "leave_one_out": np.asarray(self._estimate(sample, np.arange(n), rng)),
            "random": np.empty(shape),
            "stratified": np.empty(shape),
        }
        for at, v in enumerate(preset.folds):
            for repeat in range(preset.repeats):
                at_random = drawn_partition(sample.y, v, rng, stratified=False)
                found["random"][at, repeat] = self._estimate(sample, at_random, rng)
                by_class = drawn_partition(sample.y, v, rng, stratified=True)
                found["stratified"][at, repeat] = self._estimate(sample, by_class, rng)
        return found

    def _estimate(self, sample: GaussianSample, fold: IntArray, rng: np.random.Generator) -> float:
        """Mean of the folds' error rates."""
        held = fold == np.arange(int(fold.max()) + 1)[:, None]
        wrong = sample.wrong(self.preset.classifier, ~held, rng)
        return float(((wrong & held).sum(axis=1) / held.sum(axis=1)).mean())


def drawn_partition(y: IntArray, v: int, rng: np.random.Generator, *, stratified: bool) -> IntArray:
    """(n,) fold of each row; every training part has both classes.

    Stratified, the rows of one class after those of the other are dealt out like cards.
    """
    n = len(y)
    for _ in range(MOST_TRIES):
        order = rng.permutation(n)
        if stratified:
            order = order[np.argsort(y[order], kind="stable")]
        fold = np.empty(n, dtype=np.intp)
        fold[order] = np.arange(n) % v
        if has_both(fold != np.arange(v)[:, None], y).all():
            return fold
    raise InvalidParameter(
        f"no partition into {v} folds leaves both classes in every training part",
        loc=("folds",),
        value=v,
    )


METHOD = LectureFolds
