"""The command line: ``thetahat`` and its commands, built with typer.

Commands import what they need when they run, so that ``thetahat --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import thetahat
from thetahat_service.cli import (
    advise,
    client_types,
    compare,
    datasets,
    evaluations,
    failures,
    gate,
    keys,
    methods,
    reference,
    server,
    study,
)
from thetahat_service.cli.sectioned_help import SectionedGroup

app = typer.Typer(
    name="thetahat",
    cls=SectionedGroup,
    rich_markup_mode=None,  # see SectionedGroup
    help="Estimate how good trained models are, how certain that is, and which of them is better.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
advise.add_commands(app)
compare.add_commands(app)
gate.add_commands(app)
evaluations.add_commands(app)
app.add_typer(datasets.app, name="datasets", rich_help_panel="Evaluations")
methods.add_commands(app)
study.add_commands(app)
server.add_commands(app)
app.add_typer(keys.app, name="keys", rich_help_panel="Service")
reference.add_commands(app)
client_types.add_commands(app)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"thetahat {thetahat.__version__}")
        raise typer.Exit


@app.callback()
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
    try:
        try:
            typer.main.get_command(app).main(args=arguments, prog_name="thetahat")
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
        print(f"thetahat: {reason}", file=sys.stderr)
        return failures.choose_status(error)
    return failures.ExitStatus.SUCCESS
