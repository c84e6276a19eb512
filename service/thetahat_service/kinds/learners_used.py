"""Records of the learners that an evaluation fitted, for the provenance of its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from thetahat.pipelines import LearnerSpec, list_installed_learners, read_learner_spec
from thetahat_service.kinds.methods_used import LearnerUsed
from thetahat_service.settings import get_settings


def record_learners(learners: Mapping[str, object]) -> tuple[LearnerUsed, ...]:
    """Return the records of learners, which the request describes by name."""
    return tuple(record_learner(name, read_learner_spec(value)) for name, value in learners.items())


def record_learner(name: str, spec: LearnerSpec) -> LearnerUsed:
    """Return the record of a learner with the name that it has in the result."""
    package = list_installed_learners(get_settings().allowed_packages).get(spec.name)
    fields = asdict(spec)
    return LearnerUsed(
        family="learners",
        name=spec.name,
        params=fields["params"],
        key=name,
        prepare=fields["prepare"],
        package=None if package is None else package.package,
        version=None if package is None else package.version,
    )
