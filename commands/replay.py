"""``nnvet replay`` and ``nnvet reduce``: run a failing case again, and make it smaller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands import options

Failing = Annotated[
    str,
    typer.Argument(
        metavar="CASE|FILE",
        help="Id of a case; or SPEC[:CASE], a vector.json, or the folder of a saved failure.",
    ),
]
Specs = Annotated[
    list[Path] | None,
    typer.Option("--specs", help="Folder or file of specs that have the case; default: the bundled corpus."),
]


def replay(
    failing: Failing,
    driver: options.Driver = "reference",
    specs: Specs = None,
    level: options.Level = None,
    timeout: options.Timeout = 20.0,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
    strict: options.Strict = False,
    liberty: options.Liberties = None,
) -> None:
    """Run one case, or a saved failure, and show its evidence."""
    from nnvet.commands.actions.replay import replay_test
    from nnvet.commands.found_tests import find_test

    with options.user_errors():
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        target = options.target_of(
            driver, timeout, level, memory_limit, box, in_process=in_process, strict=strict, liberty=liberty
        )
        code = replay_test(find_test(failing, specs or ()), target)
    raise typer.Exit(code)


def reduce(
    failing: Failing,
    driver: options.Driver = "reference",
    specs: Specs = None,
    out: Annotated[Path, typer.Option("--out", help="The smallest test is saved in failures/ of this folder.")] = Path(
        "out"
    ),
    budget: Annotated[int, typer.Option("--budget", min=1, help="Largest number of executions.")] = 500,
    level: options.Level = None,
    timeout: options.Timeout = 20.0,
    memory_limit: options.MemoryLimit = options.MEMORY_LIMIT_MIB,
    in_process: options.InProcess = False,
    sandbox: options.Sandboxed = False,
    sandbox_device: options.SandboxDevices = None,
    strict: options.Strict = False,
    liberty: options.Liberties = None,
) -> None:
    """Make a failing test small.

    Find the smallest graph, shapes, values and attributes that fail in the same way.
    """
    from nnvet.commands.actions.replay import reduce_test
    from nnvet.commands.found_tests import find_test

    with options.user_errors():
        box = options.sandbox_of(sandbox_device, asked=sandbox)
        target = options.target_of(
            driver, timeout, level, memory_limit, box, in_process=in_process, strict=strict, liberty=liberty
        )
        code = reduce_test(find_test(failing, specs or ()), target, out, budget)
    raise typer.Exit(code)
