"""The truths that estimates are compared with, and the truth that each target stands for.

``R(f)`` is the expected loss of a fitted model ``f`` on the population, ``f^S`` the model learnt
from the whole draw S, ``f_j`` the model of split j.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from thetahat.analyses.studies.population import DrawnData
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.analyses.studies.split_model_losses import compute_split_losses
from thetahat.errors import InvalidParameter
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss, Predictions
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.schemes.base import Split
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat.values.types import BlockKind, FloatArray, IntArray, Target

MODEL: Final = "model"
FITTED: Final = "fold_models"
NEW_MODEL: Final = "model_on_new_sources"
NEW_FITTED: Final = "fold_models_on_new_sources"
ON_TARGET: Final = "fold_models_on_target"
ONE_NEW: Final = "observed_on_one_new_source"
OBSERVED: Final = (MODEL, FITTED, NEW_MODEL, NEW_FITTED, ON_TARGET, ONE_NEW)
"""Truths that are known in each repetition."""

AT_N: Final = "expected_at_n"
TRAINED: Final = "expected_at_training_size"
NEW: Final = "new_source"
NEW_AT_N: Final = "new_source_at_n"
POPULATION: Final = "target_population"

TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        MODEL: "R(f^S): risk of the model learnt from the whole draw",
        FITTED: "mean R(f_j): mean risk of the models of the splits (each on its own source, if "
        "blocks are sources)",
        NEW_MODEL: "R(f^S) on sources that were not drawn",
        NEW_FITTED: "mean R(f_j) on sources that were not drawn",
        ON_TARGET: "mean R(f_j) under the target distribution",
        ONE_NEW: "mean loss of one f_j on a sample of one source that was not drawn, of the size "
        "of a drawn source",
        AT_N: "E R(f^S): expected error of learning from n rows",
        TRAINED: "E mean R(f_j): expected error at the scheme's training size",
        NEW: "expected error on a new source, at the scheme's training size",
        NEW_AT_N: "expected error on a new source of learning from n rows",
        POPULATION: "expected error under the target distribution",
    }
)

AVERAGE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {AT_N: MODEL, TRAINED: FITTED, NEW: NEW_FITTED, NEW_AT_N: NEW_MODEL, POPULATION: ON_TARGET}
)
"""The truth of a repetition that each expectation is the average of."""

OF_ALL_SOURCES: Final = frozenset({NEW, NEW_AT_N})
"""Expectations over sources too: averages over all repetitions, not over those of one set."""

OF_TARGET: Final[Mapping[Target, str]] = MappingProxyType(
    {
        Target.THESE_SOURCES: TRAINED,
        Target.NEW_SOURCE: NEW,
        Target.THESE_MODELS: FITTED,
        Target.NEW_POPULATION: POPULATION,
    }
)
"""The truth that each target stands for in a study."""

PREDICTED: Final = "one_new_source"
"""The target of a prediction interval: an observation, not an expectation."""


def get_truth_for_target(target: str) -> str:
    """Return the truth that intervals and variances of a target are compared with."""
    return ONE_NEW if target == PREDICTED else OF_TARGET[Target(target)]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StudyLearner:
    """A learner with all that its models depend on besides their training rows."""

    name: str
    learner: Learner
    loss: Loss
    seed: int

    def losses(self, data: Data, train: IntArray, place: Sequence[int], on: Data) -> FloatArray:
        """Return the (n,) losses on the rows ``on`` of the model learnt from ``train``."""
        return self.loss.losses(on.y, self.predictions(data, train, place, on))

    def predictions(
        self, data: Data, train: IntArray, place: Sequence[int], on: Data
    ) -> Predictions:
        """Return the predictions for the rows ``on`` of the model learnt from ``train``.

        ``place`` is the repeat and block of the training part, which name the random stream of the
        fit; it is empty for the model of the whole draw.
        """
        with catch_failures(self.learner.info.name, []):
            fitted = self.learner.fit(
                data.features.rows(train),
                data.y[train],
                weights=None if data.weight is None else data.weight[train],
                n_classes=data.n_classes,
                rng=make_random_stream(self.seed, f"fit:{self.name}", *place),
            )
            return fitted.predict(on.features)


def check_truths(names: Collection[str]) -> None:
    """Raise ``InvalidParameter`` for a name that is not a truth of a repetition."""
    for name in names:
        if name not in OBSERVED:
            raise InvalidParameter(
                f"{name!r} is not a truth that can be computed; the truths are "
                f"{', '.join(OBSERVED)}.",
                loc=("truths",),
                value=name,
            )


def compute_truths(
    learner: StudyLearner,
    drawn: DrawnData,
    splits: Sequence[Split],
    kind: BlockKind,
    names: Collection[str],
) -> dict[str, float]:
    """Return the named truths of one repetition and learner, without those that have no rows."""
    truths: dict[str, float] = {}
    all_rows = np.arange(drawn.data.n)
    inside = drawn.rest() if {MODEL, FITTED} & set(names) else None
    outside = drawn.outside() if {NEW_MODEL, NEW_FITTED} & set(names) else None
    for model_truth, split_truth, on in (
        (MODEL, FITTED, inside),
        (NEW_MODEL, NEW_FITTED, outside),
    ):
        if on is None:
            continue
        if model_truth in names:
            losses = learner.losses(drawn.data, all_rows, (), on)
            truths[model_truth] = _average_losses(losses, on, by_source=drawn.by_source)
        if split_truth in names:
            own = kind is BlockKind.SOURCE and split_truth == FITTED
            truths[split_truth] = float(np.mean(_split_risks(learner, drawn, splits, on, own=own)))
    if ONE_NEW in names:
        truths.update(_observe_new_source(learner, drawn, splits))
    return truths


def _observe_new_source(
    learner: StudyLearner, drawn: DrawnData, splits: Sequence[Split]
) -> Iterator[tuple[str, float]]:
    """Yield the mean loss of one split's model on rows of one source that was not drawn."""
    data, on = drawn.data, drawn.outside()
    if on is None or on.source is None or data.source is None:
        return
    rng = make_random_stream(learner.seed, "one new source")
    rows = np.flatnonzero(on.source == rng.choice(np.unique(on.source)))
    size = min(round(data.n / len(np.unique(data.source))), len(rows))
    split = splits[int(rng.integers(len(splits)))]
    observed = select_rows(on, np.sort(rng.choice(rows, size=size, replace=False)))
    losses = learner.losses(data, split.train, (split.repeat, split.block), observed)
    yield ONE_NEW, float(losses.mean())


def _split_risks(
    learner: StudyLearner, drawn: DrawnData, splits: Sequence[Split], on: Data, *, own: bool
) -> list[float]:
    """Return the risk of each split's model: on all rows, or on those of its test sources."""
    all_rows = np.arange(on.n)
    tested = [all_rows] * len(splits)
    if own and on.source is not None and drawn.data.source is not None:
        labels = (drawn.data.source[split.test] for split in splits)
        tested = [np.flatnonzero(np.isin(on.source, of_split)) for of_split in labels]
    computed = compute_split_losses(learner.learner, learner.loss, drawn.data, splits, on, tested)
    risks = []
    for split, rows, fast_losses in zip(splits, tested, computed, strict=True):
        judged = on if len(rows) == on.n else select_rows(on, rows)
        losses = fast_losses
        if losses is None:
            place = (split.repeat, split.block)
            losses = learner.losses(drawn.data, split.train, place, judged)
        risks.append(_average_losses(losses, judged, by_source=drawn.by_source))
    return risks


def _average_losses(losses: FloatArray, on: Data, *, by_source: bool) -> float:
    """Return the mean loss, or the mean of the sources' means."""
    if not by_source or on.source is None:
        return float(losses.mean())
    codes = np.unique(on.source, return_inverse=True)[1]
    return float((np.bincount(codes, weights=losses) / np.bincount(codes)).mean())
