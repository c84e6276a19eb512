"""Writes the types of results into what is built (docs/decisions/0022-distributions.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED: Final = ("numpy", "orjson", "pyarrow", "pydantic", "scipy", "sqlalchemy", "typer")
"""What the service imports to describe its answers."""
FOLDERS: Final = (".", "service", "presentation", "clients/python")


class ResultTypes(BuildHookInterface[Any]):
    """Writes ``thetahat_client/results.py`` from the types of the service in the same checkout.

    A source distribution has the file. In a checkout the service is there, but what it needs is
    not in the environment of an isolated build (``pip install ./clients/python``): the client is
    then built without types rather than with half a gigabyte of build requirements.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Write the file before anything is built."""
        client = Path(self.root)
        checkout = client.parents[1]
        if not (checkout / "service" / "thetahat_service").is_dir():
            return
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            self.app.display_warning(
                f"The types of results are not written, for want of {', '.join(missing)}."
            )
            return
        paths = [*(str(checkout / folder) for folder in FOLDERS), os.environ.get("PYTHONPATH", "")]
        subprocess.run(  # noqa: S603 - the code of this checkout
            [
                *(sys.executable, "-c", "from thetahat_service.start import main; exit(main())"),
                *("client-types", "--output", str(client / "thetahat_client" / "results.py")),
            ],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            check=True,
        )
