"""Who looks at a page, and what the page offers to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import thetahat

SECTIONS: Final = (
    ("/", "Evaluations"),
    ("/series", "Series"),
    ("/protocols", "Protocols"),
    ("/ladders", "Ladders"),
    ("/advice", "Advice"),
    ("/data-sets", "Data sets"),
    ("/methods", "Methods"),
    ("/studies", "Studies"),
)
"""Path and name of each section of the pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who looks at a page."""

    is_known: bool = False
    """Whether the sender of the request was authenticated."""
    actor: str = ""
    """The beginning of the key, ``sub`` with the id of a person, or ``local``."""
    has_key: bool = False
    """Whether it is a key, and no person."""
    scope: str = ""
    """What the key may do."""
    can_submit: bool = False
    """Whether evaluations and data sets may be sent, cancelled and deleted."""
    can_log_out: bool = False
    """Whether the request has a session."""
    form_token: str = ""
    """The token that every form of the page sends back."""
    path: str = "/"
    """Path of the page."""

    @property
    def sections(self) -> tuple[tuple[str, str], ...]:
        """Path and name of each section."""
        return SECTIONS

    @property
    def section(self) -> str:
        """The path of the section that the page belongs to."""
        paths = [path for path, _ in SECTIONS if path != "/" and self.path.startswith(path)]
        return paths[0] if paths else "/"

    @property
    def version(self) -> str:
        """Release of the service."""
        return thetahat.__version__
