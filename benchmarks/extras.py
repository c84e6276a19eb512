"""What each extra installs and costs: ``python -m benchmarks.extras``, which needs a package index.

For each extra an empty environment gets the wheels of this checkout and what they need from the
index. The table has the packages and megabytes beside pip, the names that begin with something
else than thetahat, and the processor time of a first answer: the smallest of five new processes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
WARM: Final = 2
RUNS: Final = 5
EVALUATE: Final = """
import thetahat
losses = {name: [[(i * k) % 7 / 7 for i in range(40)] for k in range(1, 16)] for name in "abc"}
thetahat.evaluate(losses, blocks="source")
"""
CLIENT: Final = "import thetahat_client; thetahat_client.Client('http://127.0.0.1:9')"
COMPARE: Final = ["thetahat", "compare", "losses.csv", "--block", "school"]
CASES: Final[Sequence[tuple[str, Sequence[str], str, list[str]]]] = (
    ("`thetahat`", ["thetahat"], "`import thetahat`", ["python", "-c", "import thetahat"]),
    ("`thetahat`", ["thetahat"], "first `evaluate`", ["python", "-c", EVALUATE]),
    ("`thetahat-client`", ["thetahat-client"], "a `Client`", ["python", "-c", CLIENT]),
    ("`thetahat[fast]`", ["thetahat[fast]"], "first `evaluate`", ["python", "-c", EVALUATE]),
    (
        "`thetahat[learners]`",
        ["thetahat[learners]"],
        "first `evaluate`",
        ["python", "-c", EVALUATE],
    ),
    ("`thetahat[cli]`", ["thetahat[cli]"], "`thetahat compare`, 600 rows x 3 models", COMPARE),
    ("`thetahat[cli]`", ["thetahat[cli]"], "`thetahat --help`", ["thetahat", "--help"]),
    ("`thetahat[worker]`", ["thetahat[worker]"], "`thetahat compare`", COMPARE),
    ("`thetahat[service]`", ["thetahat[service]"], "`thetahat compare`", COMPARE),
    (
        "`thetahat[service,studies]`",
        ["thetahat[service,studies]"],
        "`thetahat compare`",
        COMPARE,
    ),
)


def main() -> None:
    """Print the table."""
    print("| installed | packages | MB | first answer | processor seconds |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheels = _build_wheels(folder / "wheels")
        _write_losses(folder / "losses.csv")
        sizes: dict[str, tuple[int, float]] = {}
        for title, wanted, answer, command in CASES:
            environment = folder / title.strip("`").replace("[", "-").replace("]", "")
            if title not in sizes:
                sizes[title] = _install(environment, wanted, wheels)
            packages, megabytes = sizes[title]
            seconds = _measure(environment, command, folder)
            print(
                f"| {title} | {packages} | {megabytes:.0f} | {answer} | {seconds:.2f} |", flush=True
            )


def _build_wheels(folder: Path) -> Path:
    for project in ("", "presentation", "clients/python", "replications"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=ROOT / project, check=True, capture_output=True)
    return folder


def _install(environment: Path, wanted: Sequence[str], wheels: Path) -> tuple[int, float]:
    """Return the number of packages, and the megabytes of site-packages, beside pip."""
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    (site,) = (environment / "lib").glob("python*/site-packages")
    before = _count_bytes(site)
    subprocess.run(
        [*pip, "install", "--no-compile", "--find-links", str(wheels), *wanted], check=True
    )
    megabytes = (_count_bytes(site) - before) / 1e6
    listed = subprocess.run(
        [*pip[:-1], "list", "--format=freeze", "--exclude", "pip", "--exclude", "setuptools"],
        check=True,
        capture_output=True,
        text=True,
    )
    return len(listed.stdout.split()), megabytes


def _count_bytes(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return sum(path.stat().st_size for path in files if path.is_file())


def _measure(environment: Path, command: Sequence[str], folder: Path) -> float:
    """Return the processor seconds of a new process; its first runs write compiled modules."""
    program = [str(environment / "bin" / command[0]), *command[1:]]
    seconds = []
    for _ in range(WARM + RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            program,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(seconds[WARM:])


def _write_losses(path: Path) -> None:
    lines = ["school,ridge,forest,knn"]
    lines += [
        f"{i % 15},{(i * 7 % 11) / 11:.4f},{(i * 5 % 13) / 13:.4f},{(i * 3 % 17) / 17:.4f}"
        for i in range(600)
    ]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
