"""The bounds of all operations, collected from the modules of the families."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.bounds import families
from nnvet.oracle.bounds.rule import BoundRule

RULES: Final[Mapping[OperationType, BoundRule]] = {
    operation: rule
    for module in pkgutil.iter_modules(families.__path__)
    for operation, rule in importlib.import_module(f"{families.__name__}.{module.name}").RULES.items()
}
"""Rule of each operation: how errors spread through it, and what it adds."""
