"""Tables of the C functions on memory objects, descriptions of device memory, bursts and events.

The constants quote the sentences of docs/contract/c-api.md on which the expected results rest.
:mod:`nnvet.conformance.suites.c_api.tables` defines the form of a row, :mod:`nnvet.conformance.suites.c_api.checks`
runs the cases.
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.nnapi.sequences import (
    FILE,
    HOLDS,
    CallStep,
    Descriptor,
    New,
    NumberArray,
    Raw,
    WritablePlace,
    Written,
)
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.execution_calls import with_burst
from nnvet.conformance.suites.c_api.tables import CallRow, Wrong
from nnvet.conformance.suites.c_api.vocabulary import (
    BAD_DATA,
    FENCED_LEVEL,
    NULL,
    NULL_CITED,
    OP_FAILED,
    REFUSED,
    Base,
    Given,
    Steps,
    call,
)

# Texts are sentences of docs/contract/c-api.md, which the steps cite.
_LEVEL: Final = 4
"""First feature level with descriptions of device memory."""
_FD: Final = "createFromFd: fd < 0 or not duplicable → OP_FAILED"
_DESCRIBED: Final = "duplicate role, unfinished compilation, index, metadata mismatch, frequency outside (0,1] BAD_DATA"
_FINISHED: Final = "finish without role BAD_DATA, twice BAD_STATE"
_COPY: Final = "copy: same object NO_ERROR; uninitialised source, incompatible shape or size BAD_DATA"
_WAIT: Final = "repeated waits allowed and return the same"
_FREE: Final = "free: waits for completion first"
_FENCE: Final = "createFromSyncFenceFd: fd ≤ 0 BAD_DATA"
_NO_FENCE: Final = "getSyncFenceFd: not fence-backed → BAD_DATA"
_BURST: Final = "Burst_create: unfinished/failed compilation BAD_STATE"
_DIMENSIONS: Final = "setDimensions incompatible BAD_DATA"
_READ_AND_WRITE: Final = 3
"""Protection of memory: PROT_READ and PROT_WRITE."""
_SIZE: Final = 16
"""Bytes of the memory objects."""


def _make_file(base: Base) -> Steps:
    """Return the step that makes a file for a memory object."""
    del base
    return (CallStep(FILE, ("file", Raw(bytes(_SIZE)))),)


def _open_description(base: Base) -> Steps:
    """Return steps that make a description without a role, a compilation for a role, and an unfinished compilation."""
    return (
        *vocabulary.finished_compilation(base),
        call("Compilation_createForDevices", "model", vocabulary.DEVICES, 1, New("unfinished")),
        call("MemoryDesc_create", New("description")),
    )


def _with_role(base: Base) -> Steps:
    """Return steps that make a description with one role."""
    return (*_open_description(base), call("MemoryDesc_addInputRole", "description", "compilation", 0, 1.0))


def _finished_description(base: Base) -> Steps:
    """Return steps that make and finish a description."""
    return (*_with_role(base), call("MemoryDesc_finish", "description", cites=_FINISHED))


def _make_role(side: str) -> CallRow:
    """Return the row of the function that adds a role as an input or output."""
    return CallRow(
        f"MemoryDesc_add{side}Role",
        _LEVEL,
        _open_description,
        lambda _: ("description", "compilation", 0, 0.5),
        _DESCRIBED,
        nulls={"description": 0, "compilation": 1},
        wrong=lambda _: {
            "index_far": Wrong({2: 999}),
            "frequency_zero": Wrong({3: 0.0}),
            "frequency_negative": Wrong({3: -1.0}),
            "frequency_above": Wrong({3: 10.0}),
            "unfinished_compilation": Wrong({1: "unfinished"}),
        },
        right=lambda _: {"always": {3: 1.0}},
        late=lambda _: {"after_finish": (call("MemoryDesc_finish", "description"),)},
        state_cites="`add…Role` after finish BAD_STATE",
    )


def _two_memories(base: Base) -> Steps:
    """Return steps that make two memory objects, of which only the source has content."""
    del base
    return (
        *vocabulary.shared_memory(bytes(range(_SIZE)), "source", "from"),
        *vocabulary.shared_memory(bytes(_SIZE), "target", "to"),
    )


ROWS: Final = (
    CallRow(
        "Memory_createFromFd",
        1,
        _make_file,
        lambda _: (_SIZE, _READ_AND_WRITE, Descriptor("file"), 0, New("memory")),
        _FD,
        nulls={"place": 4},
        wrong=lambda _: {"descriptor_negative": Wrong({2: -1}, OP_FAILED)},
        needs_device=False,
    ),
    CallRow(
        "Memory_createFromDesc",
        _LEVEL,
        _finished_description,
        lambda _: ("description", New("device_memory")),
        "createFromDesc: unfinished descriptor BAD_STATE",
        codes=tuple(range(15)),
        nulls={"description": 0, "place": 1},
        early=lambda base: {"unfinished": _with_role(base)},
    ),
    CallRow(
        "Memory_copy",
        _LEVEL,
        _two_memories,
        lambda _: ("source", "target"),
        _COPY,
        nulls={"source": 0, "target": 1},
        right=lambda _: {"onto_itself": {1: "source"}},
        needs_device=False,
    ),
    CallRow(
        "MemoryDesc_create",
        _LEVEL,
        lambda _: (),
        lambda _: (New("description"),),
        nulls={"place": 0},
        needs_device=False,
    ),
    *map(_make_role, ("Input", "Output")),
    CallRow(
        "MemoryDesc_setDimensions",
        _LEVEL,
        _with_role,
        lambda _: ("description", 1, NumberArray("uint32_t", (2,))),
        _DIMENSIONS,
        nulls={"description": 0},
        wrong=lambda _: {
            "null_dimensions": Wrong({2: None}, REFUSED, NULL_CITED),
            "other_dimension": Wrong({2: NumberArray("uint32_t", (3,))}),
            "other_rank": Wrong({1: 2, 2: NumberArray("uint32_t", (2, 1))}),
        },
    ),
    CallRow(
        "MemoryDesc_finish",
        _LEVEL,
        _with_role,
        lambda _: ("description",),
        _FINISHED,
        nulls={"description": 0},
        late=lambda _: {"twice": ()},
        state_cites=_FINISHED,
    ),
    CallRow(
        "Burst_create",
        3,
        vocabulary.finished_compilation,
        lambda _: ("compilation", New("burst")),
        _BURST,
        nulls={"compilation": 0, "place": 1},
        early=lambda base: {"unfinished_compilation": vocabulary.open_compilation(base)},
    ),
    CallRow("Event_wait", FENCED_LEVEL, vocabulary.launched_execution, lambda _: ("event",), _WAIT, nulls={"event": 0}),
)
"""The table of single functions."""


def _repeat_role(base: Base, side: str) -> Steps:
    """Return steps that add one role twice, which is refused."""
    role = (f"MemoryDesc_add{side}Role", "description", "compilation", 0, 1.0)
    return (*_open_description(base), call(*role), call(*role, codes=BAD_DATA, cites=_DESCRIBED))


def _free_null(kind: str) -> Steps:
    """Return the step that frees no object of a kind, which is allowed."""
    return (call(f"{kind}_free", None, codes=(), cites="`*_free(NULL)` allowed"),)


def _ask_for_fence(event: Given, codes: tuple[int, ...], cites: str) -> CallStep:
    """Return the step that asks an event for its fence, and must get none."""
    place = WritablePlace("fence", "int", begin=7)
    return call("Event_getSyncFenceFd", event, place, codes=codes, written=(Written("fence", (-1,)),), cites=cites)


def _device_memory(base: Base) -> Steps:
    """Return steps that make device memory; a device without any does not offer the case."""
    create = CallStep("Memory_createFromDesc", ("description", New("device_memory")), optional=True, cites=_FINISHED)
    return (*_finished_description(base), create)


def _make_copies(base: Base) -> dict[str, tuple[int, Steps]]:
    """Return sequences that copy between memory objects and device memory."""
    copy = call("Memory_copy", "source", "target", cites=_COPY)
    other = vocabulary.shared_memory(bytes(_SIZE + 4), "longer", "longer_file")
    uninitialised = call("Memory_copy", "device_memory", "target", codes=BAD_DATA, cites=_COPY)
    holds = CallStep(HOLDS, ("to", Raw(bytes(range(_SIZE)))), rule="c_api/written", cites=_COPY)
    return {
        "Memory_copy/content": (_LEVEL, (*_two_memories(base), copy, holds)),
        "Memory_copy/other_size": (
            _LEVEL,
            (
                *_two_memories(base),
                *other,
                call("Memory_copy", "source", "longer", codes=BAD_DATA, cites=_COPY),
                call("Memory_copy", "longer", "target", codes=BAD_DATA, cites=_COPY),
                copy,
            ),
        ),
        "Memory_copy/uninitialised_source": (
            _LEVEL,
            (
                *_device_memory(base),
                *vocabulary.shared_memory(bytes(base.size), "target", "to"),
                uninitialised,
                call("Memory_copy", "target", "device_memory", cites=_COPY),
                call("Memory_copy", "device_memory", "target", cites=_COPY),
            ),
        ),
        "Memory_copy/other_size_of_device_memory": (
            _LEVEL,
            (
                *_device_memory(base),
                *vocabulary.shared_memory(bytes(base.size + 4), "target", "to"),
                call("Memory_copy", "target", "device_memory", codes=BAD_DATA, cites=_COPY),
            ),
        ),
    }


def sequences(base: Base) -> dict[str, tuple[int, Steps]]:
    """Return further sequences by the names of their cases, each with the feature level that it needs."""
    event = call("Event_wait", "event", cites=_WAIT)
    started = call("Execution_startCompute", "execution", New("event"))
    right = vocabulary.right_result(base)
    create = ("Event_createFromSyncFenceFd",)
    frees = {f"{kind}_free/null": (1, _free_null(kind)) for kind in ("Memory", "Event")}
    frees |= {"Burst_free/null": (3, _free_null("Burst")), "MemoryDesc_free/null": (_LEVEL, _free_null("MemoryDesc"))}
    freed = call("Event_free", "event", codes=(), written=right, rule="c_api/written", cites=_FREE)
    return {
        **frees,
        **_make_copies(base),
        "MemoryDesc_addInputRole/twice": (_LEVEL, _repeat_role(base, "Input")),
        "MemoryDesc_addOutputRole/twice": (_LEVEL, _repeat_role(base, "Output")),
        "MemoryDesc_finish/without_role": (
            _LEVEL,
            (*_open_description(base), call("MemoryDesc_finish", "description", codes=BAD_DATA, cites=_FINISHED)),
        ),
        "Memory_createFromAHardwareBuffer/null_buffer": (
            3,
            (call("Memory_createFromAHardwareBuffer", None, New("wrong"), codes=NULL, cites=NULL_CITED),),
        ),
        "Event_wait/twice": (FENCED_LEVEL, (*vocabulary.launched_execution(base), event, event)),
        "Event_wait/twice_without_fence": (1, (*vocabulary.ready_execution(base), started, event, event)),
        "Event_free/unwaited": (FENCED_LEVEL, (*vocabulary.launched_execution(base), freed)),
        "Event_free/unwaited_without_fence": (1, (*vocabulary.ready_execution(base), started, freed)),
        "Event_createFromSyncFenceFd/descriptor_negative": (
            FENCED_LEVEL,
            (call(*create, -1, New("wrong"), codes=BAD_DATA, cites=_FENCE),),
        ),
        "Event_getSyncFenceFd/null_event": (FENCED_LEVEL, (_ask_for_fence(None, NULL, NULL_CITED),)),
        "Event_getSyncFenceFd/null_place": (
            FENCED_LEVEL,
            (
                *vocabulary.launched_execution(base),
                call("Event_getSyncFenceFd", "event", None, codes=NULL, cites=NULL_CITED),
            ),
        ),
        "Event_getSyncFenceFd/without_fence": (
            FENCED_LEVEL,
            (*vocabulary.ready_execution(base), started, _ask_for_fence("event", BAD_DATA, _NO_FENCE), event),
        ),
        "Burst_create/twice": (
            3,
            (
                *with_burst(vocabulary.finished_compilation, base),
                call("Burst_create", "compilation", New("other"), cites=_BURST),
            ),
        ),
    }
