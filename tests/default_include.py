"""The parts that results of this process have by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thetahat.analyses.losses.choices import Choices

if TYPE_CHECKING:
    from thetahat.analyses.losses.result_parts import Include


def set_default_include(include: Include) -> None:
    """Change what an evaluation includes where its request does not say it."""
    initialise: Any = Choices.__init__
    initialise.__kwdefaults__["include"] = include
