"""What is true of an estimate, named; and what each target stands for.

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
from thetahat.seeds import stream
from thetahat.tables.data import Data
from thetahat.values.types import BlockKind, FloatArray, IntArray, Target

MODEL: Final = "model"
FITTED: Final = "fold_models"
NEW_MODEL: Final = "model_on_new_sources"
NEW_FITTED: Final = "fold_models_on_new_sources"
ON_TARGET: Final = "fold_models_on_target"
ONE_NEW: Final = "observed_on_one_new_source"
OBSERVED: Final = (MODEL, FITTED, NEW_MODEL, NEW_FITTED, ON_TARGET, ONE_NEW)
"""Truths of one repetition."""

AT_N: Final = "expected_at_n"
TRAINED: Final = "expected_at_training_size"
NEW: Final = "new_source"
NEW_AT_N: Final = "new_source_at_n"
POPULATION: Final = "target_population"

TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        MODEL: "R(f^S): the model learnt from the whole draw, on the population",
        FITTED: "mean R(f_j): the models of the splits, on the population (each on its own "
        "source, where blocks are sources)",
        NEW_MODEL: "R(f^S) on sources that were not drawn",
        NEW_FITTED: "mean R(f_j) on sources that were not drawn",
        ON_TARGET: "mean R(f_j) under the target distribution",
        ONE_NEW: "the mean loss that one f_j has on as many rows of one source that was not drawn",
        AT_N: "E R(f^S): the expected error of learning from n rows",
        TRAINED: "E mean R(f_j): the expected error at the scheme's training size",
        NEW: "the expected error on a new source, at the scheme's training size",
        NEW_AT_N: "the expected error on a new source of learning from n rows",
        POPULATION: "the expected error under the target distribution",
    }
)

AVERAGE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {AT_N: MODEL, TRAINED: FITTED, NEW: NEW_FITTED, NEW_AT_N: NEW_MODEL, POPULATION: ON_TARGET}
)
"""Which truth of a repetition an expectation is the average of."""

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
"""What each target stands for in a study."""

PREDICTED: Final = "one_new_source"
"""The target of a prediction interval: an observation, and no expectation."""


def truth_for_target(target: str) -> str:
    """Return which truth an interval or a variance of that target is held against."""
    return ONE_NEW if target == PREDICTED else OF_TARGET[Target(target)]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StudyLearner:
    """What the models of one learner depend on, but for their training parts."""

    name: str
    learner: Learner
    loss: Loss
    seed: int

    def losses(self, data: Data, train: IntArray, place: Sequence[int], on: Data) -> FloatArray:
        """(n,) losses on other rows of the model of one training part, as ``predictions``."""
        return self.loss.losses(on.y, self.predictions(data, train, place, on))

    def predictions(
        self, data: Data, train: IntArray, place: Sequence[int], on: Data
    ) -> Predictions:
        """Return what the model of one training part says of other rows.

        ``place`` is its repeat and block, which name the random stream that it was fitted with.
        """
        with catch_failures(self.learner.info.name, []):
            fitted = self.learner.fit(
                data.features.rows(train),
                data.y[train],
                weights=None if data.weight is None else data.weight[train],
                n_classes=data.n_classes,
                rng=stream(self.seed, f"fit:{self.name}", *place),
            )
            return fitted.predict(on.features)


def check_truths(names: Collection[str]) -> None:
    """Refuse what is no truth of a repetition."""
    for name in names:
        if name not in OBSERVED:
            raise InvalidParameter(
                f"{name!r} is not one of the truths: {', '.join(OBSERVED)}",
                loc=("truths",),
                value=name,
            )


def compute_truths(
    fitting: StudyLearner,
    drawn: DrawnData,
    splits: Sequence[Split],
    kind: BlockKind,
    wanted: Collection[str],
) -> dict[str, float]:
    """Return the wanted truths of one repetition and learner; those of no rows are left out."""
    found: dict[str, float] = {}
    everything = np.arange(drawn.data.n)
    inside = drawn.rest() if {MODEL, FITTED} & set(wanted) else None
    outside = drawn.outside() if {NEW_MODEL, NEW_FITTED} & set(wanted) else None
    rows = ((MODEL, FITTED, inside), (NEW_MODEL, NEW_FITTED, outside))
    for of_model, of_splits, on in rows:
        if on is None:
            continue
        if of_model in wanted:
            losses = fitting.losses(drawn.data, everything, (), on)
            found[of_model] = _risk(losses, on, by_source=drawn.by_source)
        if of_splits in wanted:
            own = kind is BlockKind.SOURCE and of_splits == FITTED
            found[of_splits] = float(np.mean(_split_risks(fitting, drawn, splits, on, own=own)))
    if ONE_NEW in wanted:
        found.update(_observed(fitting, drawn, splits))
    return found


def _observed(
    fitting: StudyLearner, drawn: DrawnData, splits: Sequence[Split]
) -> Iterator[tuple[str, float]]:
    """Yield the mean loss of one split's model on some rows of one source that was not drawn."""
    data, on = drawn.data, drawn.outside()
    if on is None or on.source is None or data.source is None:
        return
    rng = stream(fitting.seed, "one new source")
    rows = np.flatnonzero(on.source == rng.choice(np.unique(on.source)))
    size = min(round(data.n / len(np.unique(data.source))), len(rows))
    split = splits[int(rng.integers(len(splits)))]
    some = select_rows(on, np.sort(rng.choice(rows, size=size, replace=False)))
    losses = fitting.losses(data, split.train, (split.repeat, split.block), some)
    yield ONE_NEW, float(losses.mean())


def _split_risks(
    fitting: StudyLearner, drawn: DrawnData, splits: Sequence[Split], on: Data, *, own: bool
) -> list[float]:
    """Return the risk of each split's model: on its own test sources, or on all rows."""
    every = np.arange(on.n)
    tested = [every] * len(splits)
    if own and on.source is not None and drawn.data.source is not None:
        labels = (drawn.data.source[split.test] for split in splits)
        tested = [np.flatnonzero(np.isin(on.source, of_split)) for of_split in labels]
    told = compute_split_losses(fitting.learner, fitting.loss, drawn.data, splits, on, tested)
    risks = []
    for split, rows, losses in zip(splits, tested, told, strict=True):
        some = on if len(rows) == on.n else select_rows(on, rows)
        if losses is None:
            place = (split.repeat, split.block)
            losses = fitting.losses(drawn.data, split.train, place, some)  # noqa: PLW2901 - fitted
        risks.append(_risk(losses, some, by_source=drawn.by_source))
    return risks


def _risk(losses: FloatArray, on: Data, *, by_source: bool) -> float:
    """Return the mean loss; where sources count the same, the mean of their means."""
    if not by_source or on.source is None:
        return float(losses.mean())
    codes = np.unique(on.source, return_inverse=True)[1]
    return float((np.bincount(codes, weights=losses) / np.bincount(codes)).mean())
