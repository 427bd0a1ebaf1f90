"""Pictures by Graphviz, where its command ``dot`` is installed."""

from __future__ import annotations

import shutil
import subprocess


class GraphvizError(Exception):
    """There is no picture; the text says why."""


def svg_of(text: str) -> bytes:
    """A graph in Graphviz' language as SVG.

    :raises GraphvizError: ``dot`` is not installed, or fails.
    """
    dot = shutil.which("dot")
    if dot is None:
        raise GraphvizError("SVG needs Graphviz, whose command 'dot' is not installed")
    try:
        done = subprocess.run([dot, "-Tsvg"], input=text.encode(), capture_output=True, check=False)
    except OSError as error:
        raise GraphvizError(f"Graphviz cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise GraphvizError(f"Graphviz fails: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
