"""While a file takes long to parse, the requests of others are answered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from fastapi import FastAPI

from tests.service.api.requests import CSV, CSV_TEXT
from tests.service.api.test_contract import served
from tests.service.data.checked_files import LIBSVM
from tests.service.storage.databases import Setting

SLOW = (b"1 " + b" ".join(b"%d:1" % i for i in range(1, 400_000)) + b"\n") * 12
DEADLINE_S = 60.0


@pytest.fixture
def address(application: FastAPI, setting: Setting) -> Iterator[str]:
    setting(parser_time_limit_s=3, parsers=3)
    with served(application) as url:
        yield url


def test_exact_slow_files_of_one_owner_delay_no_other_owner(
    address: str, keys: dict[str, str]
) -> None:
    headers = {owner: {"X-API-Key": key, "Content-Type": CSV} for owner, key in keys.items()}
    url = f"{address}/v1/datasets"

    def upload_slow(number: int) -> int:
        content = SLOW + b"1 %d:1\n" % number
        sent = {**headers["ann"], "Content-Type": LIBSVM}
        return httpx.post(url, content=content, headers=sent, timeout=DEADLINE_S).status_code

    with ThreadPoolExecutor(4) as threads:
        slow = [threads.submit(upload_slow, number) for number in range(1, 5)]
        answered, deadline = 0, time.monotonic() + DEADLINE_S
        while not any(upload.done() for upload in slow):
            assert time.monotonic() < deadline
            content = CSV_TEXT + b"%d,,,\n" % answered
            listed = httpx.get(url, headers=headers["bob"], timeout=DEADLINE_S)
            uploaded = httpx.post(url, content=content, headers=headers["bob"], timeout=DEADLINE_S)
            assert (listed.status_code, uploaded.status_code) == (200, 201)
            answered += 1
        statuses = [upload.result() for upload in slow]

    # The first answers may come before the slow files are there; these come while they are parsed.
    assert answered > 3
    assert set(statuses) <= {201, 422}
