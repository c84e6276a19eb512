"""How often the intervals of a cross-validation cover on samples of its own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import Field

from service.jobs.parts import failed_arrays, read_failure
from service.kinds.cross_validation.calibration_result import intervals, told_of
from service.kinds.cross_validation.calibration_sources import KEY, OnWholeSources, of_key
from service.kinds.study.records import (
    RecordedRepetitions,
    merge_records,
    pack_records,
    unpack_records,
)
from service.schemas.base import Schema
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.cautions import NEW_SOURCE_NOT_CALIBRATED, NOT_CALIBRATED
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.seeds import stream
from thetahat.values.json_values import to_json
from thetahat.values.json_values import told as told_cautions
from thetahat.values.types import BlockKind

if TYPE_CHECKING:
    from uuid import UUID

    from service.kinds.base import DatasetFile
    from service.kinds.cross_validation.kind import CrossValidationRequest
    from service.kinds.cross_validation.plan import Plan
    from thetahat.analyses.losses import Choices

CALIBRATION: Final = "calibration"
"""The part that fails alone, and the key of the result."""
FEWEST_ROWS: Final = 20
MOST_CHUNKS: Final = 40
DEFAULT_REPETITIONS: Final = 200


class CalibrationInput(Schema):
    """How many samples of the data are drawn, and how large."""

    repetitions: int = Field(DEFAULT_REPETITIONS, ge=20, le=100_000, strict=True)
    share: float = Field(
        0.5,
        gt=0,
        le=0.8,
        description="Of the rows (of each source, where blocks are sources) in one sample; the "
        "truth is taken on the others.",
    )


class CalibrationFields(Schema):
    """The field of a kind whose intervals can be calibrated."""

    calibration: bool | CalibrationInput = Field(
        default=False,
        description="Whether to tell how often each interval covers on samples of these data.",
    )


def calibration_of(given: CalibrationFields) -> CalibrationInput | None:
    """Return what is asked for, or None."""
    if isinstance(given.calibration, CalibrationInput):
        return given.calibration
    return CalibrationInput() if given.calibration else None


def check_calibration(given: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what can be seen to be too little."""
    asked = calibration_of(given)
    if asked is None:
        return
    inline = 0 if given.data is None else len(given.data.y)
    n_rows = inline if given.dataset is None else datasets[given.dataset].rows
    if CALIBRATION in given.learners:
        raise InvalidParameter(
            f"a learner is called {CALIBRATION!r}, which is what the calibration is called in the "
            "progress; give it another name",
            loc=("learners", CALIBRATION),
        )
    if asked.share * n_rows < FEWEST_ROWS:
        raise InvalidParameter(
            f"a share of {asked.share:g} of {n_rows} rows is fewer than {FEWEST_ROWS}: too few to "
            "say how intervals do on these data",
            loc=(CALIBRATION,),
            value=n_rows,
        )


def parts_of_calibration(asked: CalibrationInput | None) -> list[dict[str, Any]]:
    """Return the pieces of the work, each some of the repetitions."""
    if asked is None:
        return []
    count = min(MOST_CHUNKS, asked.repetitions // 5)
    edges = [asked.repetitions * i // count for i in range(count + 1)]
    return [{CALIBRATION: True, "start": a, "stop": b} for a, b in pairwise(edges)]


def run_calibration(
    plan: Plan, given: CrossValidationRequest, seed: int, part: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Do some repetitions, or say why it cannot be done."""
    start, stop = part["start"], part["stop"]
    try:
        records = _study(plan, given, seed).run(start, stop)
        sources = _whole_sources(plan, given, seed)
        if sources is not None:
            records = records | sources.run(start, stop)
    except EvaluationError as error:
        return failed_arrays(error.code, error.message, (CALIBRATION,))
    return pack_records(RecordedRepetitions(np.arange(start, stop), records))


def add_calibration(
    result: dict[str, Any],
    plan: Plan,
    given: CrossValidationRequest,
    seed: int,
    outputs: Sequence[Mapping[str, np.ndarray]],
) -> None:
    """Tell each interval how often it covered; one that no sample had is told nothing."""
    asked = calibration_of(given)
    if asked is None or not outputs:
        return
    failure = next((f for o in outputs if (f := read_failure(o, CALIBRATION)) is not None), None)
    if failure is None:
        study = _study(plan, given, seed)
        whole = merge_records(unpack_records(output) for output in outputs)
        try:
            found = study.finish(of_key(whole.records, CALIBRATION))
        except EvaluationError as error:
            failure = {"message": error.message}
    if failure is not None:
        result["cautions"].append(to_json(NOT_CALIBRATED(reason=failure["message"])))
        result[CALIBRATION] = None
        return
    rows = {
        (row["subject"], row["interval"], row["target"], row["mean"]): row
        for table in found.tables
        if table.name == "intervals"
        for row in table.rows
    }
    sources = _whole_sources(plan, given, seed)
    of_sources = of_key(whole.records, KEY)
    refused = None if sources is None else sources.refused(of_sources)
    for subject, interval in intervals(result):
        told = told_of(rows, subject, interval)
        if told is None and sources is not None:
            told = sources.told(of_sources, subject, interval)
        interval[CALIBRATION] = told
    about = None if sources is None or refused is not None else sources.about()
    lacking = () if refused is None else (NEW_SOURCE_NOT_CALIBRATED(reason=refused),)
    result[CALIBRATION] = {
        "repetitions": len(whole.index),
        "share": asked.share,
        "rows": study.size.rows,
        "truth_from": study.population.truth_from,
        "new_source": about,
        "cautions": told_cautions([*found.cautions, *lacking]),
        "note": _note(plan, study),
    }


def _note(plan: Plan, study: GeneralStudy) -> str:
    return (
        f"Each sample has {study.size.rows} of the {plan.data.n} rows, so that the truth can "
        "be taken on the others: with all rows learners are a little better, and intervals "
        "narrower, than in the samples. Samples share rows, and the standard errors do not "
        "know it."
    )


def _study(plan: Plan, given: CrossValidationRequest, seed: int) -> GeneralStudy:
    """Return the study on these data, with the request's scheme, learners and methods."""
    asked = calibration_of(given)
    assert asked is not None  # noqa: S101 - the callers asked
    by_source = _has_source_blocks(plan)
    return GeneralStudy(
        population=DataAsPopulation(data=plan.data),
        size=_by_source(plan, asked.share)
        if by_source
        else DrawSize(n=int(asked.share * plan.data.n)),
        estimators=[_estimator(plan, given)],
        seed=_seed(seed),
        same_sources=None,
    )


def _whole_sources(plan: Plan, given: CrossValidationRequest, seed: int) -> OnWholeSources | None:
    """Return the study of whole sources; None where blocks are no sources."""
    asked = calibration_of(given)
    if asked is None or not _has_source_blocks(plan):
        return None
    return OnWholeSources.of(plan.data, _estimator(plan, given), asked.share, _seed(seed))


def _has_source_blocks(plan: Plan) -> bool:
    return plan.scheme.block_kind is BlockKind.SOURCE and plan.data.source is not None


def _seed(seed: int) -> int:
    return int(stream(seed, CALIBRATION).integers(2**53))


def _estimator(plan: Plan, given: CrossValidationRequest) -> StudyEstimator:
    choices: Choices = replace(given.choices, tests=())
    return StudyEstimator(
        key=CALIBRATION,
        choices=choices,
        scheme=plan.scheme,
        learners=plan.learners,
        loss=plan.loss,
        refits=plan.extra.asked,
    )


def _by_source(plan: Plan, share: float) -> DrawSize:
    """Return a share of the smallest source's rows, of every source."""
    counts = np.unique(np.asarray(plan.data.source), return_counts=True)[1]
    per_source = int(share * counts.min())
    if per_source < 2:
        raise InvalidParameter(
            f"a share of {share:g} of the smallest source, which has {counts.min()} rows, is fewer "
            "than two",
            loc=(CALIBRATION,),
            value=int(counts.min()),
        )
    return DrawSize(n_sources=len(counts), per_source=per_source)
