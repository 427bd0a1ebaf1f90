"""Instrumented code behaves as before, and its counters say which edges it took and how often."""

from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: nnvet[fuzz]")

SOURCE = """
class Sum:
    def of(self, items, limit):
        total = 0
        try:
            for item in items:
                if item > limit:
                    raise ValueError(item)
                total += item
        except ValueError as error:
            total = -error.args[0]
        return [total for _ in range(2)], (lambda: total)()

result = Sum().of(items, limit)
"""


def test_counters_tell_paths_apart() -> None:
    """Results stay; another path counts other edges, the same one equal ones, and a long loop ends at 255."""
    from nnvet.fuzz.counters import EdgeCounters  # noqa: PLC0415 - needs atheris

    counters = EdgeCounters()
    code = counters.instrument(compile(SOURCE, "sum.py", "exec"))
    memory, _ = counters.place()

    def edges_of(items: list[int], limit: int) -> tuple[object, dict[int, int]]:
        memory[:] = bytes(len(memory))
        names: dict[str, object] = {"items": items, "limit": limit}
        exec(code, names)  # noqa: S102 - that is what is tested
        return names["result"], {place: count for place, count in enumerate(memory[:1000]) if count}

    plain, short = edges_of([1, 2], 9)
    assert plain == ([3, 3], 3)
    assert edges_of([1, 2], 9) == (plain, short)
    raised, other = edges_of([1, 2], 1)
    assert raised == ([-2, -2], -2)
    assert set(other) - set(short)
    summed, long = edges_of([1] * 1000, 9)
    assert summed == ([1000, 1000], 1000)
    assert set(long) == set(short)
    assert max(long.values()) == 255
    assert max(short.values()) < 8


def test_instrumented_code_is_code_like_any_other() -> None:
    """It can be hashed and compared, which looks at its constants, and so at the counters."""
    from nnvet.fuzz.counters import EdgeCounters  # noqa: PLC0415 - needs atheris

    plain = compile(SOURCE, "sum.py", "exec")
    code = EdgeCounters().instrument(plain)
    assert {plain: "plain", code: "counted"}[code] == "counted"
    assert code != EdgeCounters().instrument(plain)
