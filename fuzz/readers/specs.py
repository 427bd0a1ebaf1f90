"""The harness ``specs``: spec files with calls of the spec language and arbitrary arguments.

A spec is a program, so random bytes would hardly ever be one: they choose calls and literals instead. The loader either
builds test models of the spec, or refuses it with SpecError.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nnvet.conformance.engine.target import Target
from nnvet.fuzz.harness import Harness, OneInput
from nnvet.fuzz.steps import StepForm
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.generators.specs import SpecError, load_spec

_OPERAND_BYTES: Final = 5
_EXAMPLE_BYTES: Final = 10
_ARGUMENTS: Final = 5
"""Arguments of a call are fewer than this."""
_CASES: Final = 20
"""Number of cases of a spec that are built, since variations can make very many."""
_OPERANDS: Final = ("a", "b", "c", "d")
FORM: Final = StepForm(size=13, most=6, head=len(_OPERANDS) * _OPERAND_BYTES + _EXAMPLE_BYTES)
"""The head of an input stands for operands and the example, each step for an operation."""
# These lists have usual words of the spec language, and wrong or extreme ones beside them.
_MAKERS: Final = (
    "Input",
    "Output",
    "Parameter",
    "Internal",
    "Int32Scalar",
    "Float32Scalar",
    "BoolScalar",
    "Int32Vector",
)
_TYPES: Final = (
    "TENSOR_FLOAT32",
    "TENSOR_INT32",
    "TENSOR_QUANT8_ASYMM",
    "TENSOR_QUANT8_SYMM_PER_CHANNEL",
    "TENSOR_FLOAT16",
    "INT32",
    "NONE",
)
_SHAPES: Final = ("{2}", "{1, 2, 2, 1}", "{0}", "{}", "{-1}", "{4294967296}", "{2, x}", "")
_OPERATIONS: Final = ("ADD", "CONV_2D", "RELU", "CONCATENATION", "SPLIT", "IF", "NOTHING")
_VALUES: Final = ("[1, 2]", "[]", "None", "0", "-1", "0.5", "1e400", "2 ** 64", "True", "'text'", "[[1], [2, 3]]", "{}")
_EXAMPLE_CALLS: Final = (
    ".AddRelaxed()",
    ".AddNchw(a, b)",
    '.AddVariations("relaxed", "float16")',
    ".AddVariations(DataTypeConverter().Identify({a: ('TENSOR_QUANT8_ASYMM', 0.5, 128)}))",
    ".AddVariations(RelaxedModeConverter())",
    ".SetVersion('V1_2', 'fuzzed')",
    ".DisableLifeTimeVariation()",
    "",
)


class SpecsInput:
    """Function that gives the loader of specs the spec of an input."""

    def __init__(self, folder: Path) -> None:
        """Write specs into ``folder``."""
        self._path = folder / "fuzzed.mod.py"

    def __call__(self, data: bytes) -> None:
        """Load the spec that the bytes choose, and build its first cases; any error except SpecError is a finding."""
        self._path.write_text(spec_of(data), encoding="utf-8")
        try:
            for case in load_spec(self._path)[:_CASES]:
                case.build()
        except SpecError:
            return


def spec_of(data: bytes) -> str:
    """Return the text of the spec that bytes choose."""
    head, steps = FORM.sources(data)
    operands = [_operand(name, PlainBytes(head.ConsumeBytes(_OPERAND_BYTES))) for name in _OPERANDS]
    call = _choose(_EXAMPLE_CALLS, head)
    values = ", ".join(f"{_operand_name(head)}: {_choose(_VALUES, head)}" for _ in range(_below(head, _ARGUMENTS)))
    return "\n".join([*operands, "model = Model()", *map(_operation, steps), f"Example({{{values}}}){call}", ""])


def _operand(name: str, source: PlainBytes) -> str:
    """Return the line that makes an operand; the other functions return the text of a line or of an argument."""
    maker = _choose(_MAKERS, source)
    if "Scalar" in maker or maker == "Int32Vector":
        return f'{name} = {maker}("{name}", {_choose(_VALUES, source)})'
    shape = f'"{_choose(_TYPES, source)}", "{_choose(_SHAPES, source)}"'
    rest = "" if _below(source, 2) else f", {_choose(_VALUES, source)}"
    return f'{name} = {maker}("{name}", {shape}{rest})'


def _operation(source: PlainBytes) -> str:
    operation = _choose(_OPERATIONS, source)
    inputs = "".join(f", {_argument(source)}" for _ in range(_below(source, _ARGUMENTS)))
    results = ", ".join(_operand_name(source) for _ in range(1 + _below(source, 2)))
    return f'model = model.Operation("{operation}"{inputs}).To({results})'


def _argument(source: PlainBytes) -> str:
    return _operand_name(source) if _below(source, 3) else _choose(_VALUES, source)


def _operand_name(source: PlainBytes) -> str:
    return _choose(_OPERANDS, source)


def _choose(choices: tuple[str, ...], source: PlainBytes) -> str:
    return choices[_below(source, len(choices))]


def _below(source: PlainBytes, count: int) -> int:
    return source.ConsumeIntInRange(0, count - 1)


@contextmanager
def open_loader(_: Target) -> Iterator[OneInput]:
    """Open the harness on the loader; it needs no driver."""
    with tempfile.TemporaryDirectory() as folder:
        yield SpecsInput(Path(folder))


SPECS: Final = Harness(
    name="specs",
    summary="spec files whose calls have any arguments",
    opens=open_loader,
    seeds=lambda: FORM.seeds("specs"),
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    instrumented=("nnvet.generators.specs",),
    compares=True,
    max_len=FORM.max_len,
    share=1,
)
