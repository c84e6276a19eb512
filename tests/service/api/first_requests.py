"""Print the modules that the first requests of a process import; an argument is the data folder.

It is run in a process of its own by ``test_first_requests``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

os.environ["THETAHAT_DATA_DIR"] = sys.argv[1]

from starlette.testclient import TestClient

from tests.service.api.requests import matrix
from thetahat_service import kinds
from thetahat_service.api.app import create_app
from thetahat_service.api.catalogue import FAMILIES
from thetahat_service.api.preload import LIGHT_KINDS, load_needed_modules, load_slow_modules
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.storage import schema

CSV_BYTES = b"x,y,z\n" + b"".join(b"%d.5,%d,%d\n" % (i, i % 2, i % 3) for i in range(40))
LIBSVM_BYTES = b"".join(b"%d 1:2 %d:4\n" % (i % 2, 2 + i % 5) for i in range(40))


def send_light_requests(client: TestClient) -> Iterator[int]:
    """Send requests that are answered before the slow modules are loaded; yield the statuses."""
    for kind in sorted(LIGHT_KINDS):  # the examples of all kinds cannot be read without an import
        body = files(kinds).joinpath(kind, REQUEST).read_bytes()
        made = client.post("/v1/evaluations", json=json.loads(body))
        yield made.status_code
        yield client.get(made.json()["links"]["self"]).status_code
    for path in ("/healthz", "/readyz", "/v1/evaluations"):
        yield client.get(path).status_code


def send_requests(client: TestClient) -> Iterator[int]:
    """Send one request of each sort and yield the statuses."""
    for path in ("/", "/healthz", "/readyz", "/problems", "/openapi.json", "/docs", "/v1/datasets"):
        yield client.get(path).status_code
    for family in FAMILIES:
        yield client.get(f"/v1/methods/{family}").status_code
    yield from submit(client, [*read_examples(REQUEST).values(), matrix()])
    for content, media_type in ((CSV_BYTES, "text/csv"), (LIBSVM_BYTES, "text/x-libsvm")):
        made = client.post("/v1/datasets", content=content, headers={"Content-Type": media_type})
        yield made.status_code
        yield client.get(f"/v1/datasets/{made.json()['id']}/preview").status_code
        yield client.get(f"/v1/datasets/{made.json()['id']}/understood").status_code


def submit(client: TestClient, bodies: list[dict[str, Any]]) -> Iterator[int]:
    for body in bodies:
        yield client.post("/v1/evaluations", json=body).status_code


if __name__ == "__main__":
    schema.upgrade()
    client = TestClient(create_app(), base_url="http://localhost", client=("127.0.0.1", 1))
    load_needed_modules()
    before = set(sys.modules)
    statuses = list(send_light_requests(client))
    modules = set(sys.modules) - before
    load_slow_modules()
    before = set(sys.modules)
    statuses += send_requests(client)
    modules |= set(sys.modules) - before
    print(json.dumps({"statuses": statuses, "modules": sorted(modules)}))
