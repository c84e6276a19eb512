"""A small request of each kind and its result, as the OpenAPI document shows them.

They are the files ``example_request.json`` and ``example_result.json`` in the package of the kind.
An example that names a data set is ``example_with_dataset.json``: it needs that one to run.
``python -m tests.service.kinds.test_examples`` computes the results again.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from thetahat_service.kinds.registry import JOB_KINDS

REQUEST: Final = "example_request.json"
RESULT: Final = "example_result.json"
WITH_DATASET: Final = "example_with_dataset.json"


def read_examples(name: str) -> dict[str, dict[str, Any]]:
    """Return the example of every kind that has a file of this name, by kind."""
    examples = {}
    for kind, instance in JOB_KINDS.items():
        package = type(instance).__module__.rpartition(".")[0]
        file = files(package).joinpath(name)
        if file.is_file():
            examples[kind] = json.loads(file.read_text())
    return examples
