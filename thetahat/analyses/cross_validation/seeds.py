"""What the random numbers of learners add to the variance of their mean losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.analyses.losses.optional_results import SeedPlan, SeedsOfModel
from thetahat.analyses.losses.result import EvaluationResult, ModelResult
from thetahat.cross_validation import Outcomes
from thetahat.cross_validation.seeds import average_seeds, compute_split_means
from thetahat.errors import UnsupportedCombination
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
    """The trainings of all learners.

    Parameters
    ----------
    means : mapping of str to ndarray
        (S, J) mean loss of each training on each split, by learner; S is 1 for a learner that draws
        none.
    """

    means: Mapping[str, FloatArray]

    @classmethod
    def build(cls, trainings: Mapping[str, Sequence[Outcomes]]) -> Seeds:
        """Return the trainings of the learners that ran."""
        return cls({name: compute_split_means(runs) for name, runs in trainings.items()})

    def describe(self, result: EvaluationResult) -> dict[str, ModelResult]:
        """Return the models of a result with what their random numbers add."""
        target = result.summary.target
        described = {}
        for name, model in result.models.items():
            interval = model.recommended.get(target)
            error = None if interval is None else interval.standard_error
            described[name] = replace(model, seeds=describe_seeds(self.means[name], error))
        return described


def average_trainings(trainings: Mapping[str, Sequence[Outcomes]]) -> dict[str, Outcomes]:
    """Return the outcomes of learners with their mean losses over trainings."""
    return {name: average_seeds(runs) for name, runs in trainings.items()}


def describe_seeds(means: FloatArray, standard_error: float | None) -> SeedsOfModel:
    """Return what the random numbers of one learner add to the variance of its mean loss.

    Each split has trainings of its own, so the variance between them is estimated in each split and
    adds up over the J splits: V = sum_j s_j^2 / J^2 with one training, V / S with S.

    Parameters
    ----------
    means : ndarray of float
        (S, J) mean loss of each training on each split.
    standard_error : float or None
        That of the mean loss over all trainings, as its interval has it.

    Deviations: more data are taken to leave the variance between trainings as it is.
    """
    n_seeds, n_splits = means.shape
    if n_seeds == 1:
        return SeedsOfModel(
            seeds=1,
            draws=False,
            sentence="The learner draws no random numbers, so it is trained once on each split.",
        )
    variance = float(np.sum(np.var(means, axis=0, ddof=1))) / n_splits**2
    found = SeedsOfModel(
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
            sentence=f"All {n_seeds} trainings give the same mean loss on every split: one is "
            "enough.",
        )
    start = (
        f"With one training on each split, random numbers alone would give the mean loss a "
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
