"""The bibliography: every cited source by its key; each key is cited somewhere.

``references.txt`` has a line for each source, its key first, in alphabetical order of the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import get_data
from types import MappingProxyType
from typing import Final

_LINES: Final = (get_data("thetahat", "references.txt") or b"").decode().splitlines()
REFERENCES: Final[Mapping[str, str]] = MappingProxyType(
    {key: text for key, _, text in (line.partition(": ") for line in _LINES)}
)
