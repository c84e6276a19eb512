"""Pages of results of scores, with the user's word for a block."""

from __future__ import annotations

from typing import Any

from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.sources import compare_by_source

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


def view_schools(request: dict[str, Any]) -> ModelsResult:
    result = run_kind(SCHOOLS).result
    return ModelsResult(result, request)


def test_exact_the_direction_is_that_of_the_result_and_not_of_the_request() -> None:
    view = view_schools({"kind": "losses"})

    assert view.higher_is_better
    assert view.names == ["strong", "weak"]


def test_exact_sources_have_their_word() -> None:
    view = view_schools(SCHOOLS)

    differences = compare_by_source(view, "strong", "weak")

    assert differences is not None
    assert "strong is better than weak in 3 of 3 schools" in differences.sentences[0]
    assert "source" not in differences.sentences[0]
    assert differences.more[0].columns[0] == "School"
