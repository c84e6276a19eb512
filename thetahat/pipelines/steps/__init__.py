"""The service's own preparation steps, one module each, by wire name."""

from typing import Final

from thetahat.pipelines.steps.base import Step
from thetahat.registry import Registry

STEPS: Final[Registry[type[Step]]] = Registry.collect(__name__, __path__)
