"""The words of captions."""

from __future__ import annotations

from thetahat_service.figures.words import count_repetitions, describe_repetitions


def test_exact_a_study_with_parts_has_a_range_of_repetitions() -> None:
    assert describe_repetitions({"repetitions": 1}) == "1 repetition"
    assert describe_repetitions({"repetitions": 12_500}) == "12 500 repetitions"
    parts = {"repetitions": 3500, "draws": {"metrics": 3500, "sources": 500, "large": 100}}
    assert count_repetitions(parts) == "100 to 3500"
    assert describe_repetitions({**parts, "draws": {"metrics": 500}}) == "500 repetitions"
