"""What the command line loads, and what it says of settings that cannot be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from thetahat_service.cli import COMMANDS, build_app, main
from thetahat_service.settings import get_settings

CLI = "thetahat_service.cli."
# Each of these takes from a tenth of a second to two seconds to import.
SLOW = {"celery", "fastapi", "httpx", "numpy", "pydantic", "rich", "scipy", "sqlalchemy", "urllib3"}


def loaded_by(*words: str) -> set[str]:
    """Return the packages that a command has loaded when it ends."""
    script = (
        f"import sys; from thetahat_service.cli import main; status = main({list(words)!r});"
        "print(*sys.modules); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_exact_the_version_loads_nothing_slow() -> None:
    assert loaded_by("--version") & SLOW == set()


@pytest.mark.parametrize("words", [("--help",), ("serve", "--help"), ("submit", "--help")])
def test_exact_help_loads_nothing_slow(words: tuple[str, ...]) -> None:
    assert loaded_by(*words) & SLOW == set()


def test_exact_the_help_has_the_commands_of_the_table_in_its_sections() -> None:
    whole: Any = typer.main.get_command(build_app())
    for section, places in COMMANDS.items():
        shown = [name for name, each in whole.commands.items() if each.rich_help_panel == section]
        assert set(shown) == set(places)


@pytest.mark.parametrize("name", [name for places in COMMANDS.values() for name in places])
def test_exact_a_command_is_built_without_the_others(name: str) -> None:
    command: Any = typer.main.get_command(build_app(name))
    assert list(command.commands) == [name]


def test_exact_an_unknown_command_is_compared_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compair"]) == 2
    assert "Did you mean 'compare'" in capsys.readouterr().err


def test_exact_a_command_imports_no_other_commands_module() -> None:
    modules = {name for name in loaded_by("compare", "--help") if name.startswith(CLI)}

    assert CLI + "compare" in modules
    others = {place.partition(".")[0] for places in COMMANDS.values() for place in places.values()}
    assert not {CLI + name for name in others - {"compare"}} & modules


def test_exact_help_has_sections_with_whole_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    sections = [line for line in printed.splitlines() if line.endswith(":") and line[0] != " "]
    assert sections == ["Options:", "Evaluations:", "Service:", "Documentation:"]
    assert "Compare models by their losses in a file, and say which is better and how certain" in (
        " ".join(printed.split())
    )

    assert main(["keys", "--help"]) == 0
    assert "with the same owner and scope, and print the new one." in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.fixture
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    get_settings.cache_clear()
    monkeypatch.setattr(os, "environ", dict(os.environ))  # --port and its kin are put there
    return monkeypatch


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("WORKRES", "WORKERS"),
        ("WORKER", "WORKERS"),
        ("DB_URL", "DATABASE_URL"),
        ("DATADIR", "DATA_DIR"),
        ("TIME_LIMIT", "TIME_LIMIT_S"),
    ],
)
@pytest.mark.parametrize(
    ("command", "status"), [("serve", 2), ("api", 2), ("migrate", 2), ("doctor", 1)]
)
def test_invalid_a_misspelt_setting_is_a_sentence(
    command: str,
    status: int,
    name: str,
    setting: str,
    fresh_settings: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fresh_settings.setitem(os.environ, f"THETAHAT_{name}", "3")
    try:
        assert main([command]) == status
    finally:
        get_settings.cache_clear()

    printed = capsys.readouterr()
    sentence = f"THETAHAT_{name} is not a setting. Did you mean THETAHAT_{setting}?"
    assert sentence in " ".join((printed.out + printed.err).split())


def test_exact_variables_of_other_programs_are_no_misspelt_settings(
    fresh_settings: pytest.MonkeyPatch,
) -> None:
    others = ["URL", "API_KEY", "NODE", "START_SIGNAL", "CHROMIUM"]
    others += ["DB_PASSWORD", "BROKER_PASSWORD", "WORKER_MEMORY", "PUBLISHED_PORT"]
    others += ["SERVICE_HOST", "SERVICE_PORT", "PORT_8000_TCP", "PORT_8000_TCP_ADDR"]
    for name in others:
        fresh_settings.setitem(os.environ, f"THETAHAT_{name}", "value")

    try:
        assert get_settings().host
    finally:
        get_settings.cache_clear()


@pytest.mark.parametrize(
    ("words", "sentences"),
    [
        (("--port", "a"), "THETAHAT_PORT must be a whole number, but is 'a'."),
        (("--port", "65536"), "THETAHAT_PORT must be at most 65535, but is '65536'."),
        (("--workers", "0"), "THETAHAT_WORKERS must be at least 1, but is '0'."),
        (
            ("--workers", "x", "--port", "y"),
            (
                "THETAHAT_PORT must be a whole number, but is 'y'. "
                "THETAHAT_WORKERS must be a whole number, but is 'x'."
            ),
        ),
    ],
)
def test_invalid_settings_are_sentences(
    words: tuple[str, ...],
    sentences: str,
    fresh_settings: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        assert main(["serve", *words]) == 2
    finally:
        get_settings.cache_clear()

    assert capsys.readouterr() == ("", f"thetahat: {sentences}\n")


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TIME_LIMIT_S", "0", "THETAHAT_TIME_LIMIT_S must be more than 0.0, but is '0'."),
        ("LEASE_S", "soon", "THETAHAT_LEASE_S must be a number, but is 'soon'."),
        ("FILES_URL", "ftp://x", "THETAHAT_FILES_URL must have the form file:///a/folder or "),
        ("BROKER_URL", "amqp://x", "THETAHAT_BROKER_URL must begin with redis:// or "),
        ("DATABASE_URL", "mysql://x/y", "THETAHAT_DATABASE_URL must be an address of SQLite or "),
        ("DATABASE_URL", "nothing", "The database cannot be used: Could not parse"),
    ],
)
def test_invalid_variables_are_sentences(
    variable: str,
    value: str,
    sentence: str,
    fresh_settings: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from thetahat_service.storage import engine

    fresh_settings.setitem(os.environ, f"THETAHAT_{variable}", value)
    engine.reset()
    try:
        assert main(["keys", "list"]) in {2, 4}  # wrong settings, or a database that is away
    finally:
        get_settings.cache_clear()
        engine.reset()

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"thetahat: {sentence}")


@pytest.mark.parametrize("words", [["api", "--port", "0"], ["sweeper"]])
def test_invalid_a_database_that_is_away_is_a_sentence(words: list[str], tmp_path: Path) -> None:
    """No process starts that could do nothing."""
    variables = {
        **os.environ,
        "THETAHAT_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
        "THETAHAT_BROKER_URL": "redis://127.0.0.1:9/0",
        "THETAHAT_FILES_URL": tmp_path.as_uri(),
        "THETAHAT_DATA_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-m", "thetahat_service.cli", *words],
        env=variables,
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 4
    assert done.stderr.startswith("thetahat: The database cannot be used: connection failed")
    assert len(done.stderr.splitlines()) == 1


def test_exact_a_fault_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(url: str) -> None:
        raise KeyError(url)

    monkeypatch.setattr("thetahat_service.cli.evaluations.connect", fail)
    with pytest.raises(KeyError):
        main(["status", "x"])
