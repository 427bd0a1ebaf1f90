"""Times by layer and phase, added up by hand from small recordings.

Rules: docs/contract/sample-driver.md 10.3 to 10.5.
"""

import io
import math

import pytest
from rich.console import Console

from nnvet.diagnostics.trace_summary import Summary, TraceError, summarize, summary_table
from nnvet.diagnostics.tracing import Layer, TracePhase
from tests.diagnostics.trace_events import recorded

LA, LR, LI, LD, LC = Layer.APPLICATION, Layer.RUNTIME, Layer.IPC, Layer.DRIVER, Layer.CPU


def times(*threads: str, self_times: bool = False) -> dict[str, float]:
    """Milliseconds that are neither 0 nor n/a, by ``LAYER_PHASE``; overall times only where they were traced."""
    summary = summarize(recorded(*threads))
    rows = summary.self_times if self_times else summary.times
    traced = {str(event.mark)[4:9] for thread in recorded(*threads).threads for event in thread.events}
    return {
        f"{layer}_{phase}": time
        for layer, row in rows.items()
        for phase, time in row.items()
        if time and not math.isnan(time) and (phase is not TracePhase.OVERALL or f"{layer}_{phase}" in traced)
    }


def test_layers_below_each_other() -> None:
    """Times include what is below; self-times leave out what the next layer took."""
    call = """0 [NN_LA_PO]all
        1  [NN_LA_PE]execute
        2    [NN_LI_PE]call
        9    end
        11 end
        15 end"""
    served = "3 [NN_LD_PE]run\n7 end"
    assert times(call, served) == {"LA_PO": 15, "LA_PE": 10, "LI_PE": 7, "LD_PE": 4}
    found = times(call, served, self_times=True)
    assert {name: found[name] for name in ("LA_PE", "LI_PE", "LD_PE")} == {"LA_PE": 3, "LI_PE": 3, "LD_PE": 4}
    assert found["LA_PO"] == 15 - 7


def test_a_layer_that_tells_nothing_is_skipped() -> None:
    """Without IPC the application's self-time leaves out the driver's."""
    assert times("0 [NN_LA_PE]a\n10 end", "2 [NN_LD_PE]b\n6 end", self_times=True) == {"LA_PE": 6, "LD_PE": 4}


def test_the_same_again_is_a_detail() -> None:
    """A span in one of the same layer is counted only if it is a part of it."""
    nested = """0 [NN_LD_PE]call
        1  [NN_LD_PE]run
        2    [NN_LD_PIO]
        3    end
        3    [NN_LD_PCO]WHILE
        4      [NN_LD_PCO]ADD
        5      end
        7    end
        8  end
        9 end"""
    assert times(nested) == {"LD_PE": 9, "LD_PIO": 1, "LD_PCO": 4}


def test_parts_without_execution_are_execution() -> None:
    """A part counts as execution too, unless an execution of its layer is around it."""
    assert times("0 [NN_LD_PCO]a\n3 end\n4 [NN_LD_PR]b\n5 end") == {"LD_PCO": 3, "LD_PR": 1, "LD_PE": 4}
    assert times("0 [NN_LR_PE]a\n1 [NN_LD_PCO]b\n4 end\n6 end") == {"LR_PE": 6, "LD_PCO": 3, "LD_PE": 3}


def test_unspecified_is_what_is_around() -> None:
    """A span without a phase takes over that of the span around it, and passes it on."""
    found = times("0 [NN_LA_PE]a\n1 [NN_LI_PU]b\n2 [NN_LD_PU]c\n4 end\n7 end\n9 end")
    assert found == {"LA_PE": 9, "LI_PE": 6, "LD_PE": 2}


def test_switches() -> None:
    """A switch ends the span that it is in, and begins in its place."""
    found = times("0 [NN_LR_PE]a\n1 [NN_LR_PIO]b\n3 [SW][NN_LR_PCO]c\n8 end\n9 end")
    assert found == {"LR_PE": 9, "LR_PIO": 2, "LR_PCO": 5}
    assert times("0 [NN_LD_PC]a\n2 [SW][NN_LD_PE]b\n9 end") == {"LD_PC": 2, "LD_PE": 7}


def test_subtraction() -> None:
    """Time marked [SUB] counts beside the span of its layer, and for nothing that is in between."""
    found = times(
        """0 [NN_LA_PO]all
        1  [NN_LR_PE]execute
        2    [NN_LC_PE]fallback
        3      [SUB][NN_LR_PC]compile after all
        7      end
        8    end
        10 end
        12 end"""
    )
    # 10 - 1 less the 4 of the compilation; 8 - 2 less 4; and what the application has not said is inserted.
    assert found == {"LA_PO": 12, "LR_PE": 5, "LC_PE": 2, "LR_PC": 4, "LA_PE": 5, "LA_PC": 4}


def test_initialisation_interrupts() -> None:
    """A query in the middle of an execution counts as initialisation, and not as execution."""
    found = times(
        """0 [NN_LA_PO]all
        1  [NN_LA_PE]execute
        2    [NN_LI_PE]call
        3      [NN_LI_PI]query
        6      end
        8    end
        10 end
        11 end"""
    )
    assert found == {"LA_PO": 11, "LA_PE": 6, "LI_PE": 3, "LI_PI": 3, "LA_PI": 3}


def test_calls_of_another_phase() -> None:
    """A compilation in the middle of the application's preparation is taken out of it, and counts as its own."""
    found = times("0 [NN_LA_PO]a\n1 [NN_LA_PP]b\n2 [NN_LI_PC]c\n5 end\n9 end\n10 end")
    assert found == {"LA_PO": 10, "LA_PP": 5, "LI_PC": 3, "LA_PC": 3}


def test_executions_are_not_moved() -> None:
    """An execution for warming up a compilation stays part of the compilation, and counts as execution too."""
    assert times("0 [NN_LA_PC]b\n2 [NN_LI_PE]c\n5 end\n9 end") == {"LA_PC": 9, "LI_PE": 3, "LA_PE": 3}


def test_overall_is_the_sum_where_nobody_traced_it() -> None:
    """The driver's total is the sum of its phases; parts of the execution are in it already."""
    summary = summarize(recorded("0 [NN_LD_PC]a\n2 end\n3 [NN_LD_PE]b\n4 [NN_LD_PCO]c\n5 end\n6 end"))
    assert summary.times[LD][TracePhase.OVERALL] == 5
    assert summary.totals[TracePhase.OVERALL] == 5


def test_what_nobody_reported_is_not_zero() -> None:
    """The application and the parts of the driver's execution are n/a; other layers have 0."""
    summary = summarize(recorded("0 [NN_LI_PE]a\n1 end"))
    for rows in (summary.times, summary.self_times):
        assert all(math.isnan(time) for time in rows[LA].values())
        assert math.isnan(rows[LD][TracePhase.COMPUTATION])
        assert (rows[LD][TracePhase.EXECUTION], rows[LI][TracePhase.COMPUTATION], rows[LC][TracePhase.RESULTS]) == (
            0,
            0,
            0,
        )


def test_totals_are_maxima_over_layers() -> None:
    """Each phase has the time of the layer that says most."""
    summary = summarize(recorded("0 [NN_LA_PE]a\n10 end", "0 [NN_LD_PE]b\n12 end\n13 [NN_LD_PC]c\n14 end"))
    assert summary.totals[TracePhase.EXECUTION] == 12
    assert summary.totals[TracePhase.COMPILATION] == 1
    assert summary.totals[TracePhase.RESULTS] == 0


@pytest.mark.parametrize(
    ("threads", "executions"),
    [
        (("0 [NN_LA_PE]a\n1 [NN_LD_PE]b\n2 end\n2 [NN_LD_PE]b\n3 end\n4 end",), 1),
        (("0 [NN_LD_PE]a\n1 [NN_LD_PE]a\n2 end\n3 end", "0 [NN_LD_PE]a\n1 end"), 2),
        (("0 [NN_LD_PC]a\n1 end",), 0),
        ((), 0),
    ],
)
def test_executions(threads: tuple[str, ...], executions: int) -> None:
    """Those of the topmost layer count, on all threads, without details."""
    assert summarize(recorded(*threads)).executions == executions


def test_unfinished_spans_are_left_out() -> None:
    """A span that never ended does not count, and hides nothing that ended inside."""
    made = recorded("0 [NN_LD_PE]hangs\n1 [NN_LD_PCO]a\n3 end\n4 [NN_LD_PCO]hangs too")
    summary = summarize(made)
    assert summary.unfinished == 2
    assert summary.times[LD][TracePhase.COMPUTATION] == 2
    assert summary.times[LD][TracePhase.EXECUTION] == 2


@pytest.mark.parametrize("lines", ["0 end", "0 [NN_LD_PE]a\n1 end\n2 end", "0 [SW][NN_LD_PE]a\n1 end"])
def test_ends_need_beginnings(lines: str) -> None:
    """An end or switch outside of any span is an error that names the thread."""
    with pytest.raises(TraceError, match="thread worker"):
        summarize(recorded(lines))


def rendered(summary: Summary, *, self_times: bool = True) -> list[str]:
    """The lines of the table, with one space between the cells."""
    console = Console(file=io.StringIO(), width=200)
    console.print(summary_table(summary, self_times=self_times))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return [" ".join(line.split()) for line in text.splitlines()]


def test_table() -> None:
    """Compute is the execution without inputs, outputs and results; layers without times have no row."""
    made = recorded(
        "0 [NN_LA_PE]a\n20 end",
        "1 [NN_LD_PE]b\n2 [NN_LD_PIO]c\n4 end\n5 [NN_LD_PCO]d\n6 end\n7 [NN_LD_PR]e\n8 end\n11.5 end",
    )
    title, heads, *rows = rendered(summarize(made))
    assert title == "Self-times in ms; executions: 1"
    assert heads == "Initialization Preparation Compilation I/O Compute Results Ex. total Termination Total"
    assert rows == [
        "Application n/a n/a n/a n/a 9.50 n/a 9.50 n/a 9.50",
        "Driver 0.00 0.00 0.00 2.00 7.50 1.00 10.50 0.00 10.50",
        "Total 0.00 0.00 0.00 2.00 17.00 1.00 20.00 0.00 20.00",
    ]
    assert rendered(summarize(made), self_times=False)[2] == "Application n/a n/a n/a n/a 20.00 n/a 20.00 n/a 20.00"


def test_table_tells_of_unfinished_spans() -> None:
    """Missing spans are named below the table."""
    assert rendered(summarize(recorded("0 [NN_LD_PE]a")))[-1] == "spans that never ended, and are not counted: 1"
