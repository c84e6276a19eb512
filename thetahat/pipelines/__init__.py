"""Learners from specs: our own, scikit-learn's from a reviewed list, in pipelines of steps.

Nothing here imports scikit-learn before a spec that names one of its classes is built.
"""

from thetahat.pipelines.building import build, build_step
from thetahat.pipelines.describing import describe_learners, describe_transformers
from thetahat.pipelines.entry_points import installed_learners
from thetahat.pipelines.pipeline import FittedPipeline, Pipeline, for_classes
from thetahat.pipelines.spec import LearnerSpec, StepSpec, learner_spec, step_spec

__all__ = [
    "FittedPipeline",
    "LearnerSpec",
    "Pipeline",
    "StepSpec",
    "build",
    "build_step",
    "describe_learners",
    "describe_transformers",
    "for_classes",
    "installed_learners",
    "learner_spec",
    "step_spec",
]
