"""Ladders of an owner: their list, the scores that each has published, and its figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

import orjson

from thetahat.values.number_text import format_number
from thetahat_presentation.numbers import format_count
from thetahat_presentation.wording import name_method
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.ladder_scores import MOST_SCORES, build_ladder_scores
from thetahat_service.storage import datasets, ladders
from thetahat_service.storage.ladders import ListedLadder, ScoreRow
from thetahat_service.storage.newest_first import Position
from thetahat_service.storage.tables import LADDER
from thetahat_service.storage.unit_of_work import reading

Json = dict[str, Any]


def list_ladders(
    owner_id: UUID, dataset: UUID | None, target: str | None, before: Position | None, limit: int
) -> tuple[list[Json], Position | None]:
    """Return documents of one page of an owner's list, newest first, and the position of its end.

    Parameters
    ----------
    owner_id : UUID
        The owner.
    dataset : UUID or None
        Only Ladders on the content of this data set; ``ResourceNotFound`` if there is none.
    target : str or None
        Only Ladders on this column.
    before : tuple or None
        Where the page begins.
    limit : int
        Most Ladders on the page.
    """
    conditions = []
    if dataset is not None:
        conditions.append(LADDER.c.sha256 == datasets.ROWS.fetch(owner_id, dataset).sha256)
    if target is not None:
        conditions.append(LADDER.c.target == target)
    rows, end = ladders.ROWS.list_page(owner_id, before, limit, *conditions)
    return _build_documents(owner_id, rows), end


def get(owner_id: UUID, ladder_id: UUID) -> Json:
    """Return the document of an owner's Ladder; ``ResourceNotFound`` if there is none."""
    found = _build_documents(owner_id, [ladders.ROWS.fetch(owner_id, ladder_id)])
    if not found:
        raise ResourceNotFound(f"There is no Ladder {ladder_id}.")
    return found[0]


def list_scores(
    owner_id: UUID, ladder_id: UUID, before: int | None, limit: int
) -> tuple[list[Json], int | None]:
    """Return one page of published scores, newest first, and the number of its last submission."""
    with reading() as connection:
        ladders.ROWS.get(connection, owner_id, ladder_id)
        rows = ladders.list_scores(connection, ladder_id, before, limit + 1)
    end = rows[limit - 1].submission if len(rows) > limit else None
    return [_build_score(row) for row in rows[:limit]], end


def read_figure(owner_id: UUID, ladder_id: UUID) -> Figure:
    """Return the figure of an owner's Ladder."""
    ladder = get(owner_id, ladder_id)
    with reading() as connection:
        rows = ladders.list_scores(connection, ladder_id, None, MOST_SCORES)
        n_scores = ladders.count_scores(connection, ladder_id)
    return build_ladder_scores(ladder, [_build_score(row) for row in reversed(rows)], n_scores)


def _build_documents(owner_id: UUID, rows: Sequence[ListedLadder]) -> list[Json]:
    """Return the documents of Ladders; one whose data set is being deleted is left out."""
    with reading() as connection:
        leaders = ladders.find_leaders(connection, [row.id for row in rows])
        files = datasets.find_newest_of_content(connection, owner_id, {row.sha256 for row in rows})
    return [
        _build_document(row, leaders.get(row.id), *files[row.sha256])
        for row in rows
        if row.sha256 in files
    ]


def _build_document(row: ListedLadder, leader: str | None, dataset: UUID, n: int) -> Json:
    loss, path = orjson.loads(row.loss), f"/v1/ladders/{row.id}"
    submissions = f"{format_count(row.submissions)} submission{'s' * (row.submissions != 1)}"
    of_leader = "" if leader is None else f", that of {leader}"
    return {
        "id": row.id,
        "dataset": dataset,
        "target": row.target,
        "n": n,
        "loss": {"params": {}, **loss},
        "step": row.step,
        "score": row.score,
        "leader": leader,
        "submissions": row.submissions,
        "created_at": row.created_at,
        "last_at": row.last_at,
        "sentence": f"After {submissions} the published score is {format_number(row.score)} "
        f"({name_method(loss['name'])}){of_leader}.",
        "links": {
            "self": path,
            "scores": f"{path}/scores",
            "figure": f"{path}/figures/scores.svg",
            "dataset": f"/v1/datasets/{dataset}",
        },
    }


def _build_score(row: ScoreRow) -> Json:
    values = asdict(row)
    del values["ladder_id"]
    return values
