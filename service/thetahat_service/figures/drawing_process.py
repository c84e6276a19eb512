"""The process that draws figures: a line of JSON in, a line of JSON and an image out.

``python -m thetahat_service.figures.drawing_process`` is started by the API. A request is a line
``{"form": ..., "spec": ...}``, or ``{"form": "library"}`` for the JavaScript library. The answer
is a line ``{"bytes": n}`` and n bytes, or a line ``{"error": ...}``. The process ends when the API
closes its end of the pipe, as by its death, and when it has drawn nothing for a while, which gives
its memory back.
"""

from __future__ import annotations

import os
import select
from typing import BinaryIO, Final

import orjson

from thetahat_service.figures.rendering import bundle_library, render
from thetahat_service.process.exit_with_parent import (
    request_signal_on_parent_exit,
    set_process_name,
)
from thetahat_service.process.memory import limit_memory

IDLE_S: Final = 300.0
MEMORY_MB: Final = 1500
"""Beyond what the process has before it draws; 200 models take 400 MB."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Draw until there are no more requests, or none for a while."""
    while select.select([requests], [], [], IDLE_S)[0]:
        line = requests.readline()
        if not line:
            return
        request = orjson.loads(line)
        try:
            if request["form"] == "library":
                image = bundle_library()
            else:
                image = render(request["spec"], request["form"])
        except ValueError as error:
            answers.write(orjson.dumps({"error": str(error)[:500]}) + b"\n")
        else:
            answers.write(orjson.dumps({"bytes": len(image)}) + b"\n" + image)
        answers.flush()


def main() -> None:
    """Serve the pipes that the API has opened."""
    set_process_name("thetahat-drawer")
    request_signal_on_parent_exit()
    limit_memory(MEMORY_MB)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    serve(open(0, "rb", buffering=0), answers)  # noqa: SIM115 - open until the process ends


if __name__ == "__main__":
    main()
