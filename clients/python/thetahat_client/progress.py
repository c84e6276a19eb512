"""The progress of an evaluation as text."""

from __future__ import annotations

import sys
from typing import Final, TextIO

from thetahat_client.models import Evaluation

WIDTH: Final = 30


class ProgressBar:
    """Shows the progress of an evaluation.

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
        text = progress_line(evaluation)
        mark = evaluation.status + ("" if self._live else _tenth(evaluation))
        if self._live:
            self._stream.write(f"\r{text}\x1b[K" + ("\n" if evaluation.is_finished else ""))
        elif mark != self._last:
            self._stream.write(text + "\n")
        self._last = mark
        self._stream.flush()


def progress_line(evaluation: Evaluation) -> str:
    """Return ``[#####.....] 12 of 40 splits, running, about 3 min left``."""
    progress = evaluation.progress
    share = 1.0 if evaluation.status == "succeeded" else progress.share or 0.0
    full = int(share * WIDTH)
    bar = f"[{'#' * full}{'.' * (WIDTH - full)}]"
    if progress.total is None:
        return f"{bar} {evaluation.status}"
    line = f"{bar} {progress.done} of {progress.total} {progress.unit}, {evaluation.status}"
    if evaluation.is_finished or evaluation.seconds_left is None:
        return line
    return f"{line}, about {format_seconds(evaluation.seconds_left)} left"


def format_seconds(seconds: float) -> str:
    """Return a length of time in the unit that suits it: ``40 s``, ``3 min`` or ``2.5 h``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _tenth(evaluation: Evaluation) -> str:
    return str(int(10 * (evaluation.progress.share or 0.0)))
