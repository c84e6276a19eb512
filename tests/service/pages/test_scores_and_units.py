"""Pages of results of scores, with the user's word for a block."""

from __future__ import annotations

from typing import Any

from tests.service.kinds.run_requests import run_kind
from thetahat_service.figures.result_types import has_models
from thetahat_service.pages.result_view import ResultView

SCHOOLS: dict[str, Any] = {
    "kind": "losses",
    "blocks": "source",
    "unit": "school",
    "better": "higher",
    "losses": {
        "weak": [[0.1, 0.4, 0.2], [0.3, 0.5, 0.4], [0.2, 0.1, 0.3]],
        "strong": [[0.6, 0.8, 0.7], [0.7, 0.9, 0.8], [0.7, 0.6, 0.9]],
    },
}


def view_schools(request: dict[str, Any]) -> ResultView:
    result = run_kind(SCHOOLS).result
    assert has_models(result)
    return ResultView(result, request)


def test_exact_the_direction_is_that_of_the_result_and_not_of_the_request() -> None:
    view = view_schools({"kind": "losses"})

    assert view.higher_is_better
    assert view.model_names == ["strong", "weak"]


def test_exact_sources_have_their_word() -> None:
    view = view_schools(SCHOOLS)

    differences = view.compare_by_source("strong", "weak")

    assert differences is not None
    assert "strong is better than weak in 3 of 3 schools" in differences.sentence
    assert "source" not in differences.sentence
    assert differences.table.columns[0] == "School"
