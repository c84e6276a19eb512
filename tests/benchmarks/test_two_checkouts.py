from __future__ import annotations

import pytest

from benchmarks.two_checkouts import describe_figure


@pytest.mark.parametrize(
    ("name", "before", "now", "line"),
    [
        ("a job", [2.0, 1.0, 3.0], [1.0], "| a job | 2 s | 1 s | 2 |"),
        ("polls, a second", [1500.4], [3000.2], "| polls, a second | 1 500 | 3 000 | 2 |"),
        ("size, MB", [10.0], [20.0], "| size, MB | 10.0 | 20.0 | 0.5 |"),
        ("a job", [], [0.001], "| a job | failed | 1 ms |  |"),
    ],
)
def test_exact_a_line_has_both_medians_and_how_much_better_it_is_now(
    name: str, before: list[float], now: list[float], line: str
) -> None:
    assert describe_figure(name, before, now) == line
