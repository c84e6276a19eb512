"""Risks in the target population from weighted source rows, and what each of them selects."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import MISSING, format_interval, format_level, format_number
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.models import build_interval
from thetahat_presentation.parts.weights import describe_sample_size, tabulate_weights
from thetahat_presentation.wording import capitalise, join_words, list_names, name_method

MOST_NAMES: Final = 6


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return what each risk selects, and the diagnostics of the weights."""
    del request, pair
    risks = result["risks"].items()
    tables = [_tabulate_risks(result), tabulate_weights(result["weights"])]
    main = Section(name="main", title="Importance weighting", tables=tables)
    headline = _write_headline(result)  # what it says of each risk, the table does
    outcome = [headline] if headline else [_describe_risk(result, *each) for each in risks]
    return build_other_document(result, [*outcome, describe_sample_size(result["weights"])], main)


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    question = (
        "How large is the error in the target population, estimated from weighted source rows by "
        f"{list_names(list(result['risks']), MOST_NAMES)}, and which candidate does each of them "
        "select?"
    )
    return [question]


def _write_headline(result: Json) -> str:
    """Return what several estimators select; empty for one, whose sentence has it."""
    selected = {name: _name_selected(result, risk) for name, risk in result["risks"].items()}
    chosen = list(dict.fromkeys(selected.values()))
    if len(selected) < 2 or not all(chosen):
        return ""
    if len(chosen) == 1:
        number = "Both" if len(selected) == 2 else f"All {len(selected)}"
        return f"{number} estimators of the risk in the target population select {chosen[0]}."
    by_choice = [
        f"{choice} by {list_names([name for name in selected if selected[name] == choice])}"
        for choice in chosen
    ]
    return (
        "The estimators of the risk in the target population do not agree; they select "
        f"{join_words(by_choice)}."
    )


def _tabulate_risks(result: Json) -> Table:
    risks, oracle = result["risks"], result.get("oracle")
    named = [*risks.items(), *([("the oracle", oracle)] if oracle else [])]
    rows: list[dict[str, Cell]] = []
    for name, risk in named:
        error = risk.get("standard_error")
        row: dict[str, Cell] = {
            "Estimator": capitalise(name_method(name)),
            "Selects": Name(_name_selected(result, risk) or MISSING),
            "Estimated loss": Number(risk.get("estimate"), error),
            f"{_find_level(result)}interval": build_interval(risk.get("interval"), error),
            "Loss on the target": Number(risk.get("target_risk")),
        }
        if oracle:  # of all learners: ``regret`` is about the grid of one
            row["Above the oracle"] = Number(risk["target_risk"] - oracle["target_risk"])
        rows.append(row)
    note = "The loss on the target is known only where the target sample has labels."
    return Table.of_rows("What each estimator of the risk selects", rows, [note])


def _describe_risk(result: Json, name: str, risk: Json) -> str:
    chosen, error, interval = _name_selected(result, risk), risk["standard_error"], risk["interval"]
    text = f"The risk estimator {name.replace('_', ' ')} "
    text += f"selects {chosen}, with an estimated loss of " if chosen else "gives a loss of "
    lower, upper = (None if interval is None else interval[end] for end in ("lower", "upper"))
    estimate, ends = format_interval(risk["estimate"], lower, upper, error)
    text += estimate
    if interval is not None:
        text += f" ({_find_level(result)}interval {ends})"
    return f"{text}."


def _name_selected(result: Json, risk: Json) -> str:
    """Return what a risk estimator selects, as ``log with penalty 1``; empty if it is nothing."""
    learner, value = risk.get("selected_learner"), risk.get("selected")
    if value is None:
        return "" if learner is None else str(learner)
    grids = {name: each["grid"] for name, each in (result.get("learners") or {}).items()}
    grid = result.get("grid") if learner is None else grids.get(learner)
    parameter = None if grid is None else grid["parameter"]
    words = f"{parameter} {format_number(value)}" if parameter else format_number(value)
    return words if learner is None else f"{learner} with {words}"


def _find_level(result: Json) -> str:
    """Return the level of the intervals with a space after it; empty if there are none."""
    intervals = (risk["interval"] for risk in result["risks"].values())
    return next((f"{format_level(one['level'])} " for one in intervals if one is not None), "")


PRESENTATION = Presentation(
    name="importance_weighting", title="Importance weighting", view=view, ask=ask
)
