from __future__ import annotations

import importlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.service.supervisor.processes import environment

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "clients" / "demo"
RESULTS = Path(__file__).parent / "results"


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The demo is a script beside its modules, so they are found where it finds them."""
    monkeypatch.syspath_prepend(str(DEMO))
    return importlib.import_module("report")


@pytest.fixture
def service_process(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DEMO))
    return importlib.import_module("service_process")


def stored(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return content


def test_exact_the_demo_explains_why_the_two_differ(report: ModuleType) -> None:
    text = report.explain_difference(stored("schools_left_out"), stored("random_folds"))
    words = " ".join(text.split())

    # .6765993 - .5936731 and .6180514 - .5940203, from the stored results.
    assert "forest 0.594 0.677 0.083" in words
    assert "ridge 0.594 0.618 0.024" in words
    assert "a difference of -0.0003 (verdict on ridge against forest: undecided)" in words
    assert "a difference of +0.0586 (verdict on ridge against forest: better)" in words
    assert "from 0.594 to 0.608 for ridge and from 0.594 to 0.655 for forest" in words
    assert "within 0.13 to 1.10." in words
    assert "65 schools and not 4059 pupils" in words


def test_exact_the_reason_is_not_given_where_the_numbers_do_not_show_it(
    report: ModuleType,
) -> None:
    by_school = stored("schools_left_out")
    by_school["models"]["forest"]["mean"]["macro"] = 0.5

    assert "so a forest can know" not in report.explain_difference(
        by_school, stored("random_folds")
    )


def test_exact_a_result_has_its_verdict_and_its_table(report: ModuleType) -> None:
    schools = stored("schools_left_out")
    text = report.describe_result("A title", "A question?", schools)

    assert text.startswith("A title\n=======\nA question?\n\n")
    assert "Mean loss on a new source (4059 instances" in text
    words = " ".join(text.split())
    assert schools["comparisons"][0]["verdict"]["reason"].rstrip(".") in words
    assert "--all" in text


def test_exact_the_places_of_the_whole_results_are_listed(report: ModuleType) -> None:
    text = report.list_results({"a": "x/a.json"}, {"a": "123"})

    assert "  a: x/a.json" in text
    assert "http://127.0.0.1:8000/v1/evaluations/123/result" in text
    assert "make serve" in text


def test_exact_serve_and_demo_use_the_same_folder(
    service_process: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("THETAHAT_DATA_DIR", raising=False)
    assert service_process.find_data_dir(ROOT) == ROOT / ".thetahat"
    recipe = (ROOT / "Makefile").read_text().partition("\nserve:")[2].split("\n")[1]
    assert 'THETAHAT_DATA_DIR="$${THETAHAT_DATA_DIR:-$(CURDIR)/.thetahat}"' in recipe
    monkeypatch.setenv("THETAHAT_DATA_DIR", str(tmp_path))
    assert service_process.find_data_dir(ROOT) == tmp_path


def test_exact_a_service_that_cannot_start_fails_with_its_last_lines(
    service_process: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "occupied").write_text("a file, where the data folder should be")

    with (
        pytest.raises(service_process.DemoFailed, match="last lines") as failed,
        service_process.run_service(
            tmp_path / "occupied", tmp_path / "thetahat_service.process.log"
        ),
    ):
        pytest.fail("the block must not be entered")
    assert "ended during its start" in str(failed.value)


@pytest.mark.chaos
@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_the_demo_leaves_nothing_running_when_it_is_stopped(tmp_path: Path) -> None:
    log = tmp_path / "demo.log"
    with log.open("wb") as output:
        demo = subprocess.Popen(
            [sys.executable, str(DEMO / "compare_schools.py")],
            env={**environment(), "THETAHAT_DATA_DIR": str(tmp_path / "data")},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        while b"Evaluation" not in log.read_bytes():
            assert demo.poll() is None, log.read_text()
            time.sleep(0.02)
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(120) == 130
    finally:
        demo.kill()
        demo.wait()

    assert "The demo and its service are stopped." in log.read_text()
    # Who ran here had the folder in its command line, or its lock.
    listing = subprocess.run(
        ["ps", "-A", "-o", "args="], check=True, capture_output=True, text=True
    )
    assert str(tmp_path) not in listing.stdout
