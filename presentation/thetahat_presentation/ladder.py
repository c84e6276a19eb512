"""A Ladder as a document: the scores that it has published, and what is fixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.kinds.ladder import list_rule
from thetahat_presentation.numbers import format_number

LIMIT: Final = (
    "A score is the mean loss of the best submission on these rows, chosen by these rows; it has "
    "no interval. The Ladder protects against choosing by scores, not against whoever can read the "
    "data set."
)


def show_ladder(ladder: Json, scores: Sequence[Json], *, has_more: bool) -> Document:
    """Return the document of a Ladder, in which hidden characters are shown as escapes.

    Parameters
    ----------
    ladder : mapping
        The Ladder as JSON.
    scores : sequence of mapping
        Its newest scores, the newest one first.
    has_more : bool
        Whether it has published more.
    """
    table = tabulate_scores(scores, has_more=has_more)
    sections = [
        Section(name="scores", title="What was published?", tables=[table]),
        Section(name="fixed", title="What is fixed?", tables=[tabulate_rule(ladder)]),
    ]
    return show_hidden_in(Document.of_record(ladder["sentence"], sections, LIMIT))


def tabulate_scores(scores: Sequence[Json], *, has_more: bool) -> Table:
    """Return published scores as a table."""
    return Table(
        caption="Published scores, the newest first",
        columns=["Submission", "Model", "Score", "Time"],
        rows=[
            [
                Name(format_number(score["submission"])),
                Name(score["model"] or "not kept"),
                Number(score["score"]),
                f"{str(score['at'])[:16].replace('T', ' ')} UTC",
            ]
            for score in scores
        ],
        notes=["Earlier scores are not listed."] if has_more else [],
    )


def tabulate_rule(ladder: Json) -> Table:
    """Return what the first submission has fixed."""
    rows: list[list[Cell]] = [
        ["Data set", Name(str(ladder["dataset"]))],
        *list_rule(ladder, ladder["loss"]["name"]),
    ]
    return Table(caption="Fixed by the first submission", columns=["What", "Value"], rows=rows)
