"""Run requests in a copy of the source tree; ``test_new_files`` starts it in a process of its own.

Standard input is a JSON object of requests by key, standard output one of results by key: the
result, or the message of the error. ``GET /v1/methods`` and the page of methods are there, too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def main() -> None:
    """Run what standard input asks for."""
    from tests.golden.replay import run_request
    from thetahat_presentation.expansion import expand_result
    from thetahat_presentation.renderers.text import Page
    from thetahat_presentation.showing import KINDS, show
    from thetahat_service.api import catalogue
    from thetahat_service.cli.reference import render_page

    results: dict[str, Any] = {}
    shown: dict[str, str] = {}
    for key, body in json.load(sys.stdin).items():
        with TemporaryDirectory() as folder:
            result, losses = run_request(body, Path(folder))
        results[key] = {"result": expand_result(result), "losses": losses}
        shown[key] = Page().write(show(result), show_all=True)
    families = {
        name: [item["name"] for item in catalogue.read_family(name)["items"]]
        for name in catalogue.FAMILIES
    }
    report = {"results": results, "families": families, "presentations": KINDS, "shown": shown}
    json.dump({**report, "page": render_page()}, sys.stdout)


if __name__ == "__main__":
    main()
