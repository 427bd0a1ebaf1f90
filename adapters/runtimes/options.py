"""Arguments of a runtime's selector: ``name=value,name=value``."""

from __future__ import annotations

from nnvet.adapters.selector import SelectorError


def parse_options(kind: str, arguments: str) -> dict[str, str]:
    """Options by name, in order.

    :raises SelectorError: for a part without ``=``, or a name that occurs twice.
    """
    options: dict[str, str] = {}
    for part in filter(None, arguments.split(",")):
        name, given, value = part.partition("=")
        if not given or not name:
            raise SelectorError(f"driver '{kind}:{arguments}': {part!r} is not of the form option=value")
        if name in options:
            raise SelectorError(f"driver '{kind}:{arguments}': option {name!r} is given twice")
        options[name] = value
    return options


def take_choice(kind: str, options: dict[str, str], name: str, choices: tuple[str, ...]) -> str:
    """Remove option ``name`` and return its value; the first of ``choices`` if it is not given.

    :raises SelectorError: the value is not one of them.
    """
    value = options.pop(name, choices[0])
    if value not in choices:
        raise SelectorError(f"driver '{kind}': {name} is {value!r}; choose {', '.join(choices)}")
    return value


def take_number(kind: str, options: dict[str, str], name: str, default: int) -> int:
    """Remove option ``name`` and return its value, a number above 0; ``default`` if it is not given.

    :raises SelectorError: the value is not such a number.
    """
    value = options.pop(name, str(default))
    if not value.isdecimal() or int(value) < 1:
        raise SelectorError(f"driver '{kind}': {name} is {value!r}; give a number from 1 on")
    return int(value)
