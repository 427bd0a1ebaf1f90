"""``nnvet new-driver``: a project to begin with, without a fault as it is made."""

from __future__ import annotations

import keyword
import shutil
from pathlib import Path
from typing import Annotated, Final

import typer

from nnvet.commands.options import CommandError, user_errors

_FILES: Final = {
    "{module}.py": "driver.py.jinja",
    "test_{module}.py": "test_driver.py.jinja",
    "README.md": "README.md.jinja",
    "waivers.toml": "waivers.toml.jinja",
    ".github/workflows/conformance.yml": "conformance.yml.jinja",
}
"""Files of a project, and their templates."""


def new_driver(
    name: Annotated[str, typer.Argument(help="Name of the driver, and of the folder that is made.")],
    parent: Annotated[Path, typer.Option("--in", help="Folder to make it in.")] = Path(),
) -> None:
    """Make a folder with a small driver in Python, its tests and a CI workflow; it has no fault as it is."""
    with user_errors():
        module, cls = _identifiers(name)
        folder = parent / name
        written = _write(folder, {"name": name, "module": module, "cls": cls})
    for path in written:
        typer.echo(path)
    typer.echo(f"now: cd {folder} && nnvet smoke -d python:{module}.py:{cls}")


def _identifiers(name: str) -> tuple[str, str]:
    """Names of the module and of the class.

    :raises CommandError: there are none.
    """
    module = name.replace("-", "_").lower()
    if not (module.isascii() and module.isidentifier()) or keyword.iskeyword(module) or module.startswith("_"):
        raise CommandError(f"{name!r} is no name: letters, digits, - and _, a letter first, and no word of Python")
    return module, "".join(part.capitalize() for part in module.split("_"))


def _write(folder: Path, words: dict[str, str]) -> list[Path]:
    """The files that were written.

    :raises CommandError: the folder is there, or cannot be made; then nothing of it stays.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(  # noqa: S701 - programs, not pages; the words are identifiers
        loader=PackageLoader("nnvet.commands"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise CommandError(f"{folder} is there already; choose another name, or --in FOLDER") from error
    except OSError as error:
        raise CommandError(f"{folder}: cannot be made ({error.strerror or error})") from error
    written = []
    try:
        for path, template in _FILES.items():
            file = folder / path.format(**words)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(templates.get_template(template).render(words), encoding="utf-8")
            written.append(file)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, OSError):
            raise
        raise CommandError(f"{folder}: cannot be made ({error.strerror or error})") from error
    return written
