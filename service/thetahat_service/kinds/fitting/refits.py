"""The methods of a request that fit its learners again, and the extra fits that they need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.cross_validation.evaluation import RefitRuns, collect_refit_warnings
from thetahat.analyses.losses.result import MethodUsed
from thetahat.cautions import Caution, list_stored, restore_all
from thetahat.cross_validation import Group
from thetahat.error_paths import located_errors
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.losses.base import Loss
from thetahat.refit_estimators import (
    LossesByDesign,
    RefitDesign,
    RequestedRefit,
    check_independent_rows,
    collect_designs,
)
from thetahat.refit_estimators._extra_fits import (
    compute_refit_seed,
    join_losses,
    run_design_together,
)
from thetahat.schemes.base import Rows, Scheme
from thetahat.tables.data import Data
from thetahat_service.kinds.base import Arrays
from thetahat_service.kinds.fields.data import has_role
from thetahat_service.kinds.fields.learners import LearnersRequest
from thetahat_service.kinds.fitting.engine import ChunkKey, FittingStage, apply_unless_failed
from thetahat_service.kinds.methods_used import record_method

MOST_FITS: Final = 50_000
"""Largest number of fits of one evaluation, over all learners: of extra fits, of a learning curve,
and of a selection, where candidates that are fitted together count as one."""
MOST_LOSSES: Final = 50_000_000
"""Largest number of losses of those fits, which are all in memory when the result is computed."""
_STAGE: Final = "refits "


@dataclass(frozen=True, slots=True)
class Refits:
    """The extra fits of an evaluation: each design once, whatever the number of its methods."""

    methods: tuple[RequestedRefit, ...]
    """Methods that the request names."""
    designs: tuple[RefitDesign, ...]
    """Their designs, in the order of the request."""
    n_splits: tuple[int, ...]
    """Fits of one learner, by design."""

    def build_stages(self, n_chunks: int) -> list[FittingStage]:
        """Return one stage for each design, with about ``n_chunks`` chunks over all of them."""
        total = max(1, sum(self.n_splits))
        return [
            FittingStage(
                name=build_stage_name(i), n_splits=n, n_chunks=min(n, max(1, n_chunks * n // total))
            )
            for i, n in enumerate(self.n_splits)
        ]

    def list_methods_used(self) -> list[MethodUsed]:
        """Return the methods as records, with all parameters."""
        return [record_method(method.field, method.method, method.key) for method in self.methods]


NO_REFITS: Final = Refits((), (), ())


def build_stage_name(design: int) -> str:
    """Return the name of the stage with the fits of a design."""
    return f"{_STAGE}{design}"


def is_refit_stage(stage: str) -> bool:
    """Return whether a stage is one of extra fits."""
    return stage.startswith(_STAGE)


def build_refits(request: LearnersRequest, scheme: Scheme, rows: Rows) -> Refits:
    """Return the extra fits that a request asks for; refuse too many, and unsuitable data.

    Only the number of ``rows`` is used, so that a request can be checked before its data are read.
    """
    methods = request.refit_methods
    check_independent_rows(
        methods,
        scheme.block_kind,
        source=has_role(request, "source"),
        cluster=has_role(request, "cluster"),
        time=has_role(request, "time"),
    )
    designs = collect_designs(methods)
    n_splits, n_losses = [], 0
    for design in designs:
        first = next(method for method in methods if method.method.design == design)
        with located_errors(within=(first.field, first.index, "params")):
            n_splits.append(design.n_splits(rows))
            n_losses += design.n_tests(rows)
    _check_number("fits", sum(n_splits), len(request.learners), MOST_FITS, methods)
    _check_number("losses", n_losses, len(request.learners), MOST_LOSSES, methods)
    return Refits(methods, designs, tuple(n_splits))


def _check_number(
    noun: str, per_learner: int, n_learners: int, max_fits: int, methods: Sequence[RequestedRefit]
) -> None:
    if per_learner * n_learners > max_fits:
        names = ", ".join(dict.fromkeys(method.name for method in methods))
        raise InvalidParameter(
            f"{names} would need {per_learner * n_learners} extra {noun} ({per_learner} for each "
            f"of {n_learners} learners), more than the limit of {max_fits}. Ask for fewer "
            "repeats or resamples.",
            loc=(methods[0].field, methods[0].index),
            value=per_learner * n_learners,
        )


def run_refits(  # noqa: PLR0913 - learners, their data, and which fits
    refits: Refits, group: Group, key: ChunkKey, data: Data, loss: Loss, seed: int
) -> dict[str, Arrays | EvaluationError]:
    """Fit and test the learners of a group on the splits of a chunk of a design."""
    design = refits.designs[int(key.stage.removeprefix(_STAGE))]
    outputs = run_design_together(
        group, data, loss, design, compute_refit_seed(seed), key.start, key.stop
    )
    return {name: apply_unless_failed(output, _pack) for name, output in outputs.items()}


def _pack(output: tuple[Arrays, Sequence[Caution]]) -> Arrays:
    arrays, cautions = output
    text = json.dumps(list_stored(cautions))
    return {**arrays, "cautions": np.frombuffer(text.encode(), dtype=np.uint8)}


StageArrays = Mapping[str, Sequence[Mapping[str, np.ndarray]]]
"""The arrays of one learner's chunks by stage, in the order of the splits."""


def read_refits(
    refits: Refits, data: Data, seed: int, arrays: Mapping[str, StageArrays]
) -> RefitRuns:
    """Return the losses of the extra fits.

    ``arrays`` has by learner the arrays of its chunks.
    """
    losses: dict[str, LossesByDesign] = {
        name: {
            design: join_losses(data, compute_refit_seed(seed), by_stage[build_stage_name(i)])
            for i, design in enumerate(refits.designs)
        }
        for name, by_stage in arrays.items()
    }
    warnings = (
        (name, restore_all(json.loads(chunk["cautions"].tobytes())))
        for name, by_stage in arrays.items()
        for stage, chunks in by_stage.items()
        if is_refit_stage(stage)
        for chunk in chunks
    )
    return RefitRuns(
        methods=refits.methods, losses=losses, cautions=collect_refit_warnings(warnings)
    )
