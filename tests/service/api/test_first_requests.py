"""The first requests to a new process, sixty at once: no module is loaded by two threads."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.service.api.requests import matrix
from tests.service.supervisor.processes import environment, serving
from thetahat_service.api.catalogue import FAMILIES
from thetahat_service.kinds.examples import REQUEST, read_examples

AT_ONCE = 60
PART_OF_TEST_CLIENT = "anyio."


def test_exact_no_request_imports_a_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.api.first_requests", str(tmp_path)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    report = json.loads(done.stdout)

    assert set(report["statuses"]) == {200, 201, 202, 503}  # 503 of /readyz, without workers
    assert [name for name in report["modules"] if not name.startswith(PART_OF_TEST_CLIENT)] == []


@pytest.mark.chaos
def test_exact_sixty_first_requests_at_once_are_all_answered(tmp_path: Path) -> None:
    bodies = [matrix(), *read_examples(REQUEST).values()]
    families = list(FAMILIES)

    with serving(tmp_path, tmp_path / "log", workers=1) as serve:
        url = serve.wait_for(r"answers at (http://\S+)")[1]

        def send(number: int) -> int:
            with httpx.Client(base_url=url, timeout=60) as client:
                if number % 3 == 0:
                    return client.get(f"/v1/methods/{families[number % len(families)]}").status_code
                if number % 3 == 1:
                    body = bodies[number % len(bodies)]
                    return client.post("/v1/evaluations", json=body).status_code
                csv = {"Content-Type": "text/csv"}
                content = b"x,y\n" + b"%d,1\n" % number
                return client.post("/v1/datasets", content=content, headers=csv).status_code

        with ThreadPoolExecutor(AT_ONCE) as pool:
            statuses = list(pool.map(send, range(AT_ONCE)))

    assert sorted(statuses) == [200] * 20 + [201] * 20 + [202] * 20
