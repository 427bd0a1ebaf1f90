"""The code has the numbers of the specification where both are written by hand."""

import re
from typing import Final

import pytest

from docs.contract_tables import CONTRACT
from nnvet.hal import enums
from nnvet.oracle.random_graphs import (
    CONVOLUTION,
    LARGE_GRAPH,
    MEDIUM,
    RELAXED,
    SMALL_GRAPH,
    STRICT,
    Criteria,
    criteria_of,
)

ENUMERATIONS: Final = ("DeviceStatus", "ExecutionPreference", "Priority", "DeviceType", "FusedActivationFunc")
SETS: Final = {
    "Strict": STRICT,
    "Medium": MEDIUM,
    "Relaxed": RELAXED,
    "Conv": CONVOLUTION,
    "Small graph": SMALL_GRAPH,
    "Large graph": LARGE_GRAPH,
}


def section(page: str, number: str) -> str:
    """The text of a section, up to the next heading."""
    text = (CONTRACT / page).read_text(encoding="utf-8")
    return re.split(r"^#", text.split(f'<a id="{number}"></a>')[1], maxsplit=1, flags=re.MULTILINE)[0]


def cells(text: str) -> dict[str, list[str]]:
    """The cells of a text's tables, by their first cell."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in lines}


def rows(page: str, number: str) -> dict[str, list[str]]:
    """The cells of a section's tables, by their first cell."""
    return cells(section(page, number))


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_enumerations(name: str) -> None:
    """Names and values are those of 6.2; UNKNOWN, which no device may answer, is known besides."""
    stated = dict(re.findall(r"(\w+) (\d+)", rows("hal.md", "6.2")[re.sub("Status$", "Status (1.0)", name)][0]))
    defined = {member.name: str(member.value) for member in getattr(enums, name)}
    assert stated == {key: value for key, value in defined.items() if (name, key) != ("DeviceType", "UNKNOWN")}


def test_statuses() -> None:
    """Names and values of ErrorStatus are those of 6.1."""
    stated = {row[0]: int(value) for value, row in rows("hal.md", "6.1").items() if value.isdigit()}
    assert stated == {member.name: member.value for member in enums.ErrorStatus}


def test_lifetimes() -> None:
    """Codes are those of 4.1, names those that are current, but that of HIDL for constants in pools."""
    table = {int(value): row for value, row in rows("hal.md", "4.1").items() if value.isdigit()}
    stated = {code: row[0] if row[1] == "same" else row[1] for code, row in table.items()}
    assert stated == {member.value: member.name for member in enums.OperandLifeTime}


def test_constants() -> None:
    """Sizes and times are those of 2."""
    table = rows("hal.md", "2")
    assert table["`BYTE_SIZE_OF_CACHE_TOKEN`"][0] == str(enums.BYTE_SIZE_OF_CACHE_TOKEN)
    assert table["`MAX_NUMBER_OF_CACHE_FILES`"][0].split(",")[0] == str(enums.MAX_NUMBER_OF_CACHE_FILES)
    times = [
        int(number.replace(" ", ""))
        for number in re.findall(r"([\d ]+) ns", table["loop timeout, default and maximum"][0])
    ]
    assert times == [enums.DEFAULT_LOOP_TIMEOUT_DURATION_NS, enums.MAXIMUM_LOOP_TIMEOUT_DURATION_NS]


@pytest.mark.parametrize("name", SETS)
def test_limits_of_random_graphs(name: str) -> None:
    """Bias, mean square, absolute and relative limits are those of 8.2, for floats and codes."""
    criteria: Criteria = SETS[name]
    stated = [tuple(map(float, cell.split(" / "))) for cell in cells(_criteria()[0])[name]]
    limits = (criteria.float32, criteria.float16, criteria.quantised)
    found = [(limit.bias, limit.mean_square, limit.absolute, limit.relative) for limit in limits]
    assert found == [stated[0], stated[1], (*stated[2], 0.0)]


@pytest.mark.parametrize("name", ["Strict", "Medium", "Relaxed", "Conv"])
def test_sets_of_operations(name: str) -> None:
    """Operations have the criteria of 8.2; of DIV the newest version has others than the older ones."""
    stated = next(row[-1] for first, row in cells(_criteria()[1]).items() if first.startswith(name))
    for operation, versions in re.findall(r"(\w+)(?: \(([\d., ]+)(?: only)?\))?", stated):
        for version in re.findall(r"\d\.\d", versions) or ["1.2"]:
            assert criteria_of(f"{operation}_V{version.replace('.', '_')}") is SETS[name], operation


def _criteria() -> list[str]:
    return section("random-graphs.md", "8.2").split("Set per operation")
