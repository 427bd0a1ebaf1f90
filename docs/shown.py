"""Commands on pages with what they print: run here, so that pages show what is.

A page marks a block, and has its commands; what follows each is written by ``make docs``::

    <!-- shown -->
    ```console
    $ nnvet drivers
    ```

The blocks of a page are run in order, in one empty folder that has ``docs/``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parent
SHOWN: Final = re.compile(r"(?<=<!-- shown -->\n```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)

_LEFT_OUT: Final = re.compile(
    r"\d+ % of the work: .*|\s*[~^]+|  (?:pids?|load|confirmed|processor_s): .*"
    r"|Extension modules: .*|this machine has no .*"
)
"""Lines about the machine, its load, the time or the version of Python."""
_COUNT: Final = re.compile(r"(?<=^ok     )(.*): \d+ passed$")
"""Of ``nnvet smoke``, which stops after some seconds."""
_FRAME: Final = re.compile(r'  File "(?!docs/)[^"]*", line \d+,? in .*')
_HERE: Final = re.compile(r"/[^\s\"']*?/(?=docs/)")
_GONE: Final = re.compile(r"(\n  …)+\n|\ntimings:\s*$|\n\n(?=\n|$)")


def pages() -> list[Path]:
    """The pages that show what commands print."""
    return [path for path in sorted(DOCS.rglob("*.md")) if SHOWN.search(path.read_text(encoding="utf-8"))]


def with_output(page: str) -> str:
    """The page with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs").symlink_to(DOCS)
        return SHOWN.sub(lambda block: "".join(_answered(block[1], folder)), page)


def _answered(block: str, folder: Path) -> Iterator[str]:
    for line in block.splitlines():
        if line.startswith("$ "):
            yield f"{line}\n"
            yield alike(_printed(shlex.split(line.removeprefix("$ ")), folder))


def _printed(command: list[str], folder: Path) -> str:
    """Return a command's output without tools that print native stacks, for not all machines have them."""
    ours = [sys.executable, "-m", "nnvet.commands"] if command[0] == "nnvet" else [str(shutil.which(command[0]))]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NNVET_", "GITHUB_"))}
    path = {"PATH": str(folder), "PYTHONPATH": str(DOCS.parent / "src"), "COLUMNS": "130"}
    state = {"NNVET_DRIVER_STATE": str(folder / ".state")}
    done = subprocess.run(
        [*ours, *command[1:]],
        cwd=folder,
        env=kept | path | state,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def alike(output: str) -> str:
    """The output as it is on every machine, without frames of stacks outside of ``docs/``."""
    lines = (_HERE.sub("", line.rstrip()) for line in output.splitlines())
    kept = (_COUNT.sub(r"\1", _FRAME.sub("  …", line)) for line in lines if not _LEFT_OUT.fullmatch(line))
    text = "\n".join(["", *kept])
    text = _GONE.sub(lambda found: "\n  …\n" if "…" in found[0] else "", text).strip("\n")
    return f"{text}\n" if text else ""


def main() -> None:
    """Write the pages anew."""
    for path in pages():
        path.write_text(with_output(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
