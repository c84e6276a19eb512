"""The command line: ``thetahat`` and its commands, built with typer.

The module of a command is imported when it runs, and imports what it needs then, so that
``thetahat --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Final

import typer

import thetahat
from thetahat_service.cli import failures
from thetahat_service.cli.sectioned_help import SectionedGroup

COMMANDS: Final = {
    "advise": ("advise",),
    "compare": ("compare",),
    "inspect_file": ("inspect",),
    "example": ("example",),
    "gate": ("gate",),
    "verify": ("verify",),
    "mcp_server": ("mcp",),
    "agreement": ("agreement",),
    "evaluations": (
        "submit",
        "watch",
        "status",
        "result",
        "list",
        "report",
        "sign-off",
        "sign-offs",
        "cancel",
        "delete",
    ),
    "datasets": ("datasets",),
    "series": ("series",),
    "protocol": ("protocol",),
    "methods": ("methods",),
    "study": ("study",),
    "server": (
        "serve",
        "api",
        "worker",
        "sweeper",
        "migrate",
        "doctor",
        "backup",
        "restore",
        "compile",
    ),
    "keys": ("keys",),
    "reference": ("reference",),
    "client_types": ("client-types",),
}
"""The commands of each module, in the order of the help."""


def build_app(command: str | None = None) -> typer.Typer:
    """Return the command line with one command, or with all of them.

    Parameters
    ----------
    command : str or None
        The one that will run: the modules of the others are not imported.
    """
    app = typer.Typer(
        name="thetahat",
        cls=SectionedGroup,
        rich_markup_mode=None,  # see SectionedGroup
        help="Estimate how good trained models are, how certain that is, and which of them is "
        "better.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    only = [module for module, names in COMMANDS.items() if command in names]
    for module in only or COMMANDS:
        import_module(f"{__name__}.{module}").add_commands(app)
    return app


def _print_version(requested: bool) -> None:
    if requested:
        print(f"thetahat {thetahat.__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    del version


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    The status is 0 for success, 1 for a failure, 2 for wrong usage, 4 if the service, its database
    or its file store is away, 5 if the service refuses the request and 130 for an interruption. The
    reason is on standard error.
    """
    words = sys.argv[1:] if arguments is None else arguments
    app = build_app(words[0] if words else None)
    try:
        try:
            typer.main.get_command(app).main(args=words, prog_name="thetahat")
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BrokenPipeError:  # the reader of the output has closed it, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        reason = failures.explain(error)
        if reason is None:
            raise
        from thetahat_service.cli.output import print_text

        print_text(f"thetahat: {reason}", to_errors=True)
        return failures.choose_status(error)
    return failures.ExitStatus.SUCCESS
