"""What is shown first of a result that compares models: verdict, one table, what is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat_presentation.document import Bar, Caution, Cell, Findings, Json, Name, Number, Table
from thetahat_presentation.numbers import format_count, format_ends, format_p_value
from thetahat_presentation.parts.cautions import group_cautions, split_failures
from thetahat_presentation.parts.costs import describe_costs, name_cost, write_cost
from thetahat_presentation.parts.groups import describe_groups
from thetahat_presentation.parts.judge import describe_judge
from thetahat_presentation.parts.model_table import (
    MOST_MODELS,
    describe_ranks,
    describe_size,
    explain_intervals,
    find_groups,
)
from thetahat_presentation.parts.models import (
    ModelsResult,
    build_interval,
    find_error,
    find_recommended,
)
from thetahat_presentation.parts.pair_matrix import tabulate_matrix
from thetahat_presentation.parts.probabilities import describe_probabilities
from thetahat_presentation.parts.test_sets import describe_test_set
from thetahat_presentation.wording import capitalise

ROOM: Final = 0.15
"""Share of the scale that is left beyond the numbers where an interval is open."""
TESTS: Final = ("iman_davenport", "friedman", "quade", "aligned_ranks", "nemenyi")
"""Tests of all models, the one that is named first where it is in a result."""


def find_about_models(shown: ModelsResult, cautions: Sequence[Caution]) -> Findings:
    """Return the findings of a result with models.

    ``cautions`` are all cautions of the document, the serious ones first.
    """
    failures, others = split_failures(cautions)
    about_verdicts = group_cautions(shown.iterate_verdict_cautions(), list(shown.models))
    doubts = [each for each in split_failures(about_verdicts)[1] if each.severity != "info"]
    serious = [each for each in others if each.severity == "serious"]
    is_serious = bool(doubts) and doubts[0].severity == "serious"
    caution = next(iter(doubts if is_serious else [*serious, *doubts]), None)
    if caution is not None:  # the same words wherever it is shown
        code = caution.code
        caution = next((each for each in others if each.code == code), caution)
    says_limit = caution is not None and caution.code == "no_training_variance"
    return Findings(
        verdict=_write_verdict(shown),
        tables=[_tabulate(shown)],
        sentences=[
            *describe_costs(shown),
            *_describe_test(shown),
            *describe_judge(shown),
            *describe_groups(shown),
            *describe_test_set(shown.result),
            *describe_probabilities(shown),
        ],
        caution=caution,
        limit="" if says_limit else shown.describe_limit(),
        next_step=_describe_next_step(shown),
        failures=failures,
        matrix=tabulate_matrix(shown),
    )


def _write_verdict(shown: ModelsResult) -> str:
    """Return the verdict with its question; of a single pair with its difference, interval and p.

    Without them where the sentence of a gate has them.
    """
    reasons = [reason for reason, _ in shown.list_verdicts()]
    # A result of an earlier release may have verdicts, but nothing that a headline is made of.
    whole = shown.write_verdict() or next(iter(reasons), "")
    if len(shown.comparisons) != 1 or len(shown.names) != 2:
        return whole
    gate = str((shown.result.get("gate") or {}).get("sentence", ""))
    return whole if not reasons or reasons[0] in gate else " ".join(reasons)


def _tabulate(shown: ModelsResult) -> Table:
    """Return each model with its mean, its interval for the verdict's question, and its rank."""
    target = shown.main_target
    names = shown.names[:MOST_MODELS]
    found = [find_recommended(shown.models[name]).get(str(target)) for name in names]
    intervals: Sequence[Json] = [interval or {} for interval in found]
    means = [shown.models[name].get("mean", {}).get("macro") for name in names]
    points = [each.get("estimate", mean) for each, mean in zip(intervals, means, strict=True)]
    drawn = [each.get(end) for each in intervals for end in ("lower", "upper")]
    start, stop = _find_scale(intervals, points)
    heading, places = _place_models(shown)
    has_bars = any(end is not None for end in drawn)
    quantity = capitalise(shown.quantity)
    cost = name_cost(shown)
    rows: list[dict[str, Cell]] = []
    for name, interval, point in zip(names, intervals, points, strict=True):
        row: dict[str, Cell] = {"Model": Name(name), quantity: Number(point, find_error(interval))}
        row[f"{shown.level} interval".strip()] = build_interval(interval)
        if has_bars:
            low, high = interval.get("lower"), interval.get("upper")
            row[f"From {format_ends(start, stop)}"] = Bar(low, high, point, start, stop)
        if cost:
            row[cost] = write_cost(shown.models[name])
        if heading:
            row[heading] = places[name]
        rows.append(row)
    notes = []
    if len(shown.names) > len(names):
        notes.append(f"{format_count(len(shown.names) - len(names))} more models follow these.")
    if has_bars and shown.comparisons:
        notes.append(explain_intervals(shown))
    caption = f"{quantity} {shown.about(target)}".strip()
    if size := describe_size(shown):
        caption += f" ({size})"
    return Table.of_rows(caption, rows, notes)


def _find_scale(intervals: Sequence[Json], points: Sequence[float | None]) -> tuple[float, float]:
    """Return the ends of the drawing of all intervals, with room beyond where one is open."""
    ends = [each.get(end) for each in intervals for end in ("lower", "upper")]
    present = [end for end in (*ends, *points) if end is not None] or [0.0]
    start, stop = min(present), max(present)
    room = ROOM * (stop - start)
    is_open = [
        any(each and each.get(end) is None for each in intervals) for end in ("lower", "upper")
    ]
    return start - room * is_open[0], stop + room * is_open[1]


def _place_models(shown: ModelsResult) -> tuple[str, Mapping[str, str]]:
    """Return a heading with the ranks or the letters of models; an empty one without either."""
    if ranks := shown.ranking.get("ranks"):
        return "Rank", {name: describe_ranks(ranks.get(name)) for name in shown.models}
    letters, _ = find_groups(shown)
    return ("Group" if letters else ""), letters


def _describe_test(shown: ModelsResult) -> list[str]:
    """Return one test of all models at once, about the question of the verdicts if one is."""
    tests: Mapping[str, Json] = shown.result.get("omnibus") or {}
    listed = [name for name in (*TESTS, *tests) if name in tests]
    about = [name for name in listed if tests[name]["target"] == shown.main_target]
    for name in (about or listed)[:1]:
        written = _write_p_value(tests[name]["p_value"])
        target = tests[name]["target"]
        question = "as trained" if target == "these_models" else shown.about(target)
        method = shown.head_method(name)
        models = f"all {len(shown.names)} models are equal {question}"
        return [f"Test that {models}: {written} ({method})."]
    return []


def _write_p_value(p_value: float | None) -> str:
    written = format_p_value(p_value)
    return f"p {written}" if written.startswith("<") else f"p = {written}"


def _describe_next_step(shown: ModelsResult) -> str:
    """Return what would settle whether the best model is better than another one."""
    rivals = [name for name in shown.names if name != shown.reference]
    by_names = {frozenset({pair["a"], pair["b"]}): pair for pair in shown.comparisons}
    found = [by_names.get(frozenset({shown.reference, name})) for name in rivals]
    undecided = [
        (pair, verdict)
        for pair in found
        if pair is not None
        for verdict in (pair["verdict"], *(pair.get("other_verdicts") or {}).values())
        if verdict["decision"] == "undecided"
    ]
    for pair, verdict in undecided:
        plan = verdict.get("plan") or {}
        if plan.get("sentence"):
            names = f", {pair['a']} and {pair['b']}" if len(rivals) > 1 else ""
            return f"Next{names}: {plan['sentence']}"
    if undecided and shown.margin is None:
        return (
            "Next: name a margin, the largest difference that does not matter. Then models can be "
            "shown to be equivalent."
        )
    return ""
