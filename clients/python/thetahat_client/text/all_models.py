"""The tests of all models at once, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from thetahat_client.result_types import (
    AnyOmnibusTest,
    ModelsResult,
    find_reference_model,
    find_summary,
    find_tied_models,
)
from thetahat_client.text.model_order import find_best_model
from thetahat_client.text.models import describe_target
from thetahat_client.text.page import Page, format_p_value

MOST_NAMES: Final = 6
"""Models named in a cell of the table; of more their number is written."""


def build_all_models_table(result: ModelsResult, page: Page, *, show_all: bool) -> str:
    """Return one row for each test of all models; nothing where there is none.

    Without ``show_all`` only the tests for the target of the summary are shown.
    """
    summary = find_summary(result)
    target = None if summary is None else summary.get("target")
    tests = {
        name: test
        for name, test in result.get("omnibus", {}).items()
        if show_all or target is None or test["target"] == target
    }
    if not tests:
        return ""
    n_models = len(result["models"])
    control = next(filter(None, map(find_reference_model, tests.values())), None)
    best = control or find_best_model(result)
    header = ["all models at once", "target", "p-value", f"not shown to differ from {best}"]
    rows = [
        [
            name.replace("_", " "),
            describe_target(test["target"], page),
            format_p_value(test["p_value"]),
            _write_names(_list_tied(test, best), n_models),
        ]
        for name, test in tests.items()
    ]
    return page.format_table(header, rows)


def _list_tied(test: AnyOmnibusTest, best: str) -> list[str] | None:
    """Return the other models of the best one's groups; None where a test has no groups."""
    groups = find_tied_models(test)
    return None if groups is None else list(dict.fromkeys(_iterate_other_names(groups, best)))


def _iterate_other_names(groups: Sequence[Sequence[str]], best: str) -> Iterator[str]:
    for group in groups:
        if best in group:
            yield from (name for name in group if name != best)


def _write_names(names: list[str] | None, n_models: int) -> str:
    if names is None:
        return ""
    if not names:
        return "none"
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} of {n_models - 1}"
