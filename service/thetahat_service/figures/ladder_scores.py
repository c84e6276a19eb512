"""The scores that a Ladder has published, over its submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from thetahat_presentation.wording import name_method
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.lines import Line, LinePlot, build_line_view

NAME: Final = "scores"
MOST_SCORES: Final = 400
"""Scores that are drawn; of more, the newest ones."""
MOST_RINGS: Final = 40
"""Scores up to which each is ringed."""


def build_ladder_scores(
    ladder: Mapping[str, Any], scores: Sequence[Mapping[str, Any]], n_scores: int
) -> Figure:
    """Return the figure of a Ladder.

    Parameters
    ----------
    ladder : mapping
        The document of the Ladder.
    scores : sequence of mapping
        Documents of its newest scores, the first one first.
    n_scores : int
        How many scores it has published.
    """
    x, y, changed = _build_steps(scores, ladder["submissions"])
    are_ringed = len(scores) <= MOST_RINGS
    what = f"published score ({name_method(ladder['loss']['name'])})"
    drawn = LinePlot(
        lines=[Line(name=what, x=x, y=y, ringed=changed if are_ringed else (), has_points=False)],
        x_title="submissions so far",
        y_title=what,
        intervals="none",
    )
    caption = (
        "The line is the published mean loss, of which lower ones are better, after each "
        "submission. It changes only where a submission is better than the best before by more "
        "than the step"
    )
    caption += ", at the rings." if are_ringed else "."
    first = scores[0]["submission"]
    if n_scores > len(scores):
        caption += f" {n_scores - len(scores)} earlier scores are not drawn."
    elif first > 1:
        caption += f" The scores before submission {first} were not kept."
    return Figure(
        name=NAME,
        title="Published scores",
        caption=caption,
        alt=f"{n_scores} published scores. {ladder['sentence']}",
        about=(ladder["target"],),
        view=lambda style: build_line_view(drawn, style),
    )


def _build_steps(
    scores: Sequence[Mapping[str, Any]], submissions: int
) -> tuple[list[int], list[float], tuple[int, ...]]:
    """Return the corners of the line, and which of them are new scores."""
    x, y, changed = [scores[0]["submission"]], [scores[0]["score"]], [0]
    for before, after in pairwise(scores):
        x += [after["submission"]] * 2
        y += [before["score"], after["score"]]
        changed.append(len(x) - 1)
    return [*x, submissions], [*y, y[-1]], tuple(changed)
