"""The means of models, with what their intervals are about and how they are built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, Table
from thetahat_presentation.numbers import format_count, format_number, format_percent
from thetahat_presentation.parts.models import (
    ModelsResult,
    build_interval,
    find_error,
    find_recommended,
)
from thetahat_presentation.targets import explain_target, name_target
from thetahat_presentation.wording import capitalise, find_block_word, name_method

MOST_MODELS: Final = 15
"""Models that the table of the findings has; the others are in the table of all models."""

BEST_FIRST: Final = "The best model is first."
ABOUT_RANKS: Final = (
    "Rank: the ranks that fit what is shown, and how many models share them (ties)."
)
"""Notes that the rest of the table does not need."""


def tabulate_models(shown: ModelsResult) -> Table:
    """Return the means of each model with its interval for each target."""
    has_prediction = any(model.get("prediction") for model in shown.models.values())
    has_pooled = _has_pooled_mean(shown)
    sizes = {(model.get("n"), model.get("blocks")) for model in shown.models.values()}
    letters, letters_note = find_groups(shown)
    quantity = capitalise(shown.quantity)
    ranks = shown.ranking.get("ranks") or {}
    rows: list[dict[str, Cell]] = []
    for name in shown.names:
        model = shown.models[name]
        recommended = find_recommended(model)
        first = (recommended[each] for each in shown.targets if recommended.get(each))
        error = find_error(next(first, None))
        mean = model.get("mean", {})
        row: dict[str, Cell] = {"Model": Name(name), quantity: Number(mean.get("macro"), error)}
        if has_pooled:
            row["Pooled mean"] = Number(mean.get("pooled"), error)
        for target in shown.targets:
            row[f"Interval {shown.about(target)}"] = build_interval(recommended.get(target))
        if has_prediction:
            row[f"One more {shown.unit}"] = build_interval(model.get("prediction"))
        if ranks:
            row["Rank (ties)"] = _count_ties(ranks.get(name))
        if letters:
            row["Groups"] = letters[name]
        if len(sizes) > 1:
            row["Instances"] = Number(model.get("n"))
        rows.append(row)
    notes = [*_list_notes(shown, has_pooled=has_pooled, has_prediction=has_prediction)]
    level = f" ({shown.level} intervals)" if shown.targets and shown.level else ""
    notes += [letters_note] if letters else []
    caption = f"{quantity} of each model{level}"
    table = Table.of_rows(caption, rows, notes)
    others = f"Other numbers of each model{level}"
    return replace(table, said=_list_said(shown, quantity), rest_caption=others)


def _list_said(shown: ModelsResult, quantity: str) -> frozenset[str]:
    """Return the headings of what the table of the findings has of every model."""
    if len(shown.names) > MOST_MODELS:
        return frozenset()
    main = str(shown.main_target)
    centres = [
        ((find_recommended(model).get(main) or {}).get("estimate"), model["mean"].get("macro"))
        for model in shown.models.values()
        if "mean" in model
    ]
    said = {f"Interval {shown.about(main)}", "Rank (ties)", BEST_FIRST, ABOUT_RANKS}
    is_same = all(centre is None or centre == mean for centre, mean in centres)
    return frozenset({*said, quantity} if is_same else said)


def describe_ranks(rank: Json | None) -> str:
    """Return the ranks that a model can have; nothing where it has none."""
    if rank is None:
        return ""
    best, worst = rank["best"], rank["worst"]
    return f"{best}" if best == worst else f"{best} to {worst}"


def _count_ties(rank: Json | None) -> str:
    """Return the ranks that a model can have, and the number of models it is tied with."""
    return "" if rank is None else f"{describe_ranks(rank)} ({rank['ties']})"


def _has_pooled_mean(shown: ModelsResult) -> bool:
    """Return whether the mean over instances differs from that over blocks for some model."""
    means = [model.get("mean", {}) for model in shown.models.values()]
    return any(
        mean.get("pooled") is not None
        and format_number(mean.get("macro")) != format_number(mean["pooled"])
        for mean in means
    )


def _list_notes(shown: ModelsResult, *, has_pooled: bool, has_prediction: bool) -> Iterator[str]:
    if len(shown.names) > 1:
        yield BEST_FIRST
        if shown.targets:
            yield explain_intervals(shown)
    if shown.ranking.get("ranks"):
        yield ABOUT_RANKS
    if size := describe_size(shown):
        yield f"{size}."
    if has_pooled:
        word = find_block_word(shown.result)
        yield (
            f"The {shown.quantity} gives each {word} the same weight, the pooled mean each "
            "instance."
        )
    if has_prediction:
        yield (
            f"The column for one more {shown.unit} is where the mean of a single new "
            f"{shown.unit} will lie. It is wider than an interval for the average over all."
        )
    for target in shown.targets:
        yield _describe_intervals(shown, target)


def explain_intervals(shown: ModelsResult) -> str:
    """Return that each interval holds by itself, and what that of the best model leaves out."""
    n_models = format_count(len(shown.names))
    return (
        "Each interval is of one model alone: two that overlap may still differ. That of "
        f"{shown.best} is not corrected for the choice of the best of {n_models} models."
    )


def describe_size(shown: ModelsResult) -> str:
    """Return how much data all models were tested on; nothing where they differ."""
    sizes = {(model.get("n"), model.get("blocks")) for model in shown.models.values()}
    n, blocks = next(iter(sizes)) if len(sizes) == 1 else (None, None)
    if n is None or blocks is None:
        return ""
    word = find_block_word(shown.result, blocks)
    return f"{format_count(n)} instances in {format_count(blocks)} {word}"


def _describe_intervals(shown: ModelsResult, target: str) -> str:
    """Return what the intervals for a target mean, and how they are built."""
    found = [find_recommended(model).get(target) for model in shown.models.values()]
    intervals = [interval for interval in found if interval is not None]
    by_method: dict[tuple[object, ...], list[Json]] = {}
    for interval in intervals:
        key = tuple(interval.get(field) for field in ("method", "variance", "mean"))
        by_method.setdefault(key, []).append(interval)
    methods = [_describe_method(alike, shown.quantity) for alike in by_method.values()]
    value = "score" if shown.higher_is_better else "loss"
    meaning = explain_target(target, value, shown.sources)
    start = capitalise(name_target(target, shown.sources)) + (f" ({meaning})" if meaning else "")
    return f"{start}: {', or '.join(methods)}{_describe_coverage(intervals)}."


def find_groups(shown: ModelsResult) -> tuple[dict[str, str], str]:
    """Return the letters of each model's groups, and the note that explains them.

    Models that share a letter do not differ. The groups are those of the test that has a
    critical difference. Both are empty where no test has one, or there are more groups than
    letters.
    """
    for name, test in (shown.result.get("omnibus") or {}).items():
        diagram = test.get("diagram") or {}
        critical, groups = diagram.get("critical_difference"), diagram.get("groups")
        if critical is None or not groups or len(groups) > len(ascii_lowercase):
            continue
        letters = dict.fromkeys(shown.models, "")
        for letter, group in zip(ascii_lowercase, groups, strict=False):
            for model in group:
                letters[model] += letter
        score = diagram["score"].replace("_", " ")
        note = (
            "Groups: models that share a letter are not shown to differ by "
            f"{shown.name_method(name)} at {diagram['alpha']:g} (critical difference "
            f"{critical:.2f} of {score}); models without a letter differ from all others."
        )
        return letters, note
    return {}, ""


def _describe_method(alike: Sequence[Json], quantity: str) -> str:
    """Return the method of intervals that differ in their degrees of freedom at most.

    The mean with each block of the same weight is the one that the table is about.
    """
    interval = alike[0]
    words = f"{name_method(interval['method'])} interval"
    if interval.get("variance"):
        words += f" from the variance {name_method(interval['variance'])}"
    degrees = [d for other in alike if (d := other.get("degrees_of_freedom")) is not None]
    if degrees:
        ends = dict.fromkeys(f"{round(end, 1):g}" for end in (min(degrees), max(degrees)))
        words += f", {' to '.join(ends)} degrees of freedom"
    if mean := interval.get("mean"):
        words += f", about the {quantity if mean == 'macro' else f'{mean} mean'}"
    return words


def _describe_coverage(intervals: Sequence[Json]) -> str:
    """Return how often such intervals covered in the kept studies; empty if not studied.

    The studied intervals have two sides and one level: the share is not that of others.
    """
    studied = [
        expected["coverage"]
        for interval in intervals
        if (expected := interval.get("expected_coverage")) is not None
        and (expected["level"], "two_sided") == (interval["level"], interval["alternative"])
    ]
    shares = sorted({round(share, 3) for share in studied})
    if not shares:
        return ""
    ends = dict.fromkeys(format_percent(share) for share in (shares[0], shares[-1]))
    return f"; covers in {' to '.join(ends)} of simulated samples"
