"""Results of the sources done again, one module each, by wire name."""

from typing import Final

from thetahat.analyses.studies.presets import Preset
from thetahat.registry import Registry

PRESETS: Final[Registry[type[Preset]]] = Registry.collect(__name__, __path__)
