"""The process that sets a report as PDF with Typst.

``python -m thetahat_service.reports.typesetting_process FOLDER SECONDS own|system`` reads
``main.typ`` in the folder and writes ``report.pdf``. ``SECONDS`` is the date of the document;
``system`` adds the fonts of the system to those of Typst. The root of all paths is the folder, and
packages are searched for in an empty one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from thetahat_service.process.exit_with_parent import (
    request_signal_on_parent_exit,
    set_process_name,
)
from thetahat_service.process.memory import limit_memory

MEMORY_MB: Final = 1500


def main() -> None:
    """Set the report, and write its bytes."""
    import typst  # noqa: PLC0415 - after the limits are set

    folder, seconds, fonts = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    set_process_name("thetahat-report")
    request_signal_on_parent_exit()
    limit_memory(MEMORY_MB)
    no_packages = folder / "packages"
    no_packages.mkdir()
    compiler = typst.Compiler(
        str(folder / "main.typ"),
        root=str(folder),
        font_paths=typst.Fonts(include_system_fonts=fonts == "system"),
        package_path=str(no_packages),
        package_cache_path=str(no_packages),
    )
    compiler.compile(output=str(folder / "report.pdf"), format="pdf", timestamp=seconds)


if __name__ == "__main__":
    main()
