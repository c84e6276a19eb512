"""Quality against cost: what models cost, which remain to choose from, and the costs of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from thetahat_presentation.document import (
    Cell,
    Interval,
    Json,
    Name,
    Number,
    Pair,
    Percent,
    Section,
    Table,
)
from thetahat_presentation.parts.models import (
    ModelsResult,
    build_interval,
    find_error,
    find_recommended,
)
from thetahat_presentation.parts.pairs import list_first_pairs
from thetahat_presentation.wording import capitalise

MOST_SENTENCES: Final = 3
"""Sentences about pairs that stand below the verdict."""
SHOWN: Final = {
    "better": "better",
    "equivalent": "equivalent",
    "not_worse": "not worse by the margin",
}


def name_cost(shown: ModelsResult) -> str:
    """Return the heading of costs with their unit; empty for a result without costs."""
    cost: Json | None = shown.result.get("cost")
    if cost is None:
        return ""
    word = "Mean cost" if cost["measured"] else "Cost"
    return f"{word} ({cost['unit']})" if cost.get("unit") else word


def write_cost(model: Json) -> Number:
    """Return what a model costs."""
    cost: Json = model.get("cost") or {}
    return Number(cost.get("mean"), (cost.get("interval") or {}).get("standard_error"))


def describe_costs(shown: ModelsResult) -> list[str]:
    """Return quality and cost of the pairs with the best model, then which models remain."""
    cost: Json | None = shown.result.get("cost")
    if cost is None:
        return []
    pairs = [pair["cost"]["sentence"] for pair in shown.comparisons if pair.get("cost")]
    summary = [cost["sentence"]] if cost["sentence"] and len(shown.models) > 2 else []
    return [*(pairs if len(pairs) <= MOST_SENTENCES else []), *summary]


def build_costs_section(shown: ModelsResult) -> Section | None:
    """Return the tables about costs; None for a result without any."""
    cost: Json | None = shown.result.get("cost")
    if cost is None:
        return None
    tables = [_tabulate_models(shown, cost)]
    pairs = [pair for pair in list_first_pairs(shown) if pair.get("cost")]
    if pairs:
        tables.append(_tabulate_pairs(shown, pairs, cost))
    return Section(
        name="costs",
        title="Is it worth the cost?",
        sentences=[cost["sentence"]] if cost["sentence"] else [],
        tables=tables,
    )


def _tabulate_models(shown: ModelsResult, cost: Json) -> Table:
    """Return all models, the cheapest first."""
    dominated: Mapping[str, Json] = cost["dominated"]
    quantity = capitalise(shown.quantity)
    names = sorted(shown.models, key=lambda name: shown.models[name]["cost"]["mean"])
    rows: list[dict[str, Cell]] = []
    for name in names:
        model = shown.models[name]
        by = dominated.get(name)
        row: dict[str, Cell] = {"Model": Name(name), name_cost(shown): write_cost(model)}
        if cost["measured"]:
            row["Interval of cost"] = build_interval(model["cost"].get("interval"))
        error = find_error(next(iter(find_recommended(model).values()), None))
        row[quantity] = Number(model.get("mean", {}).get("macro"), error)
        row["Remains"] = "no" if by else "yes"
        row["Cheaper model"] = Name(by["by"]) if by else ""
        row["Shown of it"] = SHOWN[by["shown"]] if by else ""
        rows.append(row)
    rule = (
        "The cheapest model is first. A model does not remain if a cheaper one that remains is "
        "shown to be better, equivalent, or not worse by the margin."
    )
    notes = [rule]
    if cost["measured"]:
        notes.append(
            "Costs were measured row by row: cheaper means that the whole interval of the ratio "
            "says so, and that rows so few as to miss dear ones, or few dear rows, leave no doubt. "
            "Statements on costs and on quality are each corrected for the number of "
            "pairs, and hold at their level each."
        )
    if not cost["all_pairs"]:
        notes.append("Only pairs that were compared count.")
    return Table.of_rows("Quality against cost", rows, notes)


def _tabulate_pairs(shown: ModelsResult, pairs: list[Json], cost: Json) -> Table:
    rows: list[dict[str, Cell]] = []
    for pair in pairs:
        of_pair: Json = pair["cost"]
        is_interval = of_pair.get("shape") == "interval"
        ends = [of_pair.get(end) if is_interval else None for end in ("lower", "upper")]
        row: dict[str, Cell] = {"Pair": Pair(pair["a"], pair["b"])}
        row["Ratio of costs"] = Number(of_pair["ratio"])
        if cost["measured"]:
            row["Interval of the ratio"] = Interval(*ends)
        row["Cost of the first"] = Percent(of_pair["change"])
        row["Quality and cost"] = of_pair["sentence"]
        rows.append(row)
    notes = ["The ratio is the cost of the first model over that of the second; -84 % is cheaper."]
    if cost["measured"]:
        notes.append(f"The ratio of means has Fieller's interval ({shown.level}).")
    return Table.of_rows("Costs of pairs", rows, notes)
