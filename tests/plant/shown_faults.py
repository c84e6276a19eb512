"""Wrong cells in what people read: one fault for each table that is shown."""

from __future__ import annotations

from typing import Final

from tests.plant.faults import Fault

SHOWN: Final[tuple[Fault, ...]] = ()
