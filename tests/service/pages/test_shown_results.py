"""What the service adds to a result before it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

import thetahat
from tests.presentation.reading import table_of, texts_of
from thetahat_presentation.showing import show
from thetahat_service.pages.shown_results import complete_result, show_result


def make_result(**options: Any) -> Any:
    rng = np.random.default_rng(3)
    losses = {
        "good": rng.random((10, 20)),
        "poor": rng.random((10, 20)) + 1.0,
        "same": rng.random((10, 20)),
    }
    result = thetahat.to_json(thetahat.evaluate(losses, blocks="source", **options))
    return {"kind": "losses", **result}


def test_exact_pairs_whose_difference_is_beyond_the_margin_say_so() -> None:
    result = make_result(margin=0.1)

    verdicts = {
        row[0]: row[3] for row in texts_of(table_of(show_result(result, {}), "Difference of each"))
    }

    assert verdicts["good − poor"] == "good is better, and by more than the margin"
    assert "margin" not in verdicts["good − same"]
    plain = [row[3] for row in texts_of(table_of(show(result), "Difference of each"))]
    assert "good is better" in plain


def test_exact_a_kind_without_models_is_shown_as_it_is() -> None:
    assert complete_result({"kind": "weights"}) == {"kind": "weights"}
