"""What the installed command ``thetahat`` calls, also where the command line is not installed."""

from __future__ import annotations

import sys

from thetahat_service.extras import explain_missing_package
from thetahat_service.process.threads import limit_to_one_thread


def main() -> int:
    """Run the command line; say what to install if a package that it needs is missing."""
    # OpenBLAS starts a thread for each core, which waits busily for work: on two cores ``compare``
    # took 0.61 processor seconds with two threads and 0.40 with one, in the same time.
    limit_to_one_thread()
    try:
        from thetahat_service.cli import main as run  # noqa: PLC0415 - typer may be missing

        return run()
    except ModuleNotFoundError as error:
        reason = explain_missing_package(error)
        if reason is None:
            raise
        print(f"thetahat: {reason}", file=sys.stderr)  # noqa: T201 - a command
        return 2
