"""The result of a study, as clients read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.studies.base import Study, StudyFindings
from thetahat.analyses.studies.general_tables import FEW_REPETITIONS_BELOW
from thetahat.analyses.studies.recorded_repetitions import RecordedRepetitions
from thetahat.analyses.studies.result import StudyClaim, StudyFigure, StudyTable
from thetahat.cautions import FEW_REPETITIONS, Caution
from thetahat.generators import GENERATORS
from thetahat.values.json_values import JsonValue
from thetahat_service.kinds.fields.methods import build_method, make_method_entry
from thetahat_service.kinds.methods_used import record_method
from thetahat_service.kinds.provenance import KindResult
from thetahat_service.kinds.study.plan import build_preset, count_repetitions
from thetahat_service.kinds.study.request import StudyRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDescription:
    """What a study computed."""

    preset: str | None = None
    """The preset's name."""
    inputs: Mapping[str, JsonValue] | None = None
    """The data sets of the preset, by role, as the request gives them."""
    population: Mapping[str, JsonValue] | None = None
    """The population, as the request gives it."""
    draw: Mapping[str, JsonValue] | None = None
    """The size of a draw, as the request gives it."""
    estimators: tuple[Mapping[str, JsonValue], ...] | None = None
    """The estimators, as the request gives them."""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict, metadata={"inline": True})
    """The parameters of the preset that the request gives."""
    repetitions: int
    """Repetitions in this result."""
    repetitions_asked: int
    """Repetitions that the request asks for; more than ``repetitions`` in a partial result."""
    extends: str | None
    """The id of the study that this one extends."""
    truth_from: str | None = None
    """How the truth was computed."""
    truths: Mapping[str, str] | None = None
    """The truths that estimates are compared with, in words, by the name used in the tables."""
    details: Mapping[str, JsonValue] = field(default_factory=dict, metadata={"inline": True})
    """Further entries, which depend on the preset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult(KindResult):
    """The result of a study."""

    kind: Literal["study"] = "study"
    """Always ``study``."""
    study: StudyDescription
    """What was computed."""
    tables: tuple[StudyTable, ...]
    """The tables."""
    figures: tuple[StudyFigure, ...]
    """The figures, as numbers."""
    claims: tuple[StudyClaim, ...]
    """Sentences of the preset's source, each with its verdict."""
    cautions: tuple[Caution, ...]
    """The cautions about the whole study."""


_DESCRIBED: Final = ("preset", "inputs", "population", "draw", "estimators")
_NOT_DESCRIBED: Final = {"kind", "name", "labels", "seed", "repetitions", "extends"}


def build_result(request: StudyRequest, study: Study, recorded: RecordedRepetitions) -> StudyResult:
    """Return the result of the recorded repetitions, which may be some of those asked for."""
    findings = study.finish(recorded.records)
    n = len(recorded.index)
    return StudyResult(
        study=_describe(request, recorded, findings),
        tables=findings.tables,
        figures=findings.figures,
        claims=findings.claims,
        cautions=tuple(dict.fromkeys([*findings.cautions, *_find_few_repetitions(n, findings)])),
    )


def _describe(
    request: StudyRequest, recorded: RecordedRepetitions, findings: StudyFindings
) -> StudyDescription:
    fields = request.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude=_NOT_DESCRIBED
    )
    described: dict[str, Any] = {name: fields.pop(name) for name in _DESCRIBED if name in fields}
    return StudyDescription(
        **described,
        parameters=fields,
        repetitions=len(recorded.index),
        repetitions_asked=count_repetitions(request),
        extends=None if request.extends is None else str(request.extends),
        truth_from=findings.truth_from,
        truths=findings.truths,
        details=findings.details,
    )


def _find_few_repetitions(n: int, findings: StudyFindings) -> tuple[Caution, ...]:
    """Return a caution if there are few repetitions and the findings do not have it yet."""
    if n >= FEW_REPETITIONS_BELOW or any(
        caution.code == FEW_REPETITIONS.code for caution in findings.cautions
    ):
        return ()
    return (FEW_REPETITIONS(n=n, more=""),)


def list_methods(request: StudyRequest) -> tuple[MethodUsed, ...]:
    """Return the preset or the generator, with all of its parameters."""
    if request.preset is not None:
        return (record_method("presets", build_preset(request)),)
    if request.population is None or request.population.generator is None:
        return ()
    entry = make_method_entry(request.population.generator)
    generator: Any = build_method(GENERATORS, entry.name, entry.params, ("population", "generator"))
    return (record_method("generators", generator),)
