"""The short form of the benchmarks: every task yields rows that agree with their peers."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.limits import MachineLimits
from benchmarks.page import PAGE, VALUES, draw_figures, remove_figures, write_page
from benchmarks.registry import find_tasks, measure_task
from benchmarks.rows import REPEATS, Bench, BenchmarkRow, time_in_turns
from tests.service.supervisor.processes import environment

LIMITS = MachineLimits(
    bytes_per_second=1e10, flops_per_second=3e10, processor="a processor", cores=2, load=0.0
)
BENCH = Bench(limits=LIMITS, short=True)


@pytest.fixture
def no_warnings() -> Iterator[None]:
    """Peers warn of what they stop early; the command does not show it either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", find_tasks())
@pytest.mark.usefixtures("no_warnings", "nothing_loaded_ahead")
def test_naive_every_task_agrees_with_its_peers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])  # for the task "service"
    rows = list(measure_task(name, BENCH))
    assert rows
    assert [row.error for row in rows if row.error] == []
    assert [row for row in rows if not row.numbers_agree] == []
    for row in rows:
        assert row.use.endswith(".")
        assert row.seconds is not None
        assert row.seconds > 0
        assert row.peer_seconds is not None or not row.peer
        assert row.task
        assert row.unit


def _compare(size: int, *, difference: float = 0.0) -> BenchmarkRow:
    return BENCH.compare(
        task="sums", use="Adds numbers.", size=size, unit="numbers",
        ours=lambda: sum(range(size)), peer="a script",
        peer_call=lambda: sum(range(size)) + difference,
        bytes_read=8 * size, tolerance=1e-9,
    )  # fmt: skip


def _fail() -> float:
    message = "This peer fails."
    raise RuntimeError(message)


def test_exact_page_and_values_are_written_and_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "old.svg").write_text("<svg/>")
    remove_figures(tmp_path)
    assert not list(tmp_path.iterdir())
    rows = [_compare(size) for size in (1000, 10_000, 100_000)]
    draw_figures(tmp_path, rows)
    write_page(tmp_path, rows, BENCH, 60.0)
    values = json.loads((tmp_path / VALUES).read_text())
    assert [row["size"] for row in values["rows"]] == [1000, 10_000, 100_000]
    assert values["rows"][0]["ratio_to_limit"] == rows[0].ratio_to_limit
    page = (tmp_path / PAGE).read_text()
    assert "## Sums" in page
    assert "## Targets" not in page
    assert re.search(r"\| \[sums\]\(#sums\) \| 1 000 to 100 000 numbers \| a script \| ", page)
    assert "Adds numbers." in page
    assert "(sums.svg)" in page
    assert (tmp_path / "sums.svg").read_text().startswith("<svg")


def test_exact_reason_is_shown_only_where_the_target_is_missed(tmp_path: Path) -> None:
    rows = [
        BenchmarkRow(
            task=task, use="Waits.", size=1, unit="calls", seconds=2.0, reason=f"Because {task}.",
            peer="a script", peer_seconds=3.0, target_seconds=target, least_ratio=ratio,
        )
        for task, target, ratio in (
            ("late", 1.0, None), ("slower", None, 1.9), ("early", 3.0, 1.5), ("free", None, None),
        )
    ]  # fmt: skip
    write_page(tmp_path, rows, BENCH, 60.0)
    page = (tmp_path / PAGE).read_text()
    assert [row.task for row in rows if row.misses_target] == ["late", "slower"]
    assert "| [late](#late) |  | 2 s | 1 s | **missed** |" in page
    assert "| 1.5 times as fast as a script | 1.9 times | **missed** |" in page
    assert "| [early](#early) |  | 2 s | 3 s | met |" in page
    assert "[free](#free)" not in page.partition("## Beside others")[0]
    for row in rows:
        shown = f"**The target is missed.** Because {row.task}." in page
        assert shown == row.misses_target


def test_degenerate_a_row_that_fails_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    failed = BENCH.compare(
        task="sums", use="Adds numbers.", size=1, unit="numbers", ours=lambda: 0.0,
        peer="a script", peer_call=_fail,
    )  # fmt: skip
    assert failed.error == "RuntimeError: This peer fails."
    assert not failed.numbers_agree
    write_page(tmp_path, [failed, _compare(10)], BENCH, 1.0)
    page = (tmp_path / PAGE).read_text()
    assert "failed: RuntimeError: This peer fails." in page
    assert "Rows that failed: sums." in page


def test_exact_numbers_that_differ_are_marked(tmp_path: Path) -> None:
    row = _compare(10, difference=1.0)
    assert row.difference == 1.0
    assert not row.numbers_agree
    write_page(tmp_path, [row], BENCH, 1.0)
    assert "differ more than expected: sums (10 numbers)." in (tmp_path / PAGE).read_text()


def test_exact_a_late_row_is_timed_once() -> None:
    early, late = Bench(limits=LIMITS), Bench(limits=LIMITS, began=-1e9)
    assert (early.repeats, late.repeats, BENCH.repeats) == (REPEATS, 1, 1)


def test_exact_both_sides_take_turns() -> None:
    calls: list[str] = []
    times, _ = time_in_turns([lambda: calls.append("a"), lambda: calls.append("b")], 3)
    assert [len(each) for each in times] == [3, 3]
    assert calls[:2] == ["a", "b"]
    runs = "".join(calls[2:])
    assert runs.count("ab") == runs.count("ba") + 1 == 3
