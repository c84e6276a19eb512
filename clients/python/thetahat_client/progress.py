"""The progress of an evaluation: a line of text, or a bar in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from importlib import import_module
from typing import Any, Final, TextIO, TypeAlias

from thetahat_client.models import Evaluation

WIDTH: Final = 30
FEWEST_UNITS: Final = 2
"""Finished units before which the time left is not shown: one unit says nothing of their spread."""

ShowProgress: TypeAlias = Callable[[Evaluation], None]


class ProgressBar:
    """Shows the progress of an evaluation as text.

    On a terminal that is one line that changes, otherwise one line per tenth of the work.

    Parameters
    ----------
    stream : text file
        Standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._last = ""

    def __call__(self, evaluation: Evaluation) -> None:
        """Show the state; a final state ends the line."""
        text = format_progress_line(evaluation)
        mark = evaluation.status + ("" if self._live else _count_tenths(evaluation))
        if self._live:
            self._stream.write(f"\r{text}\x1b[K" + ("\n" if evaluation.is_finished else ""))
        elif mark != self._last:
            self._stream.write(text + "\n")
        self._last = mark
        self._stream.flush()


class NotebookProgress:
    """Shows the progress of an evaluation as one bar in the output of a notebook's cell."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, evaluation: Evaluation) -> None:
        """Show the bar, or change the one that is shown."""
        display: Any = import_module("IPython.display")
        page = display.HTML(format_progress_html(evaluation))
        if self._handle is None:
            self._handle = display.display(page, display_id=True)
        else:
            self._handle.update(page)


def choose_display(*, progress: bool | ShowProgress) -> ShowProgress | None:
    """Return what shows the progress: a bar for True, in a notebook that of a cell."""
    if not isinstance(progress, bool):
        return progress
    if not progress:
        return None
    return NotebookProgress() if _is_in_notebook() else ProgressBar()


def format_progress_line(evaluation: Evaluation) -> str:
    """Return ``[#####.....] 12 of 40 splits, running, about 3 minutes left``."""
    full = int(_compute_share(evaluation) * WIDTH)
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {_describe(evaluation)}"


def format_progress_html(evaluation: Evaluation) -> str:
    """Return a bar and the words of ``format_progress_line`` as HTML."""
    words = escape(_describe(evaluation))
    value = "" if evaluation.status == "queued" else f' value="{_compute_share(evaluation):.3f}"'
    return f'<progress max="1"{value} aria-label="{words}"></progress> {words}'


def read_seconds_left(evaluation: Evaluation) -> float | None:
    """Return the service's estimate of the seconds to the end; None where it says too little.

    The service multiplies the work of each learner that is left by the time that its finished work
    took. Before two units are done there is no estimate.
    """
    if evaluation.is_finished or evaluation.progress.done < FEWEST_UNITS:
        return None
    return evaluation.seconds_left


def format_seconds(seconds: float) -> str:
    """Return a length of time, rounded: ``40 seconds``, ``3 minutes`` or ``2.5 hours``."""
    if seconds < 59.5:
        return _count(f"{max(seconds, 1.0):.0f}", "second")
    if seconds < 3570:
        return _count(f"{seconds / 60:.0f}", "minute")
    return _count(f"{seconds / 3600:.1f}".removesuffix(".0"), "hour")


def _count(number: str, unit: str) -> str:
    return f"{number} {unit}" if number == "1" else f"{number} {unit}s"


def _describe(evaluation: Evaluation) -> str:
    progress = evaluation.progress
    if progress.total is None:
        return evaluation.status
    words = f"{progress.done} of {progress.total} {progress.unit}, {evaluation.status}"
    n_seconds = read_seconds_left(evaluation)
    return words if n_seconds is None else f"{words}, about {format_seconds(n_seconds)} left"


def _compute_share(evaluation: Evaluation) -> float:
    return 1.0 if evaluation.status == "succeeded" else evaluation.progress.share or 0.0


def _count_tenths(evaluation: Evaluation) -> str:
    return str(int(10 * (evaluation.progress.share or 0.0)))


def _is_in_notebook() -> bool:
    """Return whether a notebook's kernel runs this program; IPython is not imported for that."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
