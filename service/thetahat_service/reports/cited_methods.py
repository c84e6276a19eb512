"""The methods of a result with their descriptions from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.analyses.losses import EVERY_TEST
from thetahat.analyses.studies.presets import collect_presets
from thetahat.corrections import CORRECTIONS
from thetahat.generators import GENERATORS
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.references import REFERENCES
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE
from thetahat.registry import MethodInfo
from thetahat.schemes import SCHEMES
from thetahat.statistics.vector_statistics import EVERY_STATISTIC
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.pages.evaluation_page import list_parameters
from thetahat_service.pages.method_page import describe_family
from thetahat_service.reports.document import CitedMethod

REGISTRIES: Final[Mapping[str, Mapping[str, type[Any]]]] = {
    "schemes": SCHEMES,
    "learners": LEARNERS,
    "losses": LOSSES,
    "metrics": METRICS,
    "variances": EVERY_VARIANCE,
    "intervals": EVERY_INTERVAL,
    "tests": EVERY_TEST,
    "omnibus": EVERY_TEST,
    "corrections": CORRECTIONS,
    "risks": WEIGHTED_RISKS,
    "statistics": EVERY_STATISTIC,
    "two_sample_tests": TWO_SAMPLE_TESTS,
    "weights": IMPORTANCE_WEIGHTS,
    "generators": GENERATORS,
}


def cite_methods(used: Sequence[Mapping[str, Any]]) -> list[CitedMethod]:
    """Return each method of a result's provenance with its formula and sources.

    A method that was used several times, such as a learner under several names, is described once,
    with the parameters of each use. ``used`` are the methods of the provenance.
    """
    by_method: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for method in used:
        by_method.setdefault((method["family"], method["name"]), []).append(method)
    return [_cite(family, name, uses) for (family, name), uses in by_method.items()]


def write_parameters(method: Mapping[str, Any]) -> str:
    """Return the parameters, preparation steps and package of a method that was used."""
    parts = list_parameters(method)
    if method.get("package"):
        parts.append(f"from {method['package']} {method.get('version') or ''}".rstrip())
    return ", ".join(parts)


def _cite(family: str, name: str, uses: Sequence[Mapping[str, object]]) -> CitedMethod:
    title = describe_family(family)[0]
    parameters = "; ".join(filter(None, map(_write_use, uses)))
    info = _find_info(family, name)
    if info is None:
        return CitedMethod(heading=f"{title}: {name}", parameters=parameters)
    return CitedMethod(
        heading=f"{title}: {info.title} ({name})",
        parameters=parameters,
        summary=info.summary,
        formula=info.formula,
        assumptions=info.assumptions,
        errs=info.errs,
        sources=[REFERENCES[key] for key in info.references],
    )


def _write_use(method: Mapping[str, object]) -> str:
    parameters = write_parameters(method)
    alias = method.get("as", method["name"])
    if alias == method["name"]:
        return parameters
    return f"{alias}: {parameters}" if parameters else f"as {alias}"


def _find_info(family: str, name: str) -> MethodInfo | None:
    registry = collect_presets() if family == "presets" else REGISTRIES.get(family, {})
    method = registry.get(name)
    info: MethodInfo | None = None if method is None else method.info
    return info
