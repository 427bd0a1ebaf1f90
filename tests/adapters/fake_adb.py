"""Behaves as ``adb`` does with one device, whose file system is a folder: ``ADB_DEVICE``.

Commands run here, with the device's only writable folder in place of its path. The calls are noted in ``calls``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SERIAL = "R58M123"
WRITABLE = "/data/local/tmp"
ROOT = Path(os.environ.get("ADB_DEVICE", "/nowhere"))


def fail(why: str) -> None:
    """Print a message in adb's form."""
    sys.exit(f"adb: {why}")


def inside(path: str) -> str:
    """Return the replacement of a path, or of all those in a command."""
    return path.replace(WRITABLE, str(ROOT))


def push(*paths: str) -> None:
    """Copy files into a folder."""
    *sources, target = paths
    folder = Path(inside(target))
    if not folder.is_dir():
        fail(f"error: failed to copy '{sources[0]}' to '{target}': remote No such file or directory")
    for source in sources:
        if not Path(source).is_file():
            fail(f"error: cannot stat '{source}': No such file or directory")
        shutil.copyfile(source, folder / Path(source).name)
    sys.stdout.write(f"{len(sources)} files pushed, 0 skipped.\n")


def shell(*words: str) -> None:
    """Run a command of the device's shell; its words are joined, as those of ssh are."""
    words = words[1:] if words[0] == "-T" else words
    sys.exit(subprocess.run(("/bin/sh", "-c", inside(" ".join(words))), check=False).returncode)


def forward(*words: str) -> None:
    """Connect a port here with one there, which is the same; ``tcp:0`` chooses one."""
    rules = ROOT / "forwarded"
    known = rules.read_text().split() if rules.exists() else []
    if words[0] == "--remove":
        if words[1] not in known:
            fail(f"error: listener '{words[1]}' not found")
        known.remove(words[1])
    else:
        if words[0] != "tcp:0":
            fail("this one chooses the port itself")
        known.append(words[1])
        sys.stdout.write(f"{words[1].removeprefix('tcp:')}\n")
    rules.write_text(" ".join(known))


def main(arguments: list[str]) -> None:
    """Carry out a command for the device, if it names the attached one."""
    with (ROOT / "calls").open("a") as calls:
        calls.write(" ".join(arguments) + "\n")
    if arguments[0] == "-s":
        if arguments[1] != SERIAL:
            fail(f"device '{arguments[1]}' not found")
        arguments = arguments[2:]
    if (ROOT / "unauthorized").exists():
        fail("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set")
    command, *rest = arguments
    {"push": push, "shell": shell, "forward": forward}[command](*rest)


if __name__ == "__main__":
    main(sys.argv[1:])
