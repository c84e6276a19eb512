"""The differences of pairs of models, and the verdict on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from thetahat_presentation.document import Cell, Interval, Json, Number, Pair, PValue, Table
from thetahat_presentation.numbers import format_count, format_level, format_number
from thetahat_presentation.parts.models import ModelsResult, build_interval
from thetahat_presentation.wording import name_correction

MOST_PAIRS: Final = 45
"""Pairs that one table has; of more it has those of the best model, or of the control."""
MOST_FIRST_PAIRS: Final = 15
"""Pairs that a terminal shows; of more it shows ``FIRST_PAIRS``."""
FIRST_PAIRS: Final = 8
MOST_MORE_PAIRS: Final = 200
"""Pairs without the best model that a table lists; the result as JSON has all."""
DECISIONS: Final = {
    "better": "one model is better",
    "worse": "one model is better",
    "equivalent": "the models are equivalent",
    "not_worse": "one model is not worse",
    "undecided": "it is not clear which is better",
}
"""What is counted of many pairs."""


def _count_first(shown: ModelsResult) -> int:
    """Return how many pairs the first table has: all, or of many those with the reference."""
    if len(shown.pairs) <= MOST_PAIRS:
        return len(shown.pairs)
    return sum(shown.reference in {pair["a"], pair["b"]} for pair in shown.pairs)


def list_first_pairs(shown: ModelsResult) -> Sequence[Json]:
    """Return the pairs of the first table."""
    return shown.pairs[: _count_first(shown)]


def tabulate_pairs(shown: ModelsResult) -> Table:
    """Return the difference of each pair; of many pairs only of those with the reference."""
    first = list_first_pairs(shown)
    side = "above" if shown.higher_is_better else "below"
    sign = f"{side} 0, the first model is better."
    notes = [f"A difference is the first {shown.quantity} minus the second; {sign}"]
    if shown.margin is not None:
        notes.append(
            f"The margin is {format_number(shown.margin)}: smaller differences do not matter."
        )
    if any(pair.get("is_beyond_margin") for pair in shown.comparisons):
        notes.append("“By more than the margin” allows for the number of pairs.")
    notes += _describe_correction(shown)
    caption = "Difference of each pair"
    n_corrected = shown.ranking.get("n_pairs", 0)
    if len(first) < len(shown.pairs) or n_corrected > len(shown.pairs):
        caption = f"Difference of {shown.reference} and each other model"
    if len(first) < len(shown.pairs):
        notes.append(_count_decisions(shown))
    table = _tabulate_differences(shown, caption, first, notes)
    is_long = len(first) > MOST_FIRST_PAIRS
    return replace(table, n_first=FIRST_PAIRS) if is_long else table


def _describe_correction(shown: ModelsResult) -> list[str]:
    """Return what the intervals allow for, and the smallest difference that can be seen."""
    intervals = [pair["interval"] for pair in shown.pairs if pair["interval"]]
    n_pairs = next(filter(None, (each.get("simultaneous_pairs") for each in intervals)), None)
    if n_pairs is None:
        return []
    notes = [f"The intervals hold for all {format_count(n_pairs)} pairs at once."]
    ranking = shown.ranking
    if ranking.get("is_best") and n_pairs > len(shown.pairs):
        notes[0] = (
            f"The intervals hold for all {format_count(n_pairs)} pairs of models at once, so also "
            "for the best."
        )
    if ranking.get("smallest_gap") is not None:
        gap = float(f"{ranking['smallest_gap']:.2g}")
        notes.append(
            f"A difference of {format_number(gap)} from "
            f"{ranking['compared_with']} is shown by data like these with a probability of "
            f"{format_level(ranking['power'])}."
        )
    return notes


def tabulate_more_pairs(shown: ModelsResult) -> Table:
    """Return the pairs without the reference, where the first table leaves them out."""
    further = shown.pairs[_count_first(shown) :]
    notes = ["The largest differences are first."]
    left_out = len(further) - MOST_MORE_PAIRS
    if left_out > 0:
        notes.append(f"{format_count(left_out)} more pairs are in the result as JSON.")
    caption = "Difference of each other pair"
    return _tabulate_differences(shown, caption, further[:MOST_MORE_PAIRS], notes)


def _head_corrected(shown: ModelsResult) -> str:
    """Return the heading of corrected p-values."""
    name = shown.correction
    return f"p ({name_correction(name)})" if name else "p, corrected"


def _tabulate_differences(
    shown: ModelsResult, caption: str, pairs: Sequence[Json], notes: Sequence[str]
) -> Table:
    target = next((p["interval"]["target"] for p in shown.pairs if p["interval"]), None)
    is_corrected = shown.correction != "none" and any(
        pair["verdict"].get("p_value_adjusted") is not None for pair in shown.comparisons
    )
    other = shown.other_target
    columns = ["Pair", "Difference", f"{shown.level} interval".strip(), "Verdict"]
    columns.append(_head_corrected(shown) if is_corrected else "p")
    columns += [f"Verdict {shown.about(other)}"] * (other is not None)
    return Table(
        caption=f"{caption} {shown.about(target)}".strip(),
        columns=columns,
        rows=[_describe_pair(pair, other, is_corrected=is_corrected) for pair in pairs],
        notes=notes,
    )


def _describe_pair(pair: Json, other: str | None, *, is_corrected: bool) -> list[Cell]:
    """Return the cells of a pair, with the better model first where one is better."""
    a, b = pair["a"], pair["b"]
    verdict = pair["verdict"]
    decision = verdict["decision"]
    interval: Json | None = pair["interval"]
    estimate = pair["difference"] if interval is None else interval["estimate"]
    ends = build_interval(interval)
    if decision == "worse":
        a, b, decision = b, a, "better"
        estimate = None if estimate is None else -estimate
        ends = Interval(_negate(ends.upper), _negate(ends.lower), ends.standard_error)
    words = word_verdict(decision, a, b)
    if decision == "better" and pair.get("is_beyond_margin"):
        words += ", and by more than the margin"
    p_value = verdict.get("p_value_adjusted" if is_corrected else "p_value")
    cells: list[Cell] = [Pair(a, b), Number(estimate, ends.standard_error), ends, words]
    cells.append(PValue(p_value))
    if other is not None:
        decided = pair["other_verdicts"][other]["decision"]
        cells.append(word_verdict(decided, pair["a"], pair["b"]))
    return cells


def _count_decisions(shown: ModelsResult) -> str:
    counts: dict[str, int] = {}
    for pair in shown.comparisons:
        words = DECISIONS.get(pair["verdict"]["decision"], "")
        counts[words] = counts.get(words, 0) + 1
    order = dict.fromkeys(DECISIONS.values())
    phrases = [f"in {counts[words]} {words}" for words in order if words in counts]
    return f"Of all {format_count(len(shown.comparisons))} comparisons, {'; '.join(phrases)}."


def word_verdict(decision: str, a: str, b: str) -> str:
    """Return the decision on a beside b in words."""
    words = {
        "better": f"{a} is better",
        "worse": f"{b} is better",
        "not_worse": f"{a} is not worse than {b} by more than the margin",
    }
    return words.get(decision, decision.replace("_", " "))


def _negate(value: float | None) -> float | None:
    return None if value is None else -value
