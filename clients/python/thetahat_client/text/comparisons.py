"""The comparisons of many models, as a table around one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from thetahat_client.result_types import (
    AnyComparison,
    AnyInterval,
    ModelsResult,
    is_full_interval,
    list_comparisons,
)
from thetahat_client.text.model_order import find_best_model, sort_models
from thetahat_client.text.models import describe_target
from thetahat_client.text.page import (
    Page,
    format_difference,
    format_interval,
    format_level,
    format_p_value,
)
from thetahat_client.text.verdicts import list_verdicts

MOST_SENTENCES: Final = 6
"""Comparisons that are written as sentences; more of them become a table."""
MOST_PAIRS: Final = 8
"""Rows of the table of comparisons; the best models come first."""
REVERSED: Final = {"better": "worse", "worse": "better"}
PHRASES: Final = (
    ("better", "one model is better"),
    ("worse", ""),  # counted with the first
    ("equivalent", "the models are equivalent"),
    ("not_worse", "one model is not worse"),
    ("undecided", "it is not clear which is better"),
)


def write_comparisons(result: ModelsResult, page: Page, *, show_all: bool) -> str:
    """Return the verdicts as sentences or, for many pairs, as a table around one model.

    The table has the pairs of the best model or, where all were compared with a control, of that
    one. With ``show_all`` every pair has its sentence.
    """
    pairs = list_comparisons(result)
    if show_all or len(pairs) <= MOST_SENTENCES:
        return page.format_section("Verdicts", list_verdicts(result))
    return build_comparisons_table(result, pairs, page)


def build_comparisons_table(
    result: ModelsResult, pairs: Sequence[AnyComparison], page: Page
) -> str:
    """Return one row for each model that was compared with the reference, the best model first."""
    reference = _choose_reference(result, pairs)
    by_model = {}
    for pair in pairs:
        if reference in {pair["a"], pair["b"]}:
            by_model[pair["b"] if pair["a"] == reference else pair["a"]] = pair
    order = [name for name in sort_models(result) if name in by_model]
    shown = order[:MOST_PAIRS]
    header = [
        f"against {reference}",
        "difference",
        f"{_describe_intervals(by_model.values(), page)}",
        "p-value",
        "corrected",
        "verdict",
    ]
    rows = [_build_row(name, by_model[name]) for name in shown]
    notes = [f"difference: the model's mean minus that of {reference}"]
    if len(shown) < len(order):
        notes.append(f"and {len(order) - len(shown)} more models: {page.all_option}")
    if len(pairs) > len(by_model):
        notes.append(_count_decisions(pairs))
    return page.format_table(header, rows, notes)


def _choose_reference(result: ModelsResult, pairs: Sequence[AnyComparison]) -> str:
    """Return the control, if all models were compared with it alone, or else the best model."""
    controls = {pair["b"] for pair in pairs}
    return str(controls.pop()) if len(controls) == 1 else find_best_model(result)


def _build_row(name: str, pair: AnyComparison) -> list[str]:
    """Return the cells of a pair, as seen from the model ``name``."""
    is_first = pair["a"] == name
    interval, verdict = pair["interval"], pair["verdict"]
    difference: float | None = pair["difference"] if interval is None else interval["estimate"]
    sign = 1 if is_first else -1
    scale = max(
        (abs(end) for end in _format_ends(interval) if end is not None),
        default=None,
    )
    return [
        name,
        format_difference(None if difference is None else sign * difference, scale),
        format_interval(interval if is_first else _reverse(interval)),
        format_p_value(verdict["p_value"]),
        ""
        if verdict.get("p_value_adjusted") is None
        else format_p_value(verdict["p_value_adjusted"]),
        _write_decision(pair, is_first=is_first),
    ]


def _write_decision(pair: AnyComparison, *, is_first: bool) -> str:
    decision = str(pair["verdict"]["decision"])
    if is_first:
        return decision.replace("_", " ")
    if decision == "not_worse":
        return f"{pair['a']} not worse"
    return REVERSED.get(decision, decision)


def _format_ends(interval: AnyInterval | None) -> list[float | None]:
    return [] if interval is None else [interval.get("lower"), interval.get("upper")]


def _reverse(interval: AnyInterval | None) -> AnyInterval | None:
    """Return the interval of the difference with the models exchanged."""
    if interval is None:
        return None
    lower, upper = (None if end is None else -end for end in _format_ends(interval))
    exchanged = interval.copy()
    exchanged["lower"], exchanged["upper"] = upper, lower
    return exchanged


def _describe_intervals(pairs: Iterable[AnyComparison], page: Page) -> str:
    """Return the level and the target that the intervals share."""
    present: list[AnyInterval | None] = [pair["interval"] for pair in pairs]
    intervals = [interval for interval in present if interval is not None]
    targets = {interval["target"] for interval in intervals}
    levels = {interval["level"] for interval in intervals if is_full_interval(interval)}
    level = f"{format_level(levels.pop())}, " if len(levels) == 1 else ""
    return f"{level}{describe_target(targets.pop(), page)}" if len(targets) == 1 else "interval"


def _count_decisions(pairs: Sequence[AnyComparison]) -> str:
    counts = dict.fromkeys((decision for decision, _ in PHRASES), 0)
    for pair in pairs:
        counts[pair["verdict"]["decision"]] += 1
    counts["better"] += counts.pop("worse")
    phrases = [f"in {counts[name]} {phrase}" for name, phrase in PHRASES if counts.get(name)]
    return f"of all {len(pairs)} comparisons, {'; '.join(phrases)}"
