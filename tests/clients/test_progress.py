"""The progress of an evaluation on a line of its own."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from tests.clients.scripted_server import EVALUATION
from thetahat_client import Evaluation
from thetahat_client.progress import ProgressBar, format_progress_line


def state(status: str, done: int, total: int | None) -> Evaluation:
    progress = {"done": done, "total": total, "unit": "splits"}
    answer: Any = {**EVALUATION, "status": status, "progress": progress}
    return Evaluation.read(answer)


def test_exact_the_bar_is_as_full_as_the_work_is_done() -> None:
    assert (
        format_progress_line(state("running", 10, 40))
        == f"[{'#' * 7}{'.' * 23}] 10 of 40 splits, running"
    )
    left = replace(state("running", 10, 40), seconds_left=150.0)
    assert format_progress_line(left).endswith("10 of 40 splits, running, about 2 minutes left")
    for seconds, words in (
        (0.2, "1 second"),
        (40.4, "40 seconds"),
        (59.6, "1 minute"),
        (3500.0, "58 minutes"),
        (3600.0, "1 hour"),
        (9000.0, "2.5 hours"),
    ):
        assert format_progress_line(replace(left, seconds_left=seconds)).endswith(
            f"about {words} left"
        )
    for early in (state("running", 1, 40), state("succeeded", 40, 40)):
        assert "left" not in format_progress_line(replace(early, seconds_left=150.0))
    assert format_progress_line(state("queued", 0, None)) == f"[{'.' * 30}] queued"
    assert format_progress_line(state("succeeded", 1, 1)).startswith(f"[{'#' * 30}]")
    assert format_progress_line(state("cancelled", 10, 40)).startswith(f"[{'#' * 7}.")


def test_exact_the_bar_is_one_line_on_a_terminal_and_a_line_per_tenth_elsewhere() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    states = [*(state("running", done, 100) for done in range(101)), state("succeeded", 100, 100)]
    terminal, file = Terminal(), io.StringIO()
    for bar in (ProgressBar(terminal), ProgressBar(file)):
        for each in states:
            bar(each)

    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().count("\r") == len(states)
    assert file.getvalue().count("\n") == 12  # 0 %, 10 %, ..., 100 %, and the end
    assert "\r" not in file.getvalue()
