"""``thetahat mcp`` as a process, driven by the client of the reference SDK."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest

from tests.service.recomputation.kept_evaluations import TABLE
from thetahat_service import start
from thetahat_service.cli import main
from thetahat_service.cli.assistant_tools import FileReading, Tools

T = TypeVar("T")
PROGRAM = "import sys; from thetahat_service.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = zip(TABLE["old"], TABLE["new"], strict=True)
    lines = [f"s{i // 5},{old},{new}\n" for i, (old, new) in enumerate(rows)]
    (tmp_path / "losses.csv").write_text("school,old,new\n" + "".join(lines))
    return tmp_path


def drive(folder: Path, use: Callable[[Any], Awaitable[T]]) -> T:
    """Start the server, let a function use a session with it, and return what that returns."""
    mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

    async def run() -> T:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-c", PROGRAM, "mcp", "--folder", str(folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        async with (
            mcp.stdio_client(server) as (read, write),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await use(session)

    return anyio.run(run)


def test_exact_every_tool_is_described(folder: Path) -> None:
    async def list_tools(session: Any) -> Any:
        return (await session.list_tools()).tools

    tools = {tool.name: tool for tool in drive(folder, list_tools)}

    assert sorted(tools) == ["advise", "compare", "gate", "inspect", "read_result"]
    for tool in tools.values():
        schema = tool.input_schema
        assert tool.description
        assert all("description" in field for field in schema["properties"].values()), tool.name
    assert tools["gate"].input_schema["required"] == ["file", "model", "against"]


def test_exact_the_answers_are_those_of_the_tools(folder: Path) -> None:
    reading = {"block": "school"}

    async def call(session: Any) -> list[Any]:
        named = {"model": "new", "against": "old", "margin": 0.5}
        return [
            await session.call_tool("inspect", {"file": "losses.csv"}),
            await session.call_tool("compare", {"file": "losses.csv", "reading": reading}),
            await session.call_tool("gate", {"file": "losses.csv", "reading": reading, **named}),
            await session.call_tool("advise", {"situation": {"n": 200}}),
            await session.call_tool("inspect", {"file": "../secret.csv"}),
            await session.call_tool("advise", {"situation": {"rows": 200}}),
        ]

    answers = drive(folder, call)

    tools, read = Tools(folder), FileReading(block="school")
    expected = [
        tools.inspect("losses.csv"),
        tools.compare("losses.csv", read),
        tools.gate("losses.csv", "new", "old", margin=0.5, reading=read),
        tools.advise({"n": 200}),
    ]
    assert [answer.content[0].text for answer in answers[:4]] == expected
    assert [answer.is_error for answer in answers] == [False] * 4 + [True] * 2
    assert "is not below the folder of this server" in answers[4].content[0].text
    assert "The field n is missing" in answers[5].content[0].text


def test_invalid_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--folder", str(tmp_path / "absent")]) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_invalid_without_the_package_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.setattr(sys, "argv", ["thetahat", "mcp", "--folder", str(tmp_path)])

    assert start.main() == 2
    assert "pip install 'thetahat[mcp]'" in capsys.readouterr().err
