"""How often intervals for a new source cover, on whole sources drawn from those of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from service.kinds.cross_validation.calibration_result import label
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.record_names import SOURCES
from thetahat.analyses.studies.truths import NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.analyses.studies.whole_sources import WholeSources, measure_coverage
from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.intervals import is_prediction
from thetahat.seeds import stream
from thetahat.values.json_values import to_json
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.analyses.studies.base import Records
    from thetahat.analyses.studies.estimator import StudyEstimator
    from thetahat.tables.data import Data

KEY: Final = "whole_sources"
"""Of the estimator, by which its records are known from the others'."""
FEWEST: Final = 4
"""Sources in a draw, and sources that are left: fewer tell next to nothing of a variance."""


@dataclass(frozen=True, slots=True, eq=False)
class OnWholeSources:
    """The second study of a calibration whose blocks are sources.

    Parameters
    ----------
    study : GeneralStudy
        Draws whole sources.
    n_drawn, n_sources : int
        How many are drawn, of how many.
    """

    study: GeneralStudy
    n_drawn: int
    n_sources: int

    @classmethod
    def of(cls, data: Data, estimator: StudyEstimator, share: float, seed: int) -> OnWholeSources:
        """Return the study of these data; whether their sources are enough is told apart."""
        n_sources = len(np.unique(np.asarray(data.source)))
        n_drawn = max(1, min(max(int(share * n_sources), FEWEST), n_sources - FEWEST))
        study = GeneralStudy(
            population=WholeSources(data=data),
            size=DrawSize(n_sources=n_drawn, per_source=1),
            estimators=[replace(estimator, key=KEY, refits=(), truths=(NEW_FITTED, ONE_NEW))],
            seed=int(stream(seed, KEY).integers(2**53)),
            same_sources=1,
        )
        return cls(study, n_drawn, n_sources)

    @property
    def is_enough(self) -> bool:
        """Whether there are sources to draw and as many to judge on."""
        return self.n_sources >= 2 * FEWEST

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Do some repetitions; of too few sources none."""
        if not self.is_enough:
            return {}
        records = self.study.run(start, stop)
        return {name: values for name, values in records.items() if name != SOURCES}

    def refused(self, records: Records) -> str | None:
        """Return why nothing is told of new sources; None where it is."""
        if not self.is_enough:
            return (
                f"nothing is told of new sources: of {self.n_sources} there are not {FEWEST} to "
                f"draw and {FEWEST} others to judge on"
            )
        try:
            self.study.finish(records)
        except EvaluationError as error:
            return error.message
        return None

    def told(
        self, records: Records, subject: str, interval: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Return how often one interval of the result covered; None for another target."""
        target = PREDICTED if is_prediction(interval["method"]) else interval["target"]
        share = self.n_drawn / self.n_sources
        found = measure_coverage(
            records, (KEY, subject), (label(interval), target, interval["mean"]), share
        )
        if found is None:
            return None
        encoded: dict[str, Any] = to_json(found)
        return encoded

    def about(self) -> dict[str, Any]:
        """Say what the draws are and which way they err."""
        return {
            "drawn": self.n_drawn,
            "sources": self.n_sources,
            "truth_from": self.study.population.truth_from,
            "note": (
                f"Each sample has all rows of {self.n_drawn} of the {self.n_sources} sources. The "
                "error about the mean of all sources at hand is spread to what it would be about "
                "that of all there might be, which takes sources for exchangeable; "
                "covers.new_source, about those at hand, is too high, and "
                "covers.fold_models_on_new_sources, about those left over, too low. The standard "
                "errors do not know that the sources are few."
            ),
        }


def of_key(records: Records, key: str) -> dict[str, FloatArray]:
    """Return the records of one estimator, and which sources were drawn from."""
    return {
        name: values
        for name, values in records.items()
        if name.startswith(f"{key}/") or name == SOURCES
    }
