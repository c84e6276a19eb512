"""Models and pairs by groups of rows: the worst group, and where which model is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.document import Cell, Json, Name, Number, PValue, Section, Table
from thetahat_presentation.numbers import format_count, format_level, format_percent
from thetahat_presentation.parts.cautions import Place, PlacedCaution, place_cautions
from thetahat_presentation.parts.models import ModelsResult, build_interval, find_error
from thetahat_presentation.wording import capitalise, name_method

MOST_MODELS: Final = 8
"""Models that have a table of their own; of more, those of the best ones are shown."""
MOST_FIRST: Final = 3
"""Columns and intersections that the findings have a sentence on."""
MOST_GAPS: Final = 20
"""Gaps that a table lists, the largest first; the result as JSON has all."""
DECISIONS: Final = {
    "better": "{a} is better",
    "worse": "{a} is worse",
    "equivalent": "equivalent",
    "not_worse": "{a} is not worse",
    "undecided": "not clear",
}
TOO_FEW: Final = "too few to say"


def describe_groups(shown: ModelsResult) -> list[str]:
    """Return what the first groups show, in words; nothing of a result without groups.

    Of two models or more it is the difference of one pair in each group, and of a single model its
    worst group.
    """
    return _write_sentences(shown)[:MOST_FIRST]


def _write_sentences(shown: ModelsResult) -> list[str]:
    pair = _choose_pair(shown)
    if pair is not None:
        return [str(each["sentence"]) for each in pair["groups"].values()]
    return [
        str(each["worst"]["sentence"])
        for each in _get_groups(shown.models.get(shown.best, {})).values()
        if each.get("worst")
    ]


def iterate_group_cautions(shown: ModelsResult) -> Iterator[PlacedCaution]:
    """Yield the cautions about the groups of each model and pair."""
    for name, model in shown.models.items():
        for key, groups in _get_groups(model).items():
            yield from place_cautions(groups.get("cautions"), Place(name, f"by {key}"))
    for pair in shown.comparisons:
        for key, groups in _get_groups(pair).items():
            place = Place(f"{pair['a']} against {pair['b']}", f"by {key}")
            yield from place_cautions(groups.get("cautions"), place)


def build_groups_section(shown: ModelsResult) -> Section | None:
    """Return the tables of all groups; None where the request names no groups."""
    models = {name: groups for name in shown.names if (groups := _get_groups(shown.models[name]))}
    if not models:
        return None
    pair = _choose_pair(shown)
    keys = list(next(iter(models.values())))
    tables: list[Table] = []
    for key in keys:
        if pair is not None:
            tables.append(_tabulate_pair(shown, pair, key))
        else:
            tables.append(_tabulate_model(shown, next(iter(models)), key))
        tables.append(_tabulate_worst(shown, models, key))
    first = [] if pair is None else list(models)[:MOST_MODELS]
    more = [_tabulate_model(shown, name, key) for key in keys for name in first]
    sentences = _write_sentences(shown)[MOST_FIRST:]
    of_pair = {} if pair is None else {f"{pair['a']} minus {pair['b']}": _get_groups(pair)}
    for key in keys:
        best = list(models)[:MOST_MODELS]
        if models[best[0]][key]["gaps"].get("items") is None:
            gaps = _tabulate_largest_gaps(shown, {**models, **of_pair}, key)
            more.append(gaps)
            sentences += [] if gaps.rows else [f"Gaps by {key}: {note}" for note in gaps.notes]
        else:
            with_gaps = {name: models[name] for name in best} | of_pair
            more += [
                _tabulate_gaps(shown, name, each[key], key) for name, each in with_gaps.items()
            ]
    return Section(
        name="groups",
        title="For which groups?",
        sentences=sentences,
        tables=tables,
        more_title="Every model by group, and the gaps between groups",
        more=more,
    )


def _get_groups(part: Json) -> Mapping[str, Json]:
    return part.get("groups") or {}


def _choose_pair(shown: ModelsResult) -> Json | None:
    """Return the pair that is shown: that of the gate, or the first one with the reference."""
    gate = shown.result.get("gate") or {}
    named = (gate.get("model"), gate.get("against"))
    pairs = [pair for pair in shown.pairs if pair.get("groups")]
    of_gate = [pair for pair in pairs if (pair["a"], pair["b"]) == named]
    return next(iter([*of_gate, *pairs]), None)


def write_group(group: Mapping[str, Any]) -> str:
    """Return the values of a group; a missing one is called so."""
    return " & ".join(
        ("missing" if label is None else str(label)) if len(group) == 1 else _name(column, label)
        for column, label in group.items()
    )


def _name(column: str, label: object) -> str:
    return f"{column} missing" if label is None else f"{column} {label}"


def _describe_level(groups: Json) -> str:
    level = groups["simultaneous"]
    return (
        f"The intervals of all {format_count(level['groups'])} groups hold at once at "
        f"{format_level(level['level'])}.{_describe_studied(level)}"
    )


def _describe_studied(statement: Json, such: str = "They did") -> str:
    """Return in how many samples of the nearest studied design such a statement held, or why not.

    Results of earlier releases have neither.
    """
    studied = statement.get("expected_coverage")
    if studied is None:
        missing = statement.get("expected_coverage_missing")
        return f" {missing}" if missing else ""
    return f" {such} in {format_percent(studied['coverage'])} of simulated samples of such data."


def _describe_metrics(groups: Json) -> str:
    """Return that the intervals of each metric hold at once, and where they did in the study."""
    levels = groups.get("simultaneous_metrics") or {}
    studied = [
        f"{name_method(metric)} in {format_percent(level['expected_coverage']['coverage'])}"
        for metric, level in levels.items()
        if level.get("expected_coverage")
    ]
    said = "Those of each metric do as well."
    if not studied:
        return said
    return f"{said} They did in simulated samples of such data: {', '.join(studied)}."


def _tabulate_pair(shown: ModelsResult, pair: Json, key: str) -> Table:
    groups, (a, b) = pair["groups"][key], (pair["a"], pair["b"])
    means = [
        {write_group(item["group"]): _format_mean(item) for item in of_model["items"]}
        for of_model in (_get_groups(shown.models[name]).get(key, {"items": []}) for name in (a, b))
    ]
    rows: list[list[Cell]] = []
    for item in groups["items"]:
        group, interval = write_group(item["group"]), item.get("interval")
        error = find_error(interval)
        rows.append(
            [
                Name(group),
                Number(item["n"]),
                *_count_clusters(groups, item),
                *(of_model.get(group, Number(None)) for of_model in means),
                Number(item.get("difference"), error),
                build_interval(interval),
                TOO_FEW if item["too_few"] else DECISIONS[item["decision"]].format(a=a, b=b),
            ]
        )
    test = groups["depends_on_group"]
    notes = [_describe_level(groups), *_list_reasons(groups)]
    if test.get("p_value") is None:
        notes.append(f"No test whether the difference depends on {key}: {test['reason']}")
    columns = [capitalise(key), "Instances", *_name_clusters(groups), a, b, f"{a} minus {b}"]
    return Table(
        caption=f"{capitalise(shown.quantity)} of {a} and {b} by {key}",
        columns=[*columns, f"{shown.level} interval".strip(), "Which is better"],
        rows=rows,
        notes=notes,
    )


def _tabulate_model(shown: ModelsResult, name: str, key: str) -> Table:
    groups = _get_groups(shown.models[name])[key]
    metrics = list(dict.fromkeys(m for item in groups["items"] for m in item.get("metrics") or {}))
    rows: list[list[Cell]] = []
    for item in groups["items"]:
        interval = item.get("interval")
        row: list[Cell] = [
            Name(write_group(item["group"])),
            Number(item["n"]),
            *_count_clusters(groups, item),
            _format_mean(item),
            build_interval(interval),
        ]
        for metric in metrics:
            found = (item.get("metrics") or {}).get(metric) or {}
            row += [Number(found.get("estimate")), build_interval(found.get("interval"))]
        rows.append([*row, TOO_FEW if item["too_few"] else ""])
    interval_heading = f"{shown.level} interval".strip()
    columns = [
        capitalise(key),
        "Instances",
        *_name_clusters(groups),
        capitalise(shown.quantity),
        interval_heading,
    ]
    for metric in metrics:
        columns += [shown.head_method(metric), interval_heading]
    notes = [_describe_level(groups), *_list_reasons(groups)]
    if metrics:
        notes.append(_describe_metrics(groups))
    return Table(
        caption=f"{name} by {key}", columns=[*columns, "Enough rows"], rows=rows, notes=notes
    )


def _tabulate_worst(
    shown: ModelsResult, models: Mapping[str, Mapping[str, Json]], key: str
) -> Table:
    end = "lower_bound" if shown.higher_is_better else "upper_bound"
    side = "below" if shown.higher_is_better else "above"
    rows: list[dict[str, Cell]] = []
    for name, of_model in models.items():
        groups = of_model[key]
        worst = groups.get("worst") or {}
        of_worst = [each for each in groups["items"] if each["group"] == worst.get("group")]
        mean = _format_mean(of_worst[0]) if of_worst else Number(None)
        rows.append(
            {
                "Model": Name(name),
                "Worst group": Name(write_group(worst["group"])) if worst else "",
                capitalise(shown.quantity): mean,
                f"None {side}": Number(worst.get(end), mean.standard_error),
                "p (equal)": PValue(groups["equal_means"].get("p_value")),
            }
        )
    without = {groups[key]["worst"]["groups_without_bound"] for groups in models.values()} - {0}
    about = (
        f"With {shown.level} confidence no group of a model has a {shown.quantity} {side} its "
        "bound, whichever group is worst. The p-value is that of groups with equal means."
    )
    bounds = {name: groups[key].get("worst") or {} for name, groups in models.items()}
    notes = [about, *_describe_each(bounds, "Such bounds held")]
    if without:
        notes.append(
            f"{format_count(max(without))} of the groups have no interval, and no bound is about "
            "them."
        )
    return Table.of_rows(f"Worst group by {key}", rows, notes)


def _describe_each(statements: Mapping[str, Json], such: str) -> list[str]:
    """Return how often such statements held in simulations, each share or reason once."""
    names: dict[str, list[str]] = {}
    for name, statement in statements.items():
        said = _describe_studied(statement, such).strip()
        if said:
            names.setdefault(said, []).append(name)
    if len(names) == 1:
        return list(names)
    return [f"{', '.join(of_names)}: {said}" for said, of_names in names.items()]


def _tabulate_largest_gaps(
    shown: ModelsResult, models: Mapping[str, Mapping[str, Json]], key: str
) -> Table:
    rows: list[dict[str, Cell]] = []
    reasons: dict[str, list[str]] = {}
    for name, of_model in models.items():
        found = {capitalise(shown.quantity): of_model[key]["gaps"]}
        for metric, of_metric in (of_model[key].get("metric_gaps") or {}).items():
            found[shown.head_method(metric)] = of_metric
        for quantity, gaps in found.items():
            gap = gaps["largest"]
            if reason := gaps.get("reason"):
                reasons.setdefault(str(reason), []).append(f"{quantity} of {name}")
            if gap is None:
                continue
            row: dict[str, Cell] = {
                "Model": Name(name),
                "Measure": quantity,
                "Largest gap": Name(_name_gap(gap)),
                "Gap": Number(gap["estimate"], gap.get("standard_error")),
                f"{shown.level} interval".strip(): build_interval(gap),
            }
            rows.append(row)
    about = (
        "Groups that are equal have a largest gap as well, so read its interval, which holds "
        "together with those of all other gaps of the measure."
    )
    missing = [f"{', '.join(of)}: {reason}" for reason, of in reasons.items()]
    gaps_of_means = {name: of_model[key]["gaps"] for name, of_model in models.items()}
    studied = _describe_each(gaps_of_means, "Such intervals of all gaps held")
    notes = [about, *studied, *missing] if rows else list(reasons)
    return Table.of_rows(f"Largest gaps by {key}", rows, notes)


def _tabulate_gaps(shown: ModelsResult, name: str, groups: Json, key: str) -> Table:
    gaps, of_metrics = groups["gaps"], groups.get("metric_gaps") or {}
    found = [_collect_gaps(each) for each in (gaps, *of_metrics.values())]
    ordered = list(dict.fromkeys(pair for of_one in found for pair in of_one))
    rows: list[list[Cell]] = []
    for pair in ordered[:MOST_GAPS]:
        row: list[Cell] = [Name(pair)]
        for of_one in found:
            gap = of_one.get(pair) or {}
            row += [
                Number(gap.get("estimate"), gap.get("standard_error")),
                build_interval(gap or None),
            ]
        rows.append(row)
    number = format_count(len(gaps["items"]))
    notes = [f"The intervals of all {number} gaps hold at once.{_describe_studied(gaps)}"]
    if len(gaps["items"]) == 1:
        studied = _describe_studied(gaps, "Such intervals held").strip()
        notes = [studied] if studied else []
    if of_metrics and len(ordered) > 1:
        notes.append("Those of each metric do as well.")
    measures = {capitalise(shown.quantity): gaps}
    measures |= {shown.head_method(metric): each for metric, each in of_metrics.items()}
    notes += [f"{head}: {each['reason']}" for head, each in measures.items() if each.get("reason")]
    if len(ordered) > MOST_GAPS:
        notes.append(f"The table has the {MOST_GAPS} largest; the result as JSON has all.")
    heading = f"{shown.level} interval".strip()
    columns = ["Gap", capitalise(shown.quantity), heading]
    for metric in of_metrics:
        columns += [shown.head_method(metric), heading]
    return Table(caption=f"Gaps of {name} by {key}", columns=columns, rows=rows, notes=notes)


def _collect_gaps(gaps: Json) -> dict[str, Json]:
    """Return gaps by their groups in words, the largest first."""
    return {
        _name_gap(gap): gap for gap in sorted(gaps["items"], key=lambda gap: -abs(gap["estimate"]))
    }


def _format_mean(item: Json) -> Number:
    """Return the mean of a model in a group with the digits that its interval leaves certain."""
    return Number(item.get("mean"), find_error(item.get("interval")))


def _name_gap(gap: Json) -> str:
    return f"{write_group(gap['group'])} minus {write_group(gap['against'])}"


def _name_clusters(groups: Json) -> list[str]:
    return ["Clusters"] if _has_clusters(groups) else []


def _count_clusters(groups: Json, item: Json) -> list[Cell]:
    return [Number(item.get("clusters"))] if _has_clusters(groups) else []


def _has_clusters(groups: Json) -> bool:
    return any(item.get("clusters") is not None for item in groups["items"])


def _list_reasons(groups: Json) -> Sequence[str]:
    """Return why groups have no interval, each reason with its groups."""
    by_reason: dict[str, list[str]] = {}
    for item in groups["items"]:
        if reason := item.get("reason"):
            by_reason.setdefault(str(reason), []).append(write_group(item["group"]))
    return [f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()]
