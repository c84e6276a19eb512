"""Help that lists commands in sections, as plain text.

typer's own sections are drawn with rich, whose import takes as long as the rest of ``--help``.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class SectionedGroup(TyperGroup):
    """A group of commands whose help has one section for each ``rich_help_panel``."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands and the first sentences of their help."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if not command.hidden:
                summary = command.get_short_help_str(limit=len(command.help))
                sections.setdefault(command.rich_help_panel or "Commands", []).append(
                    (name, summary)
                )
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
