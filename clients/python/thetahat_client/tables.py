"""The parts of a result as text for people: means, recommended intervals, verdicts, cautions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

WIDTH: Final = 96
TARGETS: Final = {
    "these_sources": "these sources",
    "new_source": "a new source",
    "new_population": "the new population",
    "these_models": "these fitted models",
}
"""In the order in which they are shown."""

PREDICTION: Final = "prediction"


def models_table(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return one row per model: both means, and the recommended interval for each target.

    A prediction interval, which is for one new source's own mean, has a column of its own.
    """
    models: Mapping[str, Any] = result["models"]
    targets = _targets(models)
    level = _level(models)
    header = ["model", "macro mean", "pooled mean"]
    header += [f"{level}{TARGETS.get(t, t)}" for t in targets]
    predicted = {name: interval_of(model, PREDICTION) for name, model in models.items()}
    has_predictions = any(predicted.values())
    if has_predictions:
        header.append(f"{level}one new source's mean")
    rows = []
    for name, model in models.items():
        chosen = recommended(model)
        cells = [ends(chosen[t]) if t in chosen else "none" for t in targets]
        if has_predictions:
            cells.append(ends(predicted[name]))
        means = [number(model["mean"].get(kind)) for kind in ("macro", "pooled")]
        rows.append([name, *means, *cells])
    notes = [*_size(models), *_methods(models, targets)]
    return "\n".join([table(header, rows), *wrapped(notes, width, bullet="")])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns under their headings, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, ["-" * w for w in widths], *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def verdicts(result: Mapping[str, Any]) -> list[str]:
    """Return one sentence per pair of models, and what would settle an undecided one."""
    return [_verdict(pair["verdict"]) for pair in result.get("comparisons", [])]


def cautions(result: Mapping[str, Any]) -> list[str]:
    """Return the cautions of the result and of all that is shown of it, each once.

    What only the variances and intervals beside the recommended ones say is left out.
    """
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for who, about, caution in _shown_cautions(result):
        message = str(caution.get("message", caution.get("code")))
        alike = found.setdefault((str(caution.get("code")), about), {})
        names = alike.setdefault(message, [])
        if who and who not in names:
            names.append(who)
    return [_caution(about, alike) for (_, about), alike in found.items()]


def _caution(about: str, alike: Mapping[str, Sequence[str]]) -> str:
    """Return one sentence for cautions that differ in their numbers alone: the first one's."""
    message, names = next(iter(alike.items()))
    others = [name for more in list(alike.values())[1:] for name in more]
    subject = ", ".join(names) + (f" (and alike {', '.join(others)})" if others else "")
    words = ", ".join(part for part in (subject, about) if part)
    return f"{words}: {message}" if words else message


def recommended(model: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return a model's recommended interval for each target."""
    return {i["target"]: i for i in model.get("intervals", []) if i.get("recommended")}


def interval_of(model: Mapping[str, Any], method: str) -> Mapping[str, Any] | None:
    """Return a model's first interval by that method."""
    return next((i for i in model.get("intervals", []) if i["method"] == method), None)


def ends(interval: Mapping[str, Any] | None) -> str:
    """Return both ends of an interval; an open one has no number."""
    if interval is None:
        return "none"
    lower, upper = interval.get("lower"), interval.get("upper")
    if lower is None or upper is None:
        bound = "below " + number(upper) if lower is None else "above " + number(lower)
        return "undefined" if lower is upper else bound
    return f"{number(lower)} to {number(upper)}"


def number(value: float | None) -> str:
    """Return four significant digits, or ``undefined``."""
    if value is None:
        return "undefined"
    return f"{value:#.4g}".rstrip(".") if value else "0"


def wrapped(
    sentences: Iterable[str], width: int, bullet: str = "- ", indent: str = "  "
) -> list[str]:
    """Return each sentence as a paragraph or a list's entry; a number keeps its percent sign."""
    return [
        textwrap.fill(
            sentence.replace(" %", "\N{NO-BREAK SPACE}%"),
            width,
            initial_indent=bullet,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ).replace("\N{NO-BREAK SPACE}", " ")
        for sentence in sentences
    ]


def _shown_cautions(result: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for caution in result.get("cautions", []):
        yield "", "", caution
    for name, model in result["models"].items():
        said = set()
        for target, interval in recommended(model).items():
            for caution in interval.get("cautions", []):
                said.add(caution.get("code"))
                yield name, f"interval for {TARGETS.get(target, target)}", caution
        for caution in (interval_of(model, PREDICTION) or {}).get("cautions", []):
            if caution.get("code") not in said:
                yield name, "interval for one new source's mean", caution
    for pair in result.get("comparisons", []):
        who = f"{pair['a']} against {pair['b']}"
        for caution in [*pair.get("cautions", []), *pair["verdict"].get("cautions", [])]:
            yield who, "", caution


def _verdict(verdict: Mapping[str, Any]) -> str:
    sentence = str(verdict["reason"])
    plan = verdict.get("plan")
    if plan:
        share = f"{100 * plan['power']:g} %"
        sentence += (
            f". To settle it with a power of {share}, were the true difference "
            f"{plan['assumed_difference']:.4g}: {plan['additional']} more {plan['unit']}, "
            f"{plan['total']} in all"
        )
    elif verdict.get("plan_reason"):
        sentence += f". No plan: {verdict['plan_reason']}"
    return f"{verdict['decision'].replace('_', ' ').upper()}  {sentence}."


def _targets(models: Mapping[str, Any]) -> list[str]:
    found = {target for model in models.values() for target in recommended(model)}
    return [t for t in TARGETS if t in found] + sorted(found - set(TARGETS))


def _level(models: Mapping[str, Any]) -> str:
    levels = {i["level"] for m in models.values() for i in recommended(m).values()}
    return f"{100 * levels.pop():g} %, " if len(levels) == 1 else ""


def _size(models: Mapping[str, Any]) -> list[str]:
    sizes = {(m.get("n"), m.get("blocks")) for m in models.values()}
    if len(sizes) != 1:
        return []
    n, blocks = sizes.pop()
    return [f"{n} instances in {blocks} {'block' if blocks == 1 else 'blocks'}"]


def _methods(models: Mapping[str, Any], targets: Sequence[str]) -> list[str]:
    notes = []
    for target in targets:
        ways = {_way(r[target]): None for m in models.values() if target in (r := recommended(m))}
        notes.append(f"{TARGETS.get(target, target)}: {', or '.join(ways)}")
    return notes


def _way(interval: Mapping[str, Any]) -> str:
    words = str(interval["method"])
    if interval.get("variance"):
        words += f" on {interval['variance']}"
    if interval.get("degrees_of_freedom") is not None:
        words += f", {interval['degrees_of_freedom']:g} degrees of freedom"
    return f"{words}, about the {interval['mean']} mean" if interval.get("mean") else words


def section(title: str, sentences: Sequence[str], width: int) -> str:
    """Return sentences under a title; nothing where there are none."""
    return "\n".join([title, *wrapped(sentences, width)]) if sentences else ""
