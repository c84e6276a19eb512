"""The mathematics of thetahat, without HTTP, databases or clocks.

``thetahat.evaluate(losses, ...)``, ``thetahat.evaluate_predictions(y_true, predictions, ...)``,
``thetahat.evaluate_scores(scores, ...)`` and ``thetahat.cross_validate(X, y, learners, ...)``
evaluate models in this process and return the typed result, which prints its findings;
``result.to_dict()`` is the JSON of the service. ``thetahat.measure_agreement(ratings)`` says how
far raters agree, ``thetahat.compute_ladder(submissions)`` what a Ladder publishes, and
``thetahat.advise(n=...)`` beforehand which scheme fits. ``assert_better``,
``assert_not_worse`` and ``assert_equivalent`` are for tests of a model. What all of them refuse is
an ``EvaluationError``.
The modules behind these names are imported when a name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from thetahat.advice.advising import advise
    from thetahat.analyses.agreement.measuring import measure_agreement
    from thetahat.analyses.agreement.result import AgreementResult
    from thetahat.analyses.cross_validation.entry_points import cross_validate
    from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
    from thetahat.analyses.ladder import compute_ladder
    from thetahat.analyses.losses.assertions import (
        assert_better,
        assert_equivalent,
        assert_not_worse,
    )
    from thetahat.analyses.losses.choices import Gate
    from thetahat.analyses.losses.entry_points import evaluate, evaluate_scores
    from thetahat.analyses.losses.result import Decision, EvaluationResult, GateOutcome, Requirement
    from thetahat.analyses.predictions.entry_points import evaluate_predictions
    from thetahat.analyses.predictions.result import PredictionsEvaluation
    from thetahat.errors import EvaluationError
    from thetahat.values.json_values import to_json
    from thetahat.values.types import Alternative, BlockKind, Target

__version__ = "0.1.0"

__all__ = [
    "AgreementResult",
    "Alternative",
    "BlockKind",
    "CrossValidationEvaluation",
    "Decision",
    "EvaluationError",
    "EvaluationResult",
    "Gate",
    "GateOutcome",
    "PredictionsEvaluation",
    "Requirement",
    "Target",
    "__version__",
    "advise",
    "assert_better",
    "assert_equivalent",
    "assert_not_worse",
    "compute_ladder",
    "cross_validate",
    "evaluate",
    "evaluate_predictions",
    "evaluate_scores",
    "measure_agreement",
    "to_json",
]

_MODULES: Final = {
    "AgreementResult": "thetahat.analyses.agreement.result",
    "Alternative": "thetahat.values.types",
    "BlockKind": "thetahat.values.types",
    "CrossValidationEvaluation": "thetahat.analyses.cross_validation.result",
    "Decision": "thetahat.analyses.losses.result",
    "EvaluationError": "thetahat.errors",
    "EvaluationResult": "thetahat.analyses.losses.result",
    "Gate": "thetahat.analyses.losses.choices",
    "GateOutcome": "thetahat.analyses.losses.result",
    "PredictionsEvaluation": "thetahat.analyses.predictions.result",
    "Requirement": "thetahat.analyses.losses.result",
    "Target": "thetahat.values.types",
    "advise": "thetahat.advice.advising",
    "assert_better": "thetahat.analyses.losses.assertions",
    "assert_equivalent": "thetahat.analyses.losses.assertions",
    "assert_not_worse": "thetahat.analyses.losses.assertions",
    "compute_ladder": "thetahat.analyses.ladder",
    "cross_validate": "thetahat.analyses.cross_validation.entry_points",
    "evaluate": "thetahat.analyses.losses.entry_points",
    "evaluate_predictions": "thetahat.analyses.predictions.entry_points",
    "evaluate_scores": "thetahat.analyses.losses.entry_points",
    "measure_agreement": "thetahat.analyses.agreement.measuring",
    "to_json": "thetahat.values.json_values",
}
"""Where each name is defined."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
