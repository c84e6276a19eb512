"""Requests for small studies, and a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tests.service.kinds.run_requests import parquet_file
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import ClaimCase, ClaimRow, judge
from thetahat.analyses.studies.repetitions import make_repetition_generator, run_in_blocks
from thetahat.analyses.studies.result import make_table
from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray

LOSSES: dict[str, Any] = {
    "kind": "study",
    "population": {"generator": {"name": "random_effects", "params": {"omega": 0.1}}},
    "draw": {"n_sources": 4, "per_source": 3},
    "estimators": [{"variances": ["theta_A"], "intervals": ["student_t"]}],
    "repetitions": 30,
}
RNG = np.random.default_rng(20_261_123)
X = RNG.normal(size=60)
COLUMNS: dict[str, Any] = {
    "x": X,
    "y": np.where(X + RNG.normal(size=60) > 0, "yes", "no").tolist(),
    "site": np.repeat(["a", "b", "c", "d", "e"], 12).tolist(),
    "text": np.repeat(np.arange(30), 2),
}


POSITIVE = ClaimRow(
    sentence="uniform", reference="efron1993", place="p", quantity="mean", measured="m", at_least=0
)


@dataclass(frozen=True)
class Draws:
    """Draws in blocks of ten."""

    seed: int
    top: float
    of: str

    @property
    def grain(self) -> int:
        return 10

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        def draw(first: int) -> dict[str, FloatArray]:
            return {"pair": self.top * make_repetition_generator(self.seed, first).random((10, 2))}

        return run_in_blocks(draw, 10, start, stop)

    def finish(self, records: Records) -> StudyFindings:
        mean = MonteCarloNumber(float(records["pair"].mean()), 0.001)
        claims = judge((POSITIVE,), [ClaimCase({"mean": mean}.get, {})])
        table = make_table("means", "Means", {"mean": "M"}, [{"mean": mean}])
        return StudyFindings(tables=(table,), claims=claims, cautions=(Caution("from", self.of),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiny:
    """Uniform numbers up to ``top``."""

    top: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(name="tiny", title="Tiny", summary="Numbers.")
    repetitions: ClassVar[int] = 40
    roles: ClassVar[Mapping[str, str]] = {"numbers": "whose rows are counted"}

    def __post_init__(self) -> None:
        if self.top <= 0:
            raise InvalidParameter("top must be above 0", loc=("top",), value=self.top)

    def plan(self, data: Mapping[str, Data], seed: int) -> Draws:
        return Draws(seed, self.top, f"{data['numbers'].n} rows" if data else "a generator")


def of_file(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    file = parquet_file(tmp_path, COLUMNS)
    body = {
        "kind": "study",
        "population": {
            "dataset": str(file.id),
            "columns": {"target": "y", "source": "site"},
            "duplicates": "text",
        },
        "draw": {"n_sources": 3, "per_source": 5, "same_sources": 5},
        "estimators": [
            {
                "scheme": "leave_one_source_out",
                "learners": {"nm": "nearest_mean", "none": "majority"},
                "variances": ["theta_B"],
                "intervals": ["student_t"],
                "tests": ["sign"],
            },
            {
                "as": "folds",
                "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
                "learner": "nearest_mean",
                "variances": ["theta_3"],
                "intervals": [],
            },
        ],
        "repetitions": 10,
    }
    return body | changes


PAIRS: dict[str, Any] = LOSSES | {
    "population": {"generator": "gaussian_shift", "n_judged": 50},
    "draw": {"n": 20, "n_target": 10},
    "estimators": [
        {"scheme": {"name": "k_fold", "params": {"n_folds": 2}}, "learner": "nearest_mean"}
    ],
    "repetitions": 5,
}
