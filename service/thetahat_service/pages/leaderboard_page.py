"""The page with the models of several evaluations ranked together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thetahat_presentation.document import Document, Json, Table
from thetahat_presentation.numbers import count
from thetahat_presentation.parts.ranking import describe_ranking
from thetahat_service.pages.shown_results import show_result


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBoard:
    """One test set with its models."""

    title: str
    """What it is about."""
    sentence: str
    """Which rows these are, and how they were paired."""
    apart_because: str | None
    """Why its evaluations are not ranked with the first board."""
    evaluations: list[tuple[str, str]]
    """Id and title of each evaluation."""
    document: Document
    """All models together."""
    ranking: list[str]
    """Who shares the first rank, and which gap the test set can resolve."""
    tables: list[Table]
    """All models, the pairs with the best, and quality against cost."""


def show_boards(found: Json, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page shows of boards; ``titles`` are those of the evaluations, by id."""
    boards = found["boards"]
    return {
        "boards": [_show_board(board, is_only=len(boards) == 1) for board in boards],
        "left_out": [
            (each["evaluation"], titles.get(each["evaluation"], ""), each["reason"])
            for each in found["left_out"]
        ],
    }


def _show_board(board: Json, *, is_only: bool) -> ShownBoard:
    result = board["result"]
    document = show_result(result, {"margin": board["margin"]})
    n_models, n_evaluations = len(result["models"]), len(board["evaluations"])
    how = "the data have the same digest" if board["same_data"] else "the rows have the same names"
    paired = "" if n_evaluations == 1 else f" They are paired row by row, because {how}."
    together = "All models" if is_only else count(n_evaluations, "evaluation")
    alone = f"{board['evaluations'][0]['title']}, by itself"
    sections = [document.find_section(name) for name in ("models", "pairs", "costs")]
    return ShownBoard(
        title=alone if n_evaluations == 1 else f"{together} together",
        sentence=f"{count(n_models, 'model')} of {count(n_evaluations, 'evaluation')} on the same "
        f"{count(board['n'], 'instance')}.{paired}",
        apart_because=board["apart_because"],
        evaluations=[(each["id"], each["title"]) for each in board["evaluations"]],
        document=document,
        ranking=describe_ranking(result),
        tables=[table for section in sections if section for table in section.tables],
    )
