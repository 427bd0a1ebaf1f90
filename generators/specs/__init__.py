"""Android's test-specification language: loads ``*.mod.py`` files into test models, and writes test models as such.

``load_spec`` executes a file and returns its cases; ``Case.build`` makes the test model. The language itself is
described in ``docs/spec-format.md``.
"""

from nnvet.formats.errors import SpecError
from nnvet.generators.specs.case import SpecCase
from nnvet.generators.specs.dump import dump_spec
from nnvet.generators.specs.loader import find_specs, known_names, load_spec

__all__ = ["SpecCase", "SpecError", "dump_spec", "find_specs", "known_names", "load_spec"]
