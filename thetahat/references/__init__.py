"""Every source once, by key. A test fails on unknown and on unused keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from thetahat.references import a_to_e, f_to_m, n_to_z

REFERENCES: Final[Mapping[str, str]] = MappingProxyType(
    {**a_to_e.SOURCES, **f_to_m.SOURCES, **n_to_z.SOURCES}
)
"""In alphabetical order of the keys."""
