"""Extensions: the prefixes that the library gives their names, one for the whole process."""

from __future__ import annotations

from typing import Final

from nnvet.adapters.nnapi.exported.refusals import bad_data
from nnvet.hal.enums import EXTENSION_TYPE_LOW_BITS_TYPE
from nnvet.hal.operand_types import is_extension
from nnvet.hal.types import ExtensionNameAndPrefix

_LAST_PREFIX: Final = 0x7FFF
_prefixes: Final[dict[str, int]] = {}


def code_of(name: str, number: int) -> int:
    """The code of a type or operation ``number`` of an extension; names that nobody knows get a prefix, too.

    :raises RefusalError: BAD_DATA if there are no prefixes left.
    """
    prefix = _prefixes.setdefault(name, len(_prefixes) + 1)
    if prefix > _LAST_PREFIX:
        raise bad_data(f"there are no prefixes left for extension {name!r}")
    return prefix << EXTENSION_TYPE_LOW_BITS_TYPE | number


def is_registered(code: int) -> bool:
    """Return True if a code is the contract's own, or has a prefix that has been given."""
    return not is_extension(code) or code >> EXTENSION_TYPE_LOW_BITS_TYPE in _prefixes.values()


def names_of(codes: set[int]) -> tuple[ExtensionNameAndPrefix, ...]:
    """The extensions that these codes belong to."""
    used = {code >> EXTENSION_TYPE_LOW_BITS_TYPE for code in codes if is_extension(code)}
    return tuple(ExtensionNameAndPrefix(name, prefix) for name, prefix in _prefixes.items() if prefix in used)
