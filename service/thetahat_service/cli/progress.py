"""The progress of an evaluation, with the time left."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from thetahat_client import Client, Evaluation


def wait_with_progress(client: Client, evaluation_id: str) -> Evaluation:
    """Wait for the end of an evaluation and return it; show its progress on standard error.

    On a terminal that is a bar which counts down the time left, otherwise a line per tenth.
    """
    if not sys.stderr.isatty():
        from thetahat_client.progress import ProgressBar

        return client.wait(evaluation_id, progress=ProgressBar())
    with LiveProgress() as progress:
        return client.wait(evaluation_id, progress=progress.show)


class LiveProgress:
    """A bar on the terminal that is drawn again several times a second, also between answers."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._left = _TimeLeft()
        self._progress: Progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[done]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=_make_stderr_console(),
        )
        self._task = self._progress.add_task("queued", total=None, done="", left=self._left)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, evaluation: Evaluation) -> None:
        """Show the state that the service has just reported."""
        from thetahat_client.progress import read_seconds_left

        n_done, total, unit = (
            evaluation.progress.done,
            evaluation.progress.total,
            evaluation.progress.unit,
        )
        if evaluation.status == "succeeded":
            total = n_done = total or 1
        self._left.update(read_seconds_left(evaluation))
        self._progress.update(
            self._task,
            description=evaluation.status,
            completed=n_done,
            total=total,
            done=f"{n_done} of {total} {unit}" if total else "",
        )


class _TimeLeft:
    """The remaining seconds: the service's last estimate minus the seconds since that estimate."""

    def __init__(self) -> None:
        self._end: float | None = None

    def update(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def __str__(self) -> str:
        from thetahat_client.progress import format_seconds

        if self._end is None:
            return ""
        return f"about {format_seconds(max(self._end - time.monotonic(), 0.0))} left"


def _make_stderr_console() -> Console:
    from rich.console import Console

    return Console(file=sys.stderr)
