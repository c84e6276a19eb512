"""The models of several evaluations ranked together, computed when somebody asks.

They are computed from the kept losses, in a process of its own:
``python -m thetahat_service.jobs.leaderboards OWNER EVALUATION...`` is that process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from thetahat_service.errors import DamagedFile, FieldError, InvalidRequest, PartsNotKept
from thetahat_service.jobs import read
from thetahat_service.jobs.computed_texts import ComputedTexts, write_text
from thetahat_service.settings import get_settings
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.unit_of_work import reading

if TYPE_CHECKING:
    from thetahat_service.recomputation.leaderboards import EvaluationToRank

MOST_EVALUATIONS: Final = 50
"""Evaluations that are ranked together: as many as a page of the list has."""


def get_leaderboards(owner_id: UUID, identifiers: Sequence[UUID]) -> str:
    """Return the boards of evaluations as JSON text.

    Raises ``InvalidRequest`` for fewer than one evaluation or too many, and the errors of reading
    for one that is not there or has no result.
    """
    wanted = tuple(dict.fromkeys(identifiers))
    if not 1 <= len(wanted) <= MOST_EVALUATIONS:
        fault = (
            f"{len(wanted)} evaluations are named. Name from 1 to {MOST_EVALUATIONS} in of, each "
            "once."
        )
        raise InvalidRequest(fault, (FieldError(("query", "of"), fault, str(len(wanted))),))
    for each in wanted:
        read.get_result(owner_id, each)
    return _BOARDS.get((owner_id, *wanted), owner_id, *wanted)


_BOARDS: Final[ComputedTexts[tuple[UUID, ...]]] = ComputedTexts(
    module="thetahat_service.jobs.leaderboards",
    busy="Other models are being ranked. Ask again.",
    slow="Ranking these models takes longer than {seconds:g} seconds. Name fewer evaluations.",
    failed="The models could not be ranked.",
)
"""The last boards, by owner and evaluations."""


def compute_leaderboards(owner_id: UUID, identifiers: Sequence[UUID]) -> str:
    """Return the boards; only this function imports the mathematics."""
    from thetahat_service.json_encoding import encode_json  # noqa: PLC0415 - likewise
    from thetahat_service.recomputation.leaderboards import build_leaderboards  # noqa: PLC0415 - likewise

    kept: list[EvaluationToRank] = []
    left_out: list[dict[str, str]] = []
    for each in identifiers:
        try:
            kept.append(_read_kept(read.get(owner_id, each)))
        except PartsNotKept as error:
            left_out.append({"evaluation": str(each), "reason": error.message})
    found = build_leaderboards(kept, get_settings().max_models)
    found["left_out"] = [*left_out, *found["left_out"]]
    return encode_json(found)


def _read_kept(row: EvaluationRow) -> EvaluationToRank:
    """Return an evaluation with its losses; raise ``PartsNotKept`` where these do not suffice."""
    from thetahat_presentation.showing import name_evaluation  # noqa: PLC0415 - likewise
    from thetahat_service.jobs import loading  # noqa: PLC0415 - likewise
    from thetahat_service.kinds.kept_losses import read_kept_losses  # noqa: PLC0415 - likewise
    from thetahat_service.recomputation.leaderboards import EvaluationToRank, read_measure  # noqa: PLC0415 - likewise
    from thetahat_service.recomputation.sources import OF_LOSSES, refuse_without_grades  # noqa: PLC0415 - likewise
    from thetahat_service.storage import results  # noqa: PLC0415 - likewise
    from thetahat_service.storage.open_files import open_file_store  # noqa: PLC0415 - likewise

    files = open_file_store()
    with reading() as connection:
        loaded = loading.load(connection, row.id, files)
        stored = results.get(connection, row.id)
    request: Any = loaded.job.request
    if request.kind not in OF_LOSSES:
        raise PartsNotKept(
            f"Models are ranked by losses, predictions and cross-validations, not by a "
            f"{request.kind.replace('_', ' ')}."
        )
    refuse_without_grades(request)
    if stored is None or stored.losses_file is None:
        raise PartsNotKept("Its losses are not kept, row by row.")
    try:
        table = read_kept_losses(files.fetch(stored.losses_file))
    except DamagedFile:
        raise PartsNotKept("Its losses were removed.") from None
    choices, result = request.choices, json.loads(stored.body)
    models = result["models"].items()
    return EvaluationToRank(
        id=str(row.id),
        title=name_evaluation(row.name, request.kind, row.id, row.summary),
        data_sha256=row.data_sha256,
        measure=read_measure(request.build_canonical()),
        level=choices.level,
        margin=choices.margin,
        noun=choices.noun,
        table=table,
        costs={name: model["cost"]["mean"] for name, model in models if model.get("cost")},
        cost_unit=(result.get("cost") or {}).get("unit"),
    )


if __name__ == "__main__":
    write_text(lambda ids: compute_leaderboards(UUID(ids[0]), [UUID(each) for each in ids[1:]]))
