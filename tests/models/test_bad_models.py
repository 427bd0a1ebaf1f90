"""Damaged model files, one after the other in one run: each says what is wrong with it, and the next is measured."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from nnvet.formats.tflite.writer import ModelWriter, encode
from nnvet.models import litert
from nnvet.models.bench import BenchOptions, baselines, run_bench
from nnvet.models.catalogue import load_catalogue
from nnvet.models.driver import DriverContender
from nnvet.models.litert import LiteRt
from nnvet.models.results import BenchResult
from nnvet.reference_driver import create
from nnvet.reports.events import Verdict

_QUICK: Final = BenchOptions(warmup_s=0.0, run_s=0.0, compile=None)
_VARIANTS: Final = 240
_SIZE: Final = 4


def unit_network() -> bytes:
    """A fully connected layer whose weights are the unit matrix and whose bias is zero: outputs are the inputs."""
    writer = ModelWriter()
    source = writer.tensor("in", (1, _SIZE))
    weights = writer.constant("weights", np.eye(_SIZE))
    bias = writer.constant("bias", np.zeros(_SIZE))
    target = writer.tensor("out", (1, _SIZE))
    writer.operator("FULLY_CONNECTED", [source, weights, bias], [target])
    return writer.finish([source], [target])


def damaged(data: bytes, number: int) -> bytes:
    """The file cut short, with bits flipped, with another number written somewhere, or with noise in it."""
    rng = random.Random(number)
    place = rng.randrange(len(data))
    changed = bytearray(data)
    if number % 4 == 0:
        return data[:place]
    if number % 4 == 1:
        for _ in range(rng.choice((1, 2, 8))):
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif number % 4 == 2:
        wrong = rng.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, rng.randrange(len(data)), rng.randrange(1 << 32)))
        changed[place : place + 4] = wrong.to_bytes(4, "little")
    else:
        changed[place : place + rng.randrange(1, 64)] = rng.randbytes(rng.randrange(1, 64))
    return bytes(changed)


def write_folder(folder: Path, files: dict[str, bytes], **more: object) -> Path:
    """Models of one input whose golden outputs are its inputs."""
    step = np.arange(1, _SIZE + 1, dtype="<f4").tobytes()
    (folder / "step").write_bytes(step)
    pairs = [{"input": "step", "output": "step"}]
    entry = {"baselineSec": 1, "dataSize": 4, "inputSize": [1, _SIZE], "inputOutputs": pairs, **more}
    for name, data in files.items():
        (folder / f"{name}.tflite").write_bytes(data)
    (folder / "models_list").mkdir()
    models = {"models": [{"name": name, **entry} for name in files]}
    (folder / "models_list" / "all.json").write_text(json.dumps(models), "utf-8")
    return folder


def results(folder: Path) -> list[BenchResult]:
    """Return the reference driver's results for the folder, with LiteRT beside it if that is installed."""
    contenders = [*baselines()[0], DriverContender("test", create(""))]
    found = run_bench(load_catalogue(folder), contenders, _QUICK)
    return [result for result in found.results if result.backend == "nnvet:test"]


def test_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is either read in spite of the damage or refused with its name; no driver is blamed; the whole one passes.

    Where damaged weights yield other outputs than the golden ones, LiteRT yields them too.
    """
    pytest.importorskip("ai_edge_litert")
    # A process for each would take long; see below for what it is for.
    monkeypatch.setattr(litert, "describe_death", lambda *_: "not tried")
    whole = unit_network()
    files = {f"v{number}": damaged(whole, number) for number in range(_VARIANTS)}
    found = results(write_folder(tmp_path, {**files, "whole": whole}))
    assert found[-1].verdict is Verdict.PASS
    refused = 0
    for result in found[:-1]:
        assert result.verdict in (Verdict.PASS, Verdict.NOT_RUN), (result.model, result.verdict, result.reason)
        if result.verdict is Verdict.NOT_RUN and result.latency is None:
            refused += 1
            assert f"{result.model}.tflite" in result.reason
        elif result.verdict is Verdict.NOT_RUN:
            assert "nothing to judge it by; golden outputs" in result.reason
    # Most bytes of so small a file are of its structure.
    assert refused > _VARIANTS / 2


def test_a_file_that_kills_litert(tmp_path: Path) -> None:
    """LiteRT looks for the graphs that the file lacks, and crashes: in another process, and other models go on."""
    pytest.importorskip("ai_edge_litert")
    whole = unit_network()
    files = {"a_without_graph": encode("Model", {"version": 3, "buffers": [{}]}), "whole": whole}
    folder = write_folder(tmp_path, files)
    found = run_bench(load_catalogue(folder), [LiteRt()], _QUICK).results
    assert [result.verdict for result in found] == [Verdict.UNSUPPORTED, Verdict.PASS]
    assert found[0].reason == "LiteRT dies of the model: SIGSEGV"


def test_lists_that_do_not_fit_the_model(tmp_path: Path) -> None:
    """The list's shape and type stand beside the model's."""
    for name, more, message in (
        ("shape", {"inputSize": [1, 2]}, r"inputSize \[1, 2\] of the list does not fit .* whose input is \[1, 4\]"),
        ("type", {"dataSize": 1, "inputSize": [1, 16]}, r"m\.tflite: the list gives one input of uint8 \(dataSize 1\)"),
    ):
        (tmp_path / name).mkdir()
        folder = write_folder(tmp_path / name, {"m": unit_network()}, **more)
        (result,) = run_bench(load_catalogue(folder), [DriverContender("test", create(""))], _QUICK).results
        assert result.verdict is Verdict.NOT_RUN
        assert re.search(message, result.reason), result.reason
