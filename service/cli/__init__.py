"""The command line. Each public module here adds commands by its function ``register``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

import thetahat


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; each sets ``run``, which returns the exit status."""
    top = argparse.ArgumentParser(
        prog="thetahat", description="How good a learned model is, and how sure one can be of it."
    )
    top.add_argument("--version", action="version", version=f"thetahat {thetahat.__version__}")
    commands = top.add_subparsers(title="commands", dest="command", required=True)
    for module in iter_modules(__path__):
        if not module.name.startswith("_"):
            import_module(f"{__name__}.{module.name}").register(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = parser().parse_args(arguments)
    try:
        return int(given.run(given) or 0)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
