"""Learners and preparation steps built from their JSON specifications.

A specification names one of our own learners, a scikit-learn class from a reviewed list, or a
learner of an installed package, with its parameters and its preparation steps. scikit-learn is
imported only when a specification names one of its classes.
"""

from thetahat.pipelines.building import build, build_step, find_tasks
from thetahat.pipelines.catalogue import describe_learners, describe_steps
from thetahat.pipelines.entry_points import list_installed_learners
from thetahat.pipelines.pipeline import FittedPipeline, Pipeline, adapt_to_classes
from thetahat.pipelines.spec import LearnerSpec, StepSpec, read_learner_spec, read_step_spec

__all__ = [
    "FittedPipeline",
    "LearnerSpec",
    "Pipeline",
    "StepSpec",
    "adapt_to_classes",
    "build",
    "build_step",
    "describe_learners",
    "describe_steps",
    "find_tasks",
    "list_installed_learners",
    "read_learner_spec",
    "read_step_spec",
]
