"""A result of any kind as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, cast

from thetahat_client.result_types import (
    ModelsResult,
    ResultJson,
    find_summary,
    find_unit,
    has_models,
    read_result,
)
from thetahat_client.results import AnyResult, WeightsResultDict
from thetahat_client.text.all_models import build_all_models_table
from thetahat_client.text.bootstrap import write_bootstrap
from thetahat_client.text.cautions import write_cautions_section
from thetahat_client.text.comparisons import write_comparisons
from thetahat_client.text.html import STYLE, HtmlPage
from thetahat_client.text.importance_weighting import build_risks_table, write_weights
from thetahat_client.text.latex import PACKAGES, LatexPage
from thetahat_client.text.learning_curves import write_curves
from thetahat_client.text.markdown import MarkdownPage
from thetahat_client.text.metrics import build_metric_differences_table, build_metrics_table
from thetahat_client.text.models import build_models_table
from thetahat_client.text.page import WIDTH, Page, format_number
from thetahat_client.text.selection import write_selection
from thetahat_client.text.study import write_study

__all__ = [
    "Page",
    "result_html",
    "result_latex",
    "result_markdown",
    "result_text",
    "walk_numbers",
    "write_result",
]

GENERAL_WORDS: Final = frozenset({"source", "fold", "split", "test set"})
"""What blocks are called in a result whose request had no word for them."""


def result_text(
    result: ResultJson,
    width: int = WIDTH,
    *,
    table_width: int | None = None,
    show_all: bool = False,
) -> str:
    """Return a whole result: its tables, the verdicts on pairs of models, and the cautions.

    Parameters
    ----------
    result : Mapping
        A result, as ``Client.result`` returns it.
    width : int
        Characters of the longest line of prose.
    table_width : int or None
        Characters of the widest table; wider ones are folded. None leaves tables as they are.
    show_all : bool
        Whether to return every model, verdict and caution. Without it the best 15 models are shown,
        of many comparisons those with the best model, and the three most serious cautions.
    """
    return write_result(result, Page(prose=width, table=table_width), show_all=show_all)


def result_markdown(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as Markdown: the tables, verdicts and cautions of ``result_text``."""
    return write_result(result, MarkdownPage(), show_all=show_all)


def result_latex(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as LaTeX: the parts of ``result_text``, its tables with booktabs."""
    return f"{PACKAGES}\n{write_result(result, LatexPage(), show_all=show_all)}"


def result_html(result: ResultJson, *, show_all: bool = False) -> str:
    """Return a result as HTML for a notebook: the parts of ``result_text``, escaped."""
    return (
        f'<div class="thetahat">{STYLE}{write_result(result, HtmlPage(), show_all=show_all)}</div>'
    )


def write_result(result: ResultJson, page: Page, *, show_all: bool) -> str:
    """Return a whole result as a page writes tables and paragraphs: as text, Markdown or HTML."""
    typed_result = read_result(result)
    unit = find_unit(typed_result)
    if unit and unit["singular"] not in GENERAL_WORDS:
        page = replace(page, block=unit["singular"], blocks=unit["plural"])
    parts = [
        page.format_section("Gate", _list_gate_sentences(typed_result)),
        *_iterate_parts(typed_result, page, show_all=show_all),
        write_cautions_section(typed_result, page, show_all=show_all),
    ]
    return "\n\n".join(part for part in parts if part)


def _iterate_parts(result: AnyResult, page: Page, *, show_all: bool) -> Iterator[str]:
    """Yield the text of each part that the result has."""
    if has_models(result):
        yield "\n".join(page.format_paragraphs(_find_first_sentence(result), bullet="", indent=""))
        yield build_models_table(result, page, show_all=show_all)
        yield build_metrics_table(result, page, show_all=show_all)
        if "chosen" in result:
            yield write_selection(result, page)
        if "curves" in result:
            yield write_curves(result, page)
        yield write_comparisons(result, page, show_all=show_all)
        yield build_metric_differences_table(result, page)
        yield build_all_models_table(result, page, show_all=show_all)
    elif "risks" in result:
        yield build_risks_table(result, page)
    elif "replicates_mean" in result:
        yield write_bootstrap(result, page)
    elif "tables" in result:
        yield write_study(result, page)
    elif "weights" in result:
        yield write_weights(cast("WeightsResultDict", result), page)
    else:
        yield build_numbers_table(result, page)


def _list_gate_sentences(result: AnyResult) -> list[str]:
    gate = result.get("gate") if has_models(result) else None
    return [f"{gate['outcome'].upper()}  {gate['sentence']}"] if gate else []


def _find_first_sentence(result: ModelsResult) -> list[str]:
    """Return the sentence about the best model; a result of an older release has none."""
    summary = find_summary(result)
    return [] if summary is None else summary["sentences"][:1]


def build_numbers_table(result: AnyResult, page: Page) -> str:
    """Return the numbers of a result whose kind this release does not know; no lists."""
    return page.format_table(
        ["", "value"], [[name, format_number(v)] for name, v in walk_numbers(result)]
    )


def walk_numbers(values: Mapping[str, object], path: str = "") -> Iterator[tuple[str, float]]:
    """Yield name and value of each number of a result, without those in lists."""
    for key, value in values.items():
        if key == "provenance":
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{path}{key}", value
        elif isinstance(value, Mapping):
            yield from walk_numbers(value, f"{path}{key}.")
