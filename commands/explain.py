"""``nnvet explain``: explain a rule, an operation, a verdict, a term or a case, or show a page, in the terminal.

:func:`explain_text` tries what a word can mean, one after the other; ``pages.py`` reads the pages of the documentation.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from nnvet.commands import completing
from nnvet.commands.options import CommandError, user_errors

if TYPE_CHECKING:
    from nnvet.conformance.kit.checks import Check

_CHECKS: Final = 20
"""Most checks of a suite that are listed."""
_ROWS: Final = 4
"""Most rows of tables that are shown for a term; the first ones explain it, and later ones only mention it."""


def explain(
    thing: Annotated[
        str,
        typer.Argument(
            metavar="THING",
            help="A rule, operation, verdict, term, case, suite or page: ADD, NOT_RUN, docs/waivers.md, liberty …",
            autocompletion=completing.rules,
        ),
    ],
) -> None:
    """Explain a rule, operation, verdict, term, case or page."""
    with user_errors():
        text = explain_text(thing.strip())
    _show(text)


def explain_text(thing: str) -> str:
    """Return everything known about a thing, in Markdown.

    :raises CommandError: nothing is known, or the pages are not on this machine.
    """
    # In a link such as hal.md#relation/batch, the rule stands behind the #.
    name = thing.rpartition("#")[2] if "#" in thing else thing
    return (
        _explain_rule(name)
        or _explain_extension(thing)
        or _explain_page(thing)
        or _explain_case(thing)
        or _explain_term(thing)
        or _refuse_unknown(thing)
    )


def _explain_rule(name: str) -> str:
    from nnvet.conformance.rule_counts import explanation
    from nnvet.hal.rules import all_rules

    rule = all_rules().get(name)
    return "" if rule is None else "```\n" + "\n".join(explanation(rule)) + "\n```\n"


def _explain_extension(name: str) -> str:
    """Return an operation of an extension: its declaration, its meaning and the rule of its bounds."""
    from nnvet.hal.extensions import brought, known_extensions
    from nnvet.hal.operand_types import type_name
    from nnvet.hal.rules import operation_rules
    from nnvet.oracle.bounds.following import BY_MEANING

    known = {
        operation.name: operation for extension in known_extensions().values() for operation in extension.operations
    }
    if name not in known:
        return ""
    declaration = known[name]
    types = [", ".join(f"{name} {type_name(kind)}" for name, kind in row.types.items()) for row in declaration.rows]
    lines = [f"# {name}\n", f"{declaration.summary}\n"]
    lines += [f"- from feature level {row.level}: {text}" for row, text in zip(declaration.rows, types, strict=True)]
    if declaration.type in brought("meanings"):
        rule = brought("bounds").get(declaration.type, BY_MEANING)
        lines += [f"\nError bounds: {rule.propagation}; {rule.local}.\n"]
    else:
        lines += ["\nIts extension brings no meaning of it: nothing but specs tests it.\n"]
    return "\n".join([*lines, *(f"- `{rule.id}`: {rule.sentence}" for rule in operation_rules(declaration)), ""])


def _explain_page(thing: str) -> str:
    from nnvet.commands.pages import page_named, section

    # Messages also name a part of a page by its heading: docs/fuzzing.md, 'Native libraries'.
    place, _, heading = thing.partition(",")
    name, _, anchor = place.partition("#")
    page = page_named(name.strip()) or page_named(f"contract/operations/{name.strip().upper()}")
    if page is None or (heading and not name.strip().endswith(".md")):
        # Not a page and its part, but a heading with a comma, such as "ADD, SUB": _explain_term finds it.
        return ""
    part = section(page, anchor or _make_anchor(heading))
    if part is None:
        from nnvet.commands.pages import headings

        parts = [place for _, (place, _) in headings() if place.startswith(f"{page}#")]
        raise CommandError(f"{page} has no such part; it has {', '.join(parts)}")
    return part.text


def _make_anchor(heading: str) -> str:
    from nnvet.commands.pages import slug

    return slug(heading.strip().strip("'\""))


def _explain_case(thing: str) -> str:
    from nnvet.conformance.kit.checks import checks

    known = list(checks().values())
    whole = [check for check in known if thing == check.id or thing.startswith(f"{check.id}/")]
    if whole:
        return _explain_check(max(whole, key=lambda check: len(check.id)), thing)
    members = [check for check in known if check.suite == thing]
    return _explain_suite(thing, members) if members else ""


def _explain_suite(name: str, members: list[Check]) -> str:
    listed = [f"- `{check.name}`: {_state_purpose(check).partition('. ')[0]}" for check in members[:_CHECKS]]
    more = [f"- and {len(members) - _CHECKS} more"] if len(members) > _CHECKS else []
    run = [f"\n    nnvet run --suite {name} -d DRIVER\n"]
    return "\n".join([f"# {name}\n", f"{len(members)} checks:\n", *listed, *more, *run])


def _explain_check(check: Check, thing: str) -> str:
    lines = [f"# {thing}\n", _state_purpose(check), "", f"Since feature level {check.level}."]
    if check.rules:
        lines += ["It looks for breaches of:\n", *(f"- `{rule}`" for rule in check.rules)]
    command = f"run --only '{thing}*'" if thing == check.id else f"replay '{thing}'"
    return "\n".join([*lines, "", f"    nnvet {command} -d DRIVER", ""])


def _state_purpose(check: Check) -> str:
    body = check.body
    while isinstance(body, partial):
        body = body.func
    return " ".join((body.__doc__ or "").partition(":raises")[0].split())


def _explain_term(thing: str) -> str:
    from nnvet.commands.pages import headings, table_rows
    from nnvet.reports.events import MEANINGS

    wanted = thing.casefold()
    parts = [part.text for title, part in headings() if title.casefold() == wanted]
    rows = [row for row in table_rows() if row.cells[0].casefold() == wanted]
    meaning = [f"Verdict **{end}**: {text}." for end, text in MEANINGS.items() if end.casefold() == wanted]
    listed = [f"**{thing}** in {row.page}:\n\n" + str(row).replace("\n", "  \n") for row in rows[:_ROWS]]
    return "\n\n".join([*meaning, *listed, *parts])


def _refuse_unknown(thing: str) -> str:
    from nnvet.commands.pages import all_pages, headings, table_rows
    from nnvet.diagnostics.nearest_names import nearest_names
    from nnvet.hal.rules import all_rules

    terms = [title for title, _ in headings()] + [row.cells[0] for row in table_rows()]
    near = nearest_names(thing, dict.fromkeys([*terms, *all_pages(), *all_rules()]))
    advice = f"the nearest are {', '.join(near)}" if near else "nnvet explain architecture explains the words used here"
    raise CommandError(f"nothing is known of {thing!r}; {advice}")


def _show(text: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        typer.echo(text.rstrip("\n"))
