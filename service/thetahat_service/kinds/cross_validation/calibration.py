"""The chunks of a calibration: the intervals of a cross-validation on samples of its own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Final
from uuid import UUID

import numpy as np

from thetahat.analyses.calibration.coverage import (
    CalibratedIntervals,
    FailedCalibration,
    measure_interval_coverage,
)
from thetahat.analyses.calibration.studies import CALIBRATION, CalibrationStudies
from thetahat.analyses.studies.recorded_repetitions import (
    RecordedRepetitions,
    RepetitionRange,
    merge_records,
    pack_records,
    unpack_records,
)
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.values.block_nouns import read_noun
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words
from thetahat_service.json_types import Payload
from thetahat_service.kinds.base import Arrays, Chunk, DatasetFile, read_payload
from thetahat_service.kinds.cross_validation.plan import CrossValidationPlan
from thetahat_service.kinds.cross_validation.request import CalibrationInput, CrossValidationRequest
from thetahat_service.outcomes.failure_arrays import encode_failure, read_failure

FEWEST_ROWS: Final = 20
"""Smallest number of rows in a sample; with fewer, its intervals say little about the data's."""
MOST_CHUNKS: Final = 40
FEWEST_REPETITIONS: Final = 5
"""Smallest number of repetitions in a chunk."""


def check_calibration(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse samples of too few rows, and a learner with the name of the calibration."""
    settings = request.build_calibration_settings()
    if settings is None:
        return
    inline = 0 if request.data is None else len(request.data.y)
    n_rows = inline if request.dataset is None else datasets[request.dataset].rows
    if CALIBRATION in request.learners:
        raise InvalidParameter(
            f"The learner name {CALIBRATION!r} is reserved, because the progress uses it for the "
            "calibration. Give the learner another name.",
            loc=("learners", CALIBRATION),
        )
    if settings.share * n_rows < FEWEST_ROWS:
        raise InvalidParameter(
            f"The calibration would draw samples of {settings.share:g} x {n_rows} rows, which is "
            f"fewer than {FEWEST_ROWS}. Use a larger share, or leave the calibration out.",
            loc=(CALIBRATION,),
            value=n_rows,
        )


def cut_calibration(plan: CrossValidationPlan) -> list[Chunk]:
    """Return the chunks of the calibration; each runs a range of the repetitions."""
    settings = plan.request.build_calibration_settings()
    if settings is None:
        return []
    n_chunks = min(MOST_CHUNKS, settings.repetitions // FEWEST_REPETITIONS)
    edges = [settings.repetitions * i // n_chunks for i in range(n_chunks + 1)]
    per_sample = plan.n_splits * len(plan.learners)
    return [
        Chunk(
            asdict(RepetitionRange(start, stop)),
            size=(stop - start) * per_sample,
            part=CALIBRATION,
        )
        for start, stop in pairwise(edges)
    ]


def run_calibration(plan: CrossValidationPlan, payload: Payload) -> Arrays:
    """Run the repetitions of a chunk; if one raises, only the calibration fails."""
    part = read_payload(RepetitionRange, payload)
    settings = plan.request.build_calibration_settings() or CalibrationInput()
    try:
        records = _build_studies(plan, settings).run(part.start, part.stop)
    except EvaluationError as error:
        return encode_failure(error.code, error.message, (CALIBRATION,))
    return pack_records(RecordedRepetitions(np.arange(part.start, part.stop), records))


def read_calibration(
    plan: CrossValidationPlan, outputs: Sequence[Mapping[str, np.ndarray]]
) -> CalibratedIntervals | FailedCalibration | None:
    """Return the measured coverage; None if the request asks for no calibration.

    ``outputs`` are the arrays of all chunks of the calibration.
    """
    settings = plan.request.build_calibration_settings()
    if settings is None or not outputs:
        return None
    for arrays in outputs:
        failure = read_failure(arrays, CALIBRATION)
        if failure is not None:
            return FailedCalibration(failure["message"])
    merged = merge_records(unpack_records(arrays) for arrays in outputs)
    return measure_interval_coverage(_build_studies(plan, settings), merged)


def _build_studies(plan: CrossValidationPlan, settings: CalibrationInput) -> CalibrationStudies:
    noun = read_noun(plan.request.unit, plan.request.unit_plural)
    return CalibrationStudies(
        task=plan.build_outcomes_task(()),
        learners=plan.learners,
        refits=plan.refits.methods,
        share=settings.share,
        source_words=choose_words(BlockKind.SOURCE, noun),
    )
