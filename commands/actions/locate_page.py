"""Files that ``nnvet locate`` writes: a page with the errors of all operations, and the text of an issue.

The page has a bar for each operation, on a logarithmic scale, and the table that the terminal shows a part of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from nnvet.conformance.engine.locating import Located, NetworkLayer
from nnvet.reports.github import fence, plain
from nnvet.reports.html.environment import environment

_HEIGHT, _LEFT = 260, 46
"""Height of the picture, and width of the labels on its left, in pixels."""
_LEAST_STEP, _WIDTH = 8, 960
"""A bar takes at least so many pixels; many operations make the picture wider than the page, which then scrolls."""
_LOWEST, _HIGHEST = -9, 1
"""Powers of ten at the ends of the scale of relative errors."""
_LABELLED: Final = 40.0
"""Least distance of two numbers under the picture, in pixels."""

LEGEND: Final[Mapping[str, str]] = MappingProxyType(
    {
        "wrong": "wrong: outside of its own bound",
        "amplifies": "amplifies the errors of its inputs",
        "right": "right, or errors that it received",
    }
)
"""The class of a bar and what its colour means."""


@dataclass(frozen=True)
class ErrorBar:
    """A bar of the picture; ``noise`` is the height of the noise of its type, all in pixels from the top."""

    mark: str
    title: str
    label: str
    x: float
    y: float
    width: float
    noise: float


@dataclass(frozen=True)
class ErrorLevel:
    """A line across the picture at a power of ten."""

    y: float
    text: str


@dataclass(frozen=True)
class FailingPart:
    """The operations that fail alone: their number, the command that replays them, and whether TFLite has them."""

    size: int
    replay: str
    has_tflite: bool


def located_page(found: Located, network: str, driver: str, part: FailingPart | None) -> str:
    """Return the page, in HTML."""
    width = max(_WIDTH, _LEFT + _LEAST_STEP * len(found.layers))
    page = {
        "network": network,
        "driver": driver,
        "answer": answer(found),
        "legend": LEGEND,
        "first": found.first,
        "layers": found.layers,
        "is_timed": any(layer.milliseconds is not None for layer in found.layers),
        "bars": _draw_bars(found.layers, width),
        "levels": [
            ErrorLevel(round(_scale_height(10.0**power), 1), f"1e{power}") for power in range(_LOWEST, _HIGHEST + 1, 2)
        ],
        "width": width,
        "height": _HEIGHT,
        "left": _LEFT,
        "part_size": part.size if part else 0,
        "replay": part.replay if part else "",
        "has_tflite": bool(part and part.has_tflite),
    }
    return environment().get_template("locate.html.j2").render(page=page)


def answer(found: Located) -> str:
    """Return in a sentence if the outputs are right, and which operation is the first that is wrong."""
    count = len(found.wrong)
    outputs = (
        f"{count} of the outputs {'is' if count == 1 else 'are'} outside of the bound of the whole network"
        if count
        else "The outputs are within the bound of the whole network"
    )
    if found.first is None:
        return f"{outputs}; no operation is wrong by itself."
    later = sum(bool(layer.fault) for layer in found.layers) - 1
    more = f", and {later} later {'one is' if later == 1 else 'ones are'} wrong, too" if later else ""
    return f"{outputs}; operation {found.first.position}, {found.first.operation}, is the first that is wrong{more}."


def _scale_height(value: float) -> float:
    power = math.log10(value) if value > 0 else _LOWEST
    return _HEIGHT * (_HIGHEST - min(max(power, _LOWEST), _HIGHEST)) / (_HIGHEST - _LOWEST)


def _draw_bars(layers: Sequence[NetworkLayer], width: float) -> list[ErrorBar]:
    step = (width - _LEFT) / max(len(layers), 1)
    every = math.ceil(_LABELLED / step)
    bars = []
    for place, layer in enumerate(layers):
        own = "own error unknown" if layer.own is None else f"own error {layer.own:.2f} of its bound"
        bars.append(
            ErrorBar(
                "wrong" if layer.fault else "amplifies" if layer.amplifies else "right",
                f"{layer.position} {layer.operation}: off by {layer.off:.2e}, {own}",
                "" if place % every else str(layer.position),
                round(_LEFT + step * place, 1),
                round(_scale_height(layer.off), 1),
                round(max(step * 0.8, 0.5), 1),
                round(_scale_height(layer.noise), 1),
            )
        )
    return bars


_SCRIPT: Final = '''"""Run the failing part on LiteRT: largest distance of each output from the expected values."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

kernels, values = OpResolverType.{kernels}, np.load("values.npz")
interpreter = Interpreter("{model}", experimental_op_resolver_type=kernels)
interpreter.allocate_tensors()
for number, tensor in enumerate(interpreter.get_input_details()):
    interpreter.set_tensor(tensor["index"], values[f"input_{{number}}"].reshape(tensor["shape"]))
interpreter.invoke()
for number, tensor in enumerate(interpreter.get_output_details()):
    actual = interpreter.get_tensor(tensor["index"]).astype(float).ravel()
    expected = values[f"expected_{{number}}"].astype(float).ravel()
    print(f"output {{number}}: off by up to {{np.abs(actual - expected).max():.6g}}")
'''


def litert_script(selector: str, model: str) -> str:
    """Return a program that needs LiteRT and NumPy alone, for people without nnvet; ``model`` is the file's name.

    It is empty for other drivers, and for delegates, which people without their library cannot load.
    """
    kind, _, arguments = selector.partition(":")
    options = dict(option.partition("=")[::2] for option in arguments.split(","))
    if kind != "litert" or "delegate" in options:
        return ""
    # The table of the adapter cannot be loaded without LiteRT, and nobody else gets here.
    from nnvet.adapters.litert.device import KERNELS

    return _SCRIPT.format(model=model, kernels=KERNELS[options.get("kernels", next(iter(KERNELS)))])


def located_issue(found: Located, network: str, facts: Sequence[str], part: FailingPart, script: str) -> str:
    """Return the fault as the text of an issue in Markdown; ``facts`` describe driver and machine."""
    first = found.first
    assert first is not None  # noqa: S101 - a part fails only because an operation is wrong
    place = (
        f"In the network {plain(network)}, operation {first.position} is the first whose results are outside of their"
    )
    parts = [
        f"# Wrong result of {plain(first.operation)} ({plain(first.type)})",
        f"{place} error bound, with the inputs that it received:",
        fence([first.fault]),
        f"It fails alone, in {part.size} operation{'s' * (part.size > 1)}. To run it again with nnvet:",
        fence([part.replay]),
    ]
    if script:
        parts += ["Without nnvet, beside the attached files:", fence(script.splitlines())]
    return "\n\n".join([*parts, fence(list(facts))]) + "\n"
