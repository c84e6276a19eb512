"""What the templates of pages and reports write: hidden characters are shown as escapes."""

from __future__ import annotations

from markupsafe import Markup

from thetahat_presentation.hidden_characters import show_hidden


class Exact(str):
    """A text that a template writes as it is: the value of a field of a form."""

    __slots__ = ()


def finish_text(value: object) -> object:
    """Return a value as a template writes it, before it is escaped.

    Markup stays: it comes from macros, whose own values have gone through here.
    """
    if not isinstance(value, str) or isinstance(value, Exact | Markup):
        return value
    return show_hidden(value)
