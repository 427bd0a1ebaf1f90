"""Events keep what they carry, and the stored schema describes them."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nnvet.reports.events import CaseFinished, Comparison, Limit, Measurement, RunStarted, Verdict, decode, encode
from nnvet.reports.schema import STORED, generate


def test_stored_schema_is_the_generated_one() -> None:
    """Whoever changes an event stores the schema anew with python -m nnvet.reports.schema."""
    assert STORED.read_text(encoding="utf-8") == generate()


def accepts(schema: dict[str, Any], value: Any, root: dict[str, Any]) -> bool:
    """Naive reading of the part of JSON Schema that the stored file uses; raises on keywords it does not know."""
    known = {"$schema", "$defs", "title", "description", "default", "discriminator"}
    rules: dict[str, Callable[[Any], bool]] = {
        "$ref": lambda ref: accepts(root["$defs"][ref.rsplit("/", 1)[1]], value, root),
        "anyOf": lambda options: any(accepts(option, value, root) for option in options),
        "enum": lambda allowed: value in allowed,
        "type": lambda name: isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name != "boolean"),
        "required": lambda names: set(names) <= set(value),
        "items": lambda item: all(accepts(item, part, root) for part in value),
        "properties": lambda fields: all(accepts(fields[key], value[key], root) for key in value if key in fields),
        "additionalProperties": lambda rest: all(
            rest if isinstance(rest, bool) else accepts(rest, value[key], root)
            for key in value
            if key not in schema.get("properties", {})
        ),
        "propertyNames": lambda names: all(accepts(names, key, root) for key in value),
    }
    checked = [key for key in ("type", *schema) if key in schema and key not in known]
    return all(rules[key](schema[key]) for key in dict.fromkeys(checked))


TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
    "null": type(None),
    "boolean": bool,
}


def test_every_line_of_a_log_keeps_the_stored_schema(full_log: Path) -> None:
    """Lines hold to the schema by a second, naive reading of it, and what breaks it is refused."""
    schema = json.loads(STORED.read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in full_log.read_text(encoding="utf-8").splitlines()]
    assert {line["event"] for line in lines} == {
        "run_started",
        "case_started",
        "case_finished",
        "measurement",
        "run_finished",
    }
    assert all(accepts(schema, line, schema) for line in lines)
    changes: tuple[dict[str, Any], ...] = ({"verdict": "GOOD"}, {"colour": 1}, {"case": 3}, {"evidence": []})
    finished = next(line for line in lines if line["event"] == "case_finished")
    for change in changes:
        assert not accepts(schema, finished | change, schema)


def test_lines_are_plain_json(full_log: Path) -> None:
    """No line needs the extensions NaN and Infinity that strict JSON readers refuse."""

    def refuse(token: str) -> None:
        raise AssertionError(token)

    for line in full_log.read_text(encoding="utf-8").splitlines():
        json.loads(line, parse_constant=refuse)


def test_non_finite_accuracy_survives() -> None:
    """NaN and infinities of figures and limits come back as numbers."""
    event = Measurement("m", "LiteRT", accuracy={"a": math.nan, "b": math.inf}, limits={"a": Limit(at_most=-math.inf)})
    back = decode(encode(event))
    assert isinstance(back, Measurement)
    assert math.isnan(back.accuracy["a"])
    assert back.accuracy["b"] == math.inf
    assert back.limits["a"].at_most == -math.inf


def test_a_case_comes_back_equal() -> None:
    """Evidence and labels are plain from the start, so writing and reading change nothing."""
    event = CaseFinished(
        "a/b", Verdict.FAIL, "R/x", "größer ✕\n", {"t": (1, 2.5)}, 0.25, {"operations": ("ADD",), "suite": "s"}
    )
    assert decode(encode(event)) == event
    assert event.operations == ("ADD",)
    assert event.suite == "s"


@pytest.mark.parametrize(
    ("case", "labels", "suite"),
    [("vts/x/y", {}, "vts"), ("cts::x", {}, "cts"), ("alone", {}, "alone"), ("vts/x", {"suite": "fuzz"}, "fuzz")],
)
def test_the_suite_is_the_label_or_the_start_of_the_id(case: str, labels: dict[str, str], suite: str) -> None:
    """Cases without a label are grouped by the first part of their id."""
    assert CaseFinished(case, Verdict.PASS, labels=labels).suite == suite


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"case_started"}',
        b'{"event":"case_started","case":"a","extra":1}',
        b'{"event":"case_finished","case":"a","verdict":"pass"}',
        b'{"event":"other"}',
        b'{"case":"a"}',
        b"[]",
    ],
)
def test_lines_that_break_the_schema_are_refused(line: bytes) -> None:
    """Missing, additional and wrong fields are errors."""
    with pytest.raises(msgspec.ValidationError):
        decode(line)


@pytest.mark.parametrize(
    ("limit", "value", "holds"),
    [
        (Limit(at_least=0.5), 0.5, True),
        (Limit(at_least=0.5), 0.49, False),
        (Limit(at_most=4.0), 4.0, True),
        (Limit(at_most=4.0), 4.1, False),
        (Limit(at_least=0.0), math.nan, False),
        (Limit(at_least=0.0, at_most=1.0), 2.0, False),
    ],
)
def test_limits_include_their_bounds(limit: Limit, value: float, holds: bool) -> None:
    """A figure at the limit passes, NaN never does."""
    assert limit.holds(value) is holds


def test_defaults_are_left_out(started: RunStarted) -> None:
    """Small lines: what has its default is not written."""
    assert json.loads(encode(CaseFinished("a", Verdict.PASS))) == {
        "event": "case_finished",
        "case": "a",
        "verdict": "PASS",
    }
    assert "log_version" not in json.loads(encode(started))


def test_comparisons_and_timings_of_a_measurement_survive() -> None:
    """Comparisons and timings of a measurement come back as they were, numbers that are not finite included."""
    top_1 = Comparison("top_1", 0.5, 0.75, -0.25, -0.375, math.nan, 0.03125, 0.01, 48)
    noise = Comparison("noise", 1.0, 0.0, 1.0, 1.0, math.inf, None, 0.5, 3)
    measurement = Measurement(
        "m",
        "nnvet:x",
        comparisons=(top_1, noise),
        first_inference_s=0.25,
        harness_overhead_s=math.nan,
        family="MobileNet v1 uint8",
        toy=True,
    )
    again = decode(encode(measurement))
    assert isinstance(again, Measurement)
    assert again.comparisons[1] == noise
    assert (again.first_inference_s, again.family, again.toy) == (0.25, "MobileNet v1 uint8", True)
    assert again.harness_overhead_s is not None
    assert math.isnan(again.harness_overhead_s)
    assert math.isnan(again.comparisons[0].high)
    assert encode(again) == encode(measurement)
