"""One learner run over a stretch of a design's splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.data import Data
from thetahat.errors import EvaluationError
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss, Predictions
from thetahat.refits._no_information import no_information_error
from thetahat.refits.base import APPARENT, Design, Fits
from thetahat.resampling import SplitOutcome, rows_of, run_splits
from thetahat.resampling.stretches import stretches
from thetahat.schemes.base import Split
from thetahat.types import Caution

Arrays = dict[str, np.ndarray]
_UNKNOWN = np.nan  # stands, between workers, for a split without a no-information error


@dataclass(frozen=True, slots=True)
class Learning:
    """A learner, the data and the loss: what a fit depends on besides its split."""

    name: str
    learner: Learner
    data: Data
    loss: Loss


def run_design(
    learning: Learning, design: Design, seed: int, start: int, stop: int
) -> tuple[Arrays, tuple[Caution, ...]]:
    """Fit and test on the splits from ``start`` to ``stop``; cautions are what the learner said.

    Raises
    ------
    EvaluationError
        As ``run_splits``; the message says that it was an extra fit.
    """
    losses: list[np.ndarray] = []
    gamma: list[float] = []
    said: Counter[Caution] = Counter()
    splits = design.splits(rows_of(learning.data), seed, start=start, stop=stop)
    for some in stretches(splits):
        found: list[tuple[np.ndarray, float]] = [(np.empty(0), _UNKNOWN)] * len(some)
        for is_apparent in (True, False):
            places = [at for at, one in enumerate(some) if (one.label == APPARENT) is is_apparent]
            outcomes = _outcomes(learning, [some[at] for at in places], seed, keep=is_apparent)
            for at, outcome in zip(places, outcomes, strict=True):
                found[at] = outcome.losses, _gamma(learning, outcome) if is_apparent else _UNKNOWN
                said.update(outcome.cautions)
        losses += [of_split for of_split, _ in found]
        gamma += [of_split for _, of_split in found]
    arrays = {
        "losses": np.concatenate([np.empty(0), *losses]),
        "n_test": np.array([len(part) for part in losses], dtype=np.intp),
        "no_information": np.array(gamma),
    }
    return arrays, tuple(said)


def _outcomes(
    learning: Learning, splits: Sequence[Split], seed: int, *, keep: bool
) -> Sequence[SplitOutcome]:
    """Return the outcomes of splits that are run together.

    A learner that predicts many in one pass needs as long for a few of them as for one.
    """
    try:
        return run_splits(
            learning.name,
            learning.learner,
            learning.data,
            splits,
            learning.loss,
            seed,
            keep_predictions=keep,
        )
    except EvaluationError as error:
        error.message = f"in an extra fit, {error.message}"
        raise


def _gamma(learning: Learning, outcome: SplitOutcome) -> float:
    assert outcome.output is not None  # noqa: S101 - predictions of apparent splits are kept
    predictions = Predictions(
        output=outcome.output, probabilities=outcome.probabilities, scores=outcome.scores
    )
    return no_information_error(learning.loss, learning.data.y[outcome.test], predictions)


def fits_of(data: Data, seed: int, parts: Sequence[Mapping[str, np.ndarray]]) -> Fits:
    """Put the parts of one learner and one design together, in the order of the splits."""
    losses: list[np.ndarray] = []
    gamma: list[float | None] = []
    for part in parts:
        if len(part["n_test"]) > 0:  # a stretch of a design's places may be empty
            losses.extend(np.split(part["losses"], np.cumsum(part["n_test"])[:-1]))
        gamma.extend(None if np.isnan(g) else float(g) for g in part["no_information"])
    return Fits(rows=rows_of(data), seed=seed, losses=tuple(losses), no_information=tuple(gamma))
