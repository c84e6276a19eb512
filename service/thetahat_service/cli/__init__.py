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
    "Evaluations": {
        "advise": "advise.advise",
        "compare": "compare.compare",
        "inspect": "inspect_file.inspect_file",
        "example": "example.write_examples",
        "gate": "gate.gate",
        "verify": "verify.verify",
        "mcp": "mcp_server.serve_tools",
        "agreement": "agreement.agreement",
        "submit": "evaluations.submit",
        "watch": "evaluations.watch",
        "status": "evaluations.status",
        "result": "evaluations.result",
        "list": "evaluations.list_evaluations",
        "report": "evaluations.report",
        "sign-off": "evaluations.sign_off",
        "sign-offs": "evaluations.sign_offs",
        "cancel": "evaluations.cancel",
        "delete": "evaluations.delete",
        "datasets": "datasets.app",
        "series": "series.app",
        "protocol": "protocol.app",
        "ladders": "ladders.app",
        "methods": "methods.methods",
        "study": "study.study",
    },
    "Service": {
        "serve": "server.serve",
        "api": "server.api",
        "worker": "server.worker",
        "sweeper": "server.sweeper",
        "migrate": "server.migrate",
        "doctor": "server.doctor",
        "backup": "server.backup",
        "restore": "server.restore",
        "compile": "server.compile_all",
        "keys": "keys.app",
    },
    "Documentation": {
        "reference": "reference.reference",
        "client-types": "client_types.client_types",
    },
}
"""The module with each command, or group of commands, by section of the help and in its order."""


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
    is_known = any(command in places for places in COMMANDS.values())
    for section, places in COMMANDS.items():
        for name, place in places.items():
            if name == command or not is_known:
                module, _, function = place.partition(".")
                added = getattr(import_module(f"{__name__}.{module}"), function)
                if isinstance(added, typer.Typer):
                    app.add_typer(added, name=name, rich_help_panel=section)
                else:
                    app.command(name, rich_help_panel=section)(added)
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
