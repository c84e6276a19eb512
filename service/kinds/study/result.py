"""The result of a study."""

from __future__ import annotations

from typing import Any

from service.kinds.fields.methods import build_method, method_entry
from service.kinds.methods_used import record_method
from service.kinds.study.plan import preset_of, repetitions_of
from service.kinds.study.records import Stretch
from service.kinds.study.request import StudyRequest
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.studies.base import Study, StudyFindings
from thetahat.analyses.studies.general_tables import FEW
from thetahat.cautions import FEW_REPETITIONS, Caution
from thetahat.generators import GENERATORS
from thetahat.values.json_values import plain, told


def result_of(given: StudyRequest, study: Study, whole: Stretch) -> dict[str, Any]:
    """Return tables, figures, claims and cautions as the wire has them.

    The repetitions may be some of those asked for; their records are then a part of what the whole
    study will have.
    """
    found = study.finish(whole.records)
    asked = given.model_dump(
        mode="json",
        by_alias=True,
        exclude_unset=True,
        exclude={"kind", "name", "labels", "seed", "repetitions", "extends"},
    )
    n = len(whole.index)
    return {
        "study": {
            **asked,
            "repetitions": n,
            "repetitions_asked": repetitions_of(given),
            "extends": None if given.extends is None else str(given.extends),
            **plain(_time(whole)),
            **plain(found.details or {}),
        },
        "tables": [table.as_data() for table in found.tables],
        "figures": [figure.as_data() for figure in found.figures],
        "claims": [claim.as_data() for claim in found.claims],
        "cautions": told([*found.cautions, *_few(n, found)]),
        "methods": _methods(given),
    }


def _time(whole: Stretch) -> dict[str, float | None]:
    """Return the time of the repetitions that were done here, not taken over."""
    n = whole.n_timed
    return {
        "seconds": whole.seconds,
        "seconds_per_repetition": whole.seconds / n if n else None,
    }


def _few(n: int, found: StudyFindings) -> tuple[Caution, ...]:
    """Say that there are few repetitions, where nothing says so yet."""
    if n >= FEW or any(caution.code == "few_repetitions" for caution in found.cautions):
        return ()
    return (FEW_REPETITIONS(n=n, more=""),)


def _methods(given: StudyRequest) -> list[MethodUsed]:
    """Return the preset with all its parameters, or the generator; the rest is in ``study``."""
    if given.preset is not None:
        return [record_method("presets", preset_of(given))]
    if given.population is None or given.population.generator is None:
        return []
    entry = method_entry(given.population.generator)
    built: Any = build_method(GENERATORS, entry.name, entry.params, ("population", "generator"))
    return [record_method("generators", built)]
