"""Examples of requests and answers in the OpenAPI document, beside those of the kinds.

They are in ``openapi_examples.json``. Tests send the requests, and compare the answers.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

EXAMPLES: Final[dict[str, Any]] = json.loads(
    files(__package__).joinpath("openapi_examples.json").read_text(encoding="utf-8")
)
"""The body of a batch, a look after it, and so on by name; ``series`` and ``protocols`` have
several by title. ``understanding`` is about the file ``table``."""
