"""What the random numbers of learners add to the variance of their mean losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.analyses.losses.optional_results import SeedPlan, SeedVariance
from thetahat.analyses.losses.result import Comparison, EvaluationResult, ModelResult
from thetahat.cross_validation import Outcomes
from thetahat.cross_validation.seeds import average_seeds, compute_split_means
from thetahat.errors import UnsupportedCombination
from thetahat.intervals.base import Interval
from thetahat.values.number_text import format_count, format_number
from thetahat.values.types import FloatArray


def refuse_beside_seeds(seeds: int, **others: object) -> None:
    """Raise ``UnsupportedCombination`` for what needs the predictions or fits of one training.

    ``others`` are fields of the request; those that are None, False or empty are left out.
    """
    if seeds == 1:
        return
    for name, value in others.items():
        if value:
            raise UnsupportedCombination(
                f"{name} does not go with several seeds: it is about single trainings, and the "
                "losses are means over several. Leave one of the two out.",
                loc=(name,),
            )


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """The trainings of all learners."""

    means: Mapping[str, FloatArray]
    """(S, J) mean loss of each training on each split, by learner; S is 1 for a learner that draws
    none."""

    @classmethod
    def build(cls, trainings: Mapping[str, Sequence[Outcomes]]) -> Seeds:
        """Return the trainings of the learners that ran."""
        return cls({name: compute_split_means(runs) for name, runs in trainings.items()})

    def describe(
        self, result: EvaluationResult
    ) -> tuple[dict[str, ModelResult], tuple[Comparison, ...]]:
        """Return models and comparisons of a result with what random numbers add to each.

        Of a pair, training s of one learner is subtracted from training s of the other, so that
        random numbers that two learners share cancel out.
        """
        target = result.summary.target
        models = {
            name: replace(
                model,
                seeds=describe_seeds(self.means[name], _find_error(model.recommended.get(target))),
            )
            for name, model in result.models.items()
        }
        comparisons = tuple(
            replace(
                pair,
                seeds=describe_seeds(
                    self.means[pair.a] - self.means[pair.b],
                    _find_error(pair.interval),
                    (pair.a, pair.b),
                ),
            )
            for pair in result.comparisons
        )
        return models, comparisons


def _find_error(interval: Interval | None) -> float | None:
    return None if interval is None else interval.standard_error


def average_trainings(trainings: Mapping[str, Sequence[Outcomes]]) -> dict[str, Outcomes]:
    """Return the outcomes of learners with their mean losses over trainings."""
    return {name: average_seeds(runs) for name, runs in trainings.items()}


def describe_seeds(
    means: FloatArray, standard_error: float | None, pair: tuple[str, str] | None = None
) -> SeedVariance:
    """Return what random numbers add to the variance of a mean loss, or of a difference.

    Each split has trainings of its own, so the variance between them is estimated in each split and
    adds up over the J splits: V = sum_j s_j^2 / J^2 with one training, V / S with S.

    Parameters
    ----------
    means : ndarray of float
        (S, J) mean loss, or difference of two, of each training on each split.
    standard_error : float or None
        That of the mean over all trainings, as its interval has it.
    pair : tuple of str or None
        The two learners whose difference it is; None for the mean loss of one learner.

    Deviations: more data are taken to leave the variance between trainings as it is.
    """
    n_seeds, n_splits = means.shape
    value = "mean loss" if pair is None else f"difference of {pair[0]} and {pair[1]}"
    if n_seeds == 1:
        sentence = "The learner draws no random numbers, so it is trained once on each split."
        if pair is not None:
            sentence = f"Neither {pair[0]} nor {pair[1]} draws random numbers."
        return SeedVariance(seeds=1, draws=False, sentence=sentence)
    variance = float(np.sum(np.var(means, axis=0, ddof=1))) / n_splits**2
    found = SeedVariance(
        seeds=n_seeds,
        draws=True,
        variance=variance,
        degrees_of_freedom=n_splits * (n_seeds - 1),
        sentence="",
    )
    if variance == 0:
        return replace(
            found,
            share=None if not standard_error else 0.0,
            sentence=f"All {n_seeds} trainings give the same {value} on every split: one "
            "is enough.",
        )
    start = (
        f"With one training on each split, random numbers alone would give the {value} a "
        f"standard error of {format_number(math.sqrt(variance))}"
    )
    if not standard_error:
        return replace(found, sentence=f"{start}; there is no interval to compare it with.")
    of_seeds, total = variance / n_seeds, standard_error**2
    share = of_seeds / total
    of_data = max(0.0, total - of_seeds)
    plans = (
        SeedPlan(seeds=2 * n_seeds, times_data=1, standard_error=math.sqrt(of_data + of_seeds / 2)),
        SeedPlan(seeds=n_seeds, times_data=2, standard_error=math.sqrt(of_data / 2 + of_seeds)),
    )
    best = "seeds" if plans[0].standard_error < plans[1].standard_error else "data"
    percent = f"{float(f'{100 * share:.2g}'):g} %" if share < 1 else "all"
    return replace(
        found,
        share=share,
        plans=plans,
        sentence=f"{start}. With {format_count(n_seeds)} they make up {percent} of its variance: "
        f"twice the seeds would bring the standard error from {format_number(standard_error)} to "
        f"{format_number(plans[0].standard_error)}, twice the data to about "
        f"{format_number(plans[1].standard_error)}, so more {best} help more.",
    )
