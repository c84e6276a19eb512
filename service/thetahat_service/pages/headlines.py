"""The verdict on an evaluation in one short sentence, from the summary of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thetahat_service.figures.words import write_level
from thetahat_service.pages.texts import join_words, write_estimate

if TYPE_CHECKING:
    from thetahat_client.results import ModelSummaryDict, SummaryDict

MAX_NAMES: Final = 4
SELECTED: Final = "selected"
"""The name of what a selection chooses, among the models of its result."""
MIRRORED: Final = {"better": "worse", "worse": "better"}


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two models, and the decision on a beside b."""

    a: str
    b: str
    decision: str


def write_headline(summary: SummaryDict, comparisons: Sequence[ComparedPair] | None = None) -> str:
    """Return how the best model compares with the others, in one or a few sentences.

    Parameters
    ----------
    comparisons : sequence of ComparedPair or None
        All comparisons of the result; the summary has only the first ones of many models.
    """
    best, models = summary["best_model"], summary["models"]
    if comparisons is None:
        comparisons = [
            ComparedPair(pair["a"], pair["b"], pair["decision"]) for pair in summary["comparisons"]
        ]
    if len(models) < 2:
        return _describe_one(summary, models[0]) if models else ""
    by_decision: dict[str, list[str]] = {}
    for comparison in comparisons:
        if best in {comparison.a, comparison.b}:
            decision, other = _orient_decision(best, comparison)
            by_decision.setdefault(decision, []).append(other)
    order = {model["name"]: place for place, model in enumerate(models)}
    parts = [
        sentence.format(name=best, others=_list_names(by_decision[decision], order))
        for decision, sentence in SENTENCES.items()
        if decision in by_decision
    ]
    if not parts:
        return f"{best} has the best mean of {len(models)} models."
    # Results of earlier releases have no counts.
    left_out = sum(summary.get("decisions", {}).values()) - len(comparisons)
    if left_out > 0:
        parts.append(f"{left_out} more comparisons are in the result")
    return ". ".join(parts) + "."


SENTENCES: Final = {
    "better": "{name} is better than {others}",
    "equivalent": "{name} and {others} are equivalent",
    "not_worse": "{name} is not worse than {others}",
    "undecided": "It is not clear whether {name} is better than {others}",
    "worse": "{name} is worse than {others}",
}


def _orient_decision(best: str, comparison: ComparedPair) -> tuple[str, str]:
    """Return the decision on the best model and the other model of a comparison.

    ``not_worse`` is about a alone: of b nothing is shown by it.
    """
    decision = comparison.decision
    if comparison.a == best:
        return decision, comparison.b
    if decision == "not_worse":
        return "undecided", comparison.a
    return MIRRORED.get(decision, decision), comparison.a


def _list_names(names: Sequence[str], order: Mapping[str, int]) -> str:
    """Return names, the best first; of many the first ones and how many more there are."""
    ranked = sorted(names, key=lambda name: order.get(name, len(order)))
    if len(ranked) <= MAX_NAMES:
        return join_words(ranked)
    shown = ranked[: MAX_NAMES - 1]
    return join_words([*shown, f"{len(ranked) - len(shown)} others"])


def describe_selected(summary: SummaryDict) -> str:
    """Return the error of the learner that a selection chooses, from the external splits."""
    sentence = _describe_one(summary, summary["models"][0])
    return sentence.replace(f"of {SELECTED} is", "of the learner that is chosen is", 1)


def _describe_one(summary: SummaryDict, model: ModelSummaryDict) -> str:
    quantity = "mean score" if summary.get("better") == "higher" else "mean loss"
    subject = f"The {quantity} of {model['name']} is"
    lower, upper = model["lower"], model["upper"]
    if lower is None or upper is None:
        return f"{subject} {write_estimate(model['estimate'], None)}."
    error = (upper - lower) / 4  # about one standard error, which decides on the digits
    low, high = write_estimate(lower, error), write_estimate(upper, error)
    level = write_level(summary["level"])
    estimate = write_estimate(model["estimate"], error)
    return f"{subject} {estimate} ({level} interval {low} to {high})."
