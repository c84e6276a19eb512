"""The presets of this project, a package or a module each, whose name is the wire name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from thetahat.analyses.studies.presets import Preset
from thetahat.registry import Registry


def _collect() -> Registry[type[Preset]]:
    """Import everything beside this file and take its ``PRESET``."""
    by_name: dict[str, Any] = {}
    for module in iter_modules(__path__):
        preset = import_module(f"{__name__}.{module.name}").PRESET
        if preset.info.name != module.name:
            message = f"{module.name} offers the preset {preset.info.name!r}; the names must agree"
            raise RuntimeError(message)
        by_name[module.name] = preset
    return Registry("presets", by_name)


PRESETS: Final[Registry[type[Preset]]] = _collect()
