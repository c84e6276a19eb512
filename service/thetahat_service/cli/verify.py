"""``thetahat verify``: a bundle is checked, and its result computed again, without a service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from thetahat_service.cli.output import print_json, print_text

MOST_DIFFERENCES: Final = 10
"""Values that are listed, unless all are asked for."""


def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="The file of the bundle.")],
    public_key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Refuse the bundle unless it is signed by this key (Ed25519, PEM).",
        ),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="The file of the data set that the request names; everything is then computed "
            "again from it. Give it again for each further data set, in the order of the request.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every value that is not the same.")
    ] = False,
) -> None:
    """Check the digests and the signature of a bundle, and compute its result again.

    The exit status is 0 if all is right, 1 if the bundle is damaged, was changed or is not signed
    by the key, 3 if values are not what follows from losses or data or were not computed again, and
    2 for wrong usage.
    """
    import dataclasses
    from contextlib import ExitStack

    from thetahat_service.cli.evaluate_once import open_data
    from thetahat_service.errors import InvalidFile
    from thetahat_service.recomputation.verification import VerificationOutcome, verify_bundle

    key = None
    if public_key is not None:
        from thetahat_service.recomputation.signatures import read_public_key

        key = read_public_key(public_key)
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(open_data(path)) for path in data or ()]
            found = verify_bundle(bundle, key, files)
    except InvalidFile as error:
        print_text(f"thetahat: {error}", to_errors=True)
        raise typer.Exit(VerificationOutcome.NOT_GENUINE) from None
    if as_json:
        listed = [dataclasses.asdict(each) for each in found.differences]
        outcome = found.outcome.name.lower()
        print_json({"outcome": outcome, "findings": found.findings, "differences": listed})
    else:
        print_text(*found.findings)
        n_shown = len(found.differences) if show_all else MOST_DIFFERENCES
        print_text(*(f"  {each}" for each in found.differences[:n_shown]))
        if len(found.differences) > n_shown:
            print_text(f"  {len(found.differences) - n_shown} more: --all")
    raise typer.Exit(found.outcome)
