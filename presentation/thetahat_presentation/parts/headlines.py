"""The verdict on an evaluation of models in one short sentence, from the summary of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from thetahat_presentation.document import Json
from thetahat_presentation.numbers import format_estimate, format_interval, format_level
from thetahat_presentation.wording import join_words, list_names

MOST_OF_ALL_PAIRS: Final = 8
"""Largest number of models of which the headline names pairs; of more, it has the best mean and how
many are tied with it."""
SELECTED: Final = "selected"
"""The name of what a selection chooses, among the models of its result."""
MIRRORED: Final = {"better": "worse", "worse": "better"}
SENTENCES: Final = {
    "better": "{name} is better than {others}",
    "equivalent": "{name} and {others} are equivalent",
    "slightly_better": "{name} is equivalent to {others}, and better by less than the margin",
    "not_worse": "{name} is not worse than {others}",
    "undecided": "It is not clear whether {name} is better than {others}",
    "worse": "{name} is worse than {others}",
}
COUNTS: Final = {
    "better": "better than {} of the others",
    "equivalent": "equivalent to {}",
    "not_worse": "not worse than {}",
    "undecided": "not shown to differ from {}",
    "worse": "worse than {}",
}


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two models, and the decision on a beside b."""

    a: str
    b: str
    decision: str
    also: Sequence[str] = ()
    """What else is shown of them."""


def write_headline(summary: Json, comparisons: Sequence[ComparedPair]) -> str:
    """Return how the best model compares with the others, in one or a few sentences.

    ``summary`` is that of a result, and ``comparisons`` are all its comparisons; the summary has
    only the first ones of many models.
    """
    best, models = summary["best_model"], summary["models"]
    if len(models) < 2:
        return _describe_one(summary, models[0], models[0]["name"]) if models else ""
    by_decision: dict[str, list[str]] = {}
    for comparison in comparisons:
        if best in {comparison.a, comparison.b}:
            decision, other = _orient_decision(best, comparison)
            shown = "better" if comparison.a == best else "worse"
            if decision == "equivalent" and shown in comparison.also:
                decision = "slightly_better"
            by_decision.setdefault(decision, []).append(other)
    order = {model["name"]: place for place, model in enumerate(models)}
    parts = [
        sentence.format(name=best, others=_list_ranked(by_decision[decision], order))
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


def count_decisions(summary: Json, comparisons: Sequence[ComparedPair]) -> str:
    """Return how many of many models the best one is better than, and tied with."""
    best = summary["best_model"]
    decisions = [_orient_decision(best, pair)[0] for pair in comparisons]
    counts = [(words, decisions.count(decision)) for decision, words in COUNTS.items()]
    return f"{best} is {join_words([words.format(n) for words, n in counts if n])}."


def find_verdict(best: str, comparisons: Sequence[ComparedPair]) -> str | None:
    """Return the decision on the best model and the others, ``mixed`` if it differs among them.

    None if the best model is compared with no other.
    """
    decisions = {
        _orient_decision(best, pair)[0] for pair in comparisons if best in {pair.a, pair.b}
    }
    if len(decisions) > 1:
        return "mixed"
    return next(iter(decisions), None)


def describe_selected(summary: Json) -> str:
    """Return the error of the learner that a selection chooses, from the external splits."""
    return _describe_one(summary, summary["models"][0], "the learner that is chosen")


def describe_best(summary: Json) -> str:
    """Return the mean of the best of several models; empty where the headline has the numbers."""
    models = summary["models"]
    if not 1 < len(models) <= MOST_OF_ALL_PAIRS:
        return ""
    return _describe_one(summary, models[0], models[0]["name"])


def is_choice(summary: Json) -> bool:
    """Return whether a summary is about what a selection chooses, and about nothing else."""
    return [model["name"] for model in summary["models"]] == [SELECTED]


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


def _list_ranked(names: Sequence[str], order: Mapping[str, int]) -> str:
    return list_names(sorted(names, key=lambda name: order.get(name, len(order))))


def _describe_one(summary: Json, model: Json, name: str) -> str:
    quantity = "mean score" if summary.get("better") == "higher" else "mean loss"
    subject = f"The {quantity} of {name} is"
    lower, upper = model["lower"], model["upper"]
    if lower is None or upper is None:
        return f"{subject} {format_estimate(model['estimate'], None)}."
    estimate, ends = format_interval(model["estimate"], lower, upper)
    return f"{subject} {estimate} ({format_level(summary['level'])} interval {ends})."
