"""Every code block of README and docs runs as it is shown, against one real service."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.clients.document_blocks import PageRun, list_pages, read_blocks
from tests.clients.not_run import NOT_RUN, SKIPPED_LINES
from thetahat_client import Refused

BLOCKS = {str(page.relative_to(ROOT)): read_blocks(page) for page in list_pages()}
RUN = [name for name, blocks in BLOCKS.items() if any(not block.reason for block in blocks)]


@pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not installed: apt-get install curl"
)
@pytest.mark.parametrize("page", RUN)
def test_exact_every_block_runs(page: str, service_url: str, tmp_path: Path) -> None:
    run = PageRun(service_url, tmp_path, page)
    try:
        for block in BLOCKS[page]:
            if block.reason is None:
                run.run(block)
        check_page(run)
    finally:
        run.close()


def check_page(run: PageRun) -> None:
    """Check numbers and words that a tutorial promises, beyond running without an error."""
    if run.page.endswith("data-scientist.md"):
        stored, here = run.values["result"], run.values["evaluation"]
        assert here.summary.better == "higher"
        for name, model in here.models.items():
            assert stored["models"][name]["mean"]["macro"] == pytest.approx(model.mean.macro)
        rows = sum(len(model["recommended"]) for model in stored["models"].values())
        assert len(run.values["frame"]) == rows
        assert run.values["request"]["kind"] == "predictions"
        assert stored["summary"]["sentences"][0] == here.summary.sentences[0]
    if run.page.endswith("platform-engineer.md"):
        result = json.loads((run.folder / "result.json").read_text())
        assert result["unit"]["plural"] == "schools"
        assert result["summary"]["best_model"] == "new"
        assert json.loads((run.folder / "problem.json").read_text())["status"] == 422


def test_exact_every_entry_of_the_lists_is_needed() -> None:
    for page, starts in NOT_RUN.items():
        lines = [block.first_line for block in BLOCKS[page]]
        for start in starts:
            assert any(line.startswith(start) for line in lines), (page, start)
    shell = [
        line.strip()
        for blocks in BLOCKS.values()
        for block in blocks
        if block.language == "sh"
        for line in block.text.splitlines()
    ]
    for pattern in SKIPPED_LINES:
        assert any(re.match(pattern, line) for line in shell), pattern


def test_invalid_a_block_that_fails_fails_its_page(service_url: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    wrong = ["sh\nfalse", 'python\nassert "a" == "b"', 'json\n{"kind": "losses"}', "yaml\na: 1"]
    for number, text in enumerate([*wrong, "sh\necho right\n```\n\n```text\nwrong"]):
        page.write_text(f"# A page\n\n```{text}\n```\n")
        folder = tmp_path / str(number)
        folder.mkdir()
        run = PageRun(service_url, folder, "page.md")
        with pytest.raises((AssertionError, Refused)):  # noqa: PT012 - the last block fails
            for language, body in re.findall(r"```(\w+)\n(.*?)```", page.read_text(), re.DOTALL):
                run.run(type(BLOCKS["README.md"][0])("page.md", language, body))
        run.close()
