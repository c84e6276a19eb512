"""Results with parts that their requests did not include, computed from the kept losses.

As a partial result, they are computed when a client asks for them, in a process of its own:
``python -m thetahat_service.jobs.result_parts EVALUATION PART...`` is that process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

import orjson

from thetahat.analyses.losses.result_parts import ResultPart, read_parts
from thetahat_service.errors import DamagedFile, FieldError, InvalidRequest, PartsNotKept
from thetahat_service.jobs import read
from thetahat_service.jobs.computed_texts import ComputedTexts, write_text
from thetahat_service.storage.unit_of_work import reading

if TYPE_CHECKING:
    from thetahat.analyses.losses.result import EvaluationResult
    from thetahat_service.jobs.loading import Loaded

OF_METRICS: Final = frozenset(
    {ResultPart.BLOCKS, ResultPart.INTERVALS, ResultPart.SCORE_CURVES, ResultPart.VARIANCES}
)
"""Parts that metrics have, too, which need predictions and scores."""
OF_REQUEST: Final = frozenset({"losses", "predictions"})
"""Kinds that fit no learners, so that parts which need more than losses are computed from the
request and its data sets."""


def get_result(owner_id: UUID, evaluation_id: UUID, include: Sequence[str]) -> str:
    """Return the result with some parts as JSON text.

    Raises ``InvalidRequest`` for a part that no result has, or a kind without parts, and
    ``PartsNotKept`` if the losses that they are computed from are not there.
    """
    parts = read_parts(include)
    text = read.get_result(owner_id, evaluation_id)
    result = orjson.loads(text)
    if "include" not in result:
        fault = f"Results of the kind {result['kind']} have no parts to include. Leave include out."
        raise InvalidRequest(fault, (FieldError(("query", "include"), fault, ",".join(parts)),))
    missing = [part for part in parts if part not in result["include"]]
    if not missing:
        return text
    reason = _explain_missing(result, missing)
    if reason is not None:
        again = orjson.dumps(missing).decode()
        raise PartsNotKept(f'{reason} Send the request again with "include": {again}.')
    key = (evaluation_id, tuple(missing))
    return _RESULTS.get(key, evaluation_id, *missing)


_RESULTS: Final[ComputedTexts[tuple[UUID, tuple[ResultPart, ...]]]] = ComputedTexts(
    module="thetahat_service.jobs.result_parts",
    busy="Parts of other results are being computed. Ask again.",
    slow="The parts take longer than {seconds:g} seconds to compute. Name fewer of them, or send "
    "the request again with them in include.",
    failed="The parts could not be computed.",
)
"""The last results with further parts, by evaluation and parts."""


def list_parts_to_come(result: Mapping[str, Any]) -> list[ResultPart]:
    """Return the parts that a result does not have and that can be computed."""
    if "include" not in result:
        return []
    have = {*result["include"], ResultPart.SCORE_CURVES}  # which need scores in any case
    if not any(model.get("groups") for model in result["models"].values()):
        have.add(ResultPart.GROUP_GAPS)
    missing = [part for part in ResultPart if part not in have]
    return [part for part in missing if _explain_missing(result, [part]) is None]


def _explain_missing(result: Mapping[str, Any], missing: Sequence[ResultPart]) -> str | None:
    """Return why some parts do not follow from losses alone, or None."""
    kind = result["kind"]
    if kind in {"selection", "learning_curve"}:
        return f"The parts of a {kind} need its fits, which are not kept."
    if kind not in OF_REQUEST and {*missing} == {ResultPart.SCORE_CURVES}:
        return "Curves need the scores of the rows, and only losses are kept."
    if ResultPart.INTERVALS in missing and result.get("calibration"):
        return (
            "The coverage of intervals was measured, and only that of the recommended ones is kept."
        )
    return None


def _find_beyond_losses(
    result: Mapping[str, Any], missing: Sequence[ResultPart]
) -> list[ResultPart]:
    """Return the parts that need more than losses: those of metrics and of groups."""
    models = result["models"].values()
    has_metrics, has_groups = (any(m.get(name) for m in models) for name in ("metrics", "groups"))
    return [
        part
        for part in missing
        if (has_metrics and part in OF_METRICS) or (has_groups and part is ResultPart.GROUP_GAPS)
    ]


def compute_result(evaluation_id: UUID, include: Sequence[str]) -> str:
    """Return the result with further parts; only this function imports the mathematics."""
    from thetahat.cautions import METRIC_PARTS_NOT_KEPT  # noqa: PLC0415 - likewise
    from thetahat_presentation.expansion import expand_result  # noqa: PLC0415 - likewise
    from thetahat_service.jobs import loading  # noqa: PLC0415 - likewise
    from thetahat_service.json_encoding import encode_json  # noqa: PLC0415 - likewise
    from thetahat_service.kinds.kept_losses import read_kept_losses  # noqa: PLC0415 - likewise
    from thetahat_service.kinds.result_json import encode_parts  # noqa: PLC0415 - likewise
    from thetahat_service.recomputation.evaluating import evaluate_kept_losses  # noqa: PLC0415 - likewise
    from thetahat_service.recomputation.sources import refuse_without_grades  # noqa: PLC0415 - likewise
    from thetahat_service.storage import results  # noqa: PLC0415 - likewise
    from thetahat_service.storage.open_files import open_file_store  # noqa: PLC0415 - likewise

    files = open_file_store()
    with reading() as connection:
        loaded = loading.load(connection, evaluation_id, files)
        stored = results.get(connection, evaluation_id)
    refuse_without_grades(loaded.job.request)
    if stored is None or stored.losses_file is None:
        raise PartsNotKept("The losses of this evaluation are not kept, so it has no other parts.")
    result = orjson.loads(stored.body)
    job = loaded.job
    beyond = _find_beyond_losses(result, read_parts(include))
    if beyond and job.kind in OF_REQUEST:
        further = _evaluate_request(loaded, include)
    else:
        try:
            table = read_kept_losses(files.fetch(stored.losses_file))
        except DamagedFile:
            raise PartsNotKept(
                "The losses of this evaluation were removed, so it has no other parts."
            ) from None
        groups = None
        if ResultPart.GROUP_GAPS in beyond:
            _refuse_missing_data(loaded)
            groups = loaded.kind.find_groups_of_losses(job, table.layout)
        choices = job.request.choices
        further = evaluate_kept_losses(table, choices, result, job.seed, include, groups)
        if any(model.get("metrics") for model in result["models"].values()) and beyond:
            caution = METRIC_PARTS_NOT_KEPT(parts=", ".join(beyond))
            further = replace(further, cautions=(*further.cautions, caution))
    trained = job.request.has_trained_models
    parts = encode_parts(expand_result(result), further, has_trained_models=trained)
    return encode_json(parts)


def _evaluate_request(loaded: Loaded, include: Sequence[str]) -> EvaluationResult:
    """Return what the request gives with further parts, where its data sets are still there."""
    from thetahat_service.json_encoding import encode_json  # noqa: PLC0415 - likewise
    from thetahat_service.kinds.base import run_job  # noqa: PLC0415 - likewise

    job, kind = loaded.job, loaded.kind
    _refuse_missing_data(loaded)
    wanted = [*job.request.choices.parts, *include]
    stored = {**job.request.build_canonical(), "include": wanted}
    request = kind.request.model_validate({"kind": kind.name, **orjson.loads(encode_json(stored))})
    result: Any = run_job(kind, replace(job, request=request)).result
    return cast("EvaluationResult", result.evaluation)


def _refuse_missing_data(loaded: Loaded) -> None:
    """Raise an exception if a data set of the request was deleted."""
    if not set(loaded.job.request.list_dataset_ids()) <= loaded.job.datasets.keys():
        raise PartsNotKept("The data set of this evaluation was deleted, so it has no such parts.")


if __name__ == "__main__":
    write_text(lambda arguments: compute_result(UUID(arguments[0]), arguments[1:]), PartsNotKept)
