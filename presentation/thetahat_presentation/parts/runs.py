"""Several runs of each item: what items and runs add to the variance, and runs that succeed."""

from __future__ import annotations

from collections.abc import Mapping

from thetahat_presentation.document import (
    Cell,
    Json,
    Name,
    Number,
    Pair,
    Percent,
    PercentRange,
    Section,
    Table,
)
from thetahat_presentation.parts.models import ModelsResult


def build_runs_section(shown: ModelsResult) -> Section | None:
    """Return the tables about runs; None where every item has one run."""
    models = {
        name: runs for name in shown.names if (runs := shown.models[name].get("runs")) is not None
    }
    if not models:
        return None
    tables = [_tabulate_models(models), _tabulate_pass_at(models), _tabulate_pairs(shown)]
    return Section(
        name="runs",
        title="More items, or more runs of each?",
        tables=tables,
        sentences=[f"{name}: {runs['sentence']}" for name, runs in models.items()],
    )


def _tabulate_models(models: Mapping[str, Json]) -> Table:
    rows: list[dict[str, Cell]] = []
    for name, runs in models.items():
        least, most = runs["runs_per_item"]
        components = runs.get("components") or {}
        item, residual, run = (components.get(part, {}) for part in ("item", "residual", "run"))
        planned = [*(plan["standard_error"] for plan in runs["plans"]), None, None]
        rows.append(
            {
                "Model": Name(name),
                "Items": Number(runs["items"]),
                "Runs of each": Number(least) if least == most else f"{least} to {most}",
                "Variance of items": Number(item.get("variance")),
                "Of runs": Number(residual.get("variance")),
                "Of seeds": Number(run.get("variance")),
                "Items' share": Percent(item.get("share")),
                "Twice the items": Number(planned[0]),
                "Twice the runs": Number(planned[1]),
            }
        )
    notes = [
        "The share is that of the variance of the mean. Seeds are runs common to all items.",
        "The last two columns: the standard error that twice the items or runs would give.",
    ]
    return Table.of_rows("Items and runs", rows, notes)


def _tabulate_pass_at(models: Mapping[str, Json]) -> Table:
    rows: list[list[Cell]] = [
        [
            Name(name),
            Number(k),
            Percent(found["estimate"]),
            PercentRange(found.get("lower"), found.get("upper")),
            Percent(found["all_succeed"]["estimate"]),
            PercentRange(found["all_succeed"].get("lower"), found["all_succeed"].get("upper")),
        ]
        for name, runs in models.items()
        for k, found in (runs.get("pass_at") or {}).items()
    ]
    columns = ["Model", "Runs", "At least one succeeds", "Interval", "All succeed", "Its interval"]
    notes = [
        "Unbiased estimates (pass@k and pass^k), averaged over items.",
        "t intervals over items; Wilson's, as of one run, where fewer than five have an outcome.",
    ]
    return Table(caption="Runs that succeed", columns=columns, rows=rows, notes=notes)


def _tabulate_pairs(shown: ModelsResult) -> Table:
    rows: list[list[Cell]] = [
        [Pair(pair["a"], pair["b"]), Percent(runs.get("share_of_runs"))]
        for pair in shown.comparisons
        if (runs := pair.get("runs")) is not None
    ]
    columns = ["Pair", "Share of the runs"]
    notes = ["The share of the variance of the mean difference that more runs would take away."]
    return Table(caption="Runs in differences", columns=columns, rows=rows, notes=notes)
