"""Form of the tables of calls, the sequences that are made of them, and the functions by feature level.

A row of a table (:class:`CallRow`) is a function with right arguments, in a state in which they are accepted. Each
variant puts other arguments in their place, and gives the expected results. The right arguments are accepted before or
after each variant, so that no case passes because the library refuses everything. The tables are in ``*_calls.py``
beside this module; sequences of several objects are in ``orders.py``. Functions of extensions are left out, since not
all libraries have them. Source: docs/contract/c-api.md 1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from nnvet.adapters.nnapi.sequences import CallStep, New
from nnvet.conformance.suites.c_api import vocabulary

INDEX_CITED: Final = "index arguments of type int32: negative → BAD_DATA"
"""The sentence about negative indexes, which holds for all functions."""


@dataclass(frozen=True)
class Wrong:
    """Arguments that replace the right ones, by position, and the results that they may have."""

    arguments: Mapping[int, vocabulary.Given]
    codes: tuple[int, ...] = vocabulary.BAD_DATA
    cites: str = ""


@dataclass(frozen=True)
class CallRow:
    """A function: ``begin`` makes its objects, ``arguments`` are right, and lead to the results ``codes``.

    ``nulls`` are positions of pointers that must not be null; the first one is the object's own. ``wrong`` are variants
    with other arguments, ``right`` are further arguments that are accepted. ``late`` are steps after which an accepted
    call is refused with BAD_STATE; ``early`` are beginnings after which it is refused for the same reason. ``again``
    says that the call cannot be made twice, so the wrong call comes before the right one.
    """

    function: str
    level: int
    begin: Callable[[vocabulary.Base], vocabulary.Steps]
    arguments: Callable[[vocabulary.Base], tuple[vocabulary.Given, ...]]
    cites: str = ""
    codes: tuple[int, ...] = vocabulary.OK
    nulls: Mapping[str, int] = field(default_factory=dict)
    wrong: Callable[[vocabulary.Base], Mapping[str, Wrong]] = lambda _: {}
    right: Callable[[vocabulary.Base], Mapping[str, Mapping[int, vocabulary.Given]]] = lambda _: {}
    late: Callable[[vocabulary.Base], Mapping[str, vocabulary.Steps]] = lambda _: {}
    early: Callable[[vocabulary.Base], Mapping[str, vocabulary.Steps]] = lambda _: {}
    state_cites: str = ""
    needs_device: bool = True

    def variants(self, base: vocabulary.Base) -> Iterator[tuple[str, vocabulary.Steps]]:
        """Return the sequences of all cases of the row by name, with a model of the given kind."""
        right = self.arguments(base)
        good = vocabulary.call(self.function, *right, codes=self.codes, cites=self.cites)
        begin = self.begin(base)
        wrong = {
            f"null_{name}": Wrong({at: None}, vocabulary.NULL, vocabulary.NULL_CITED) for name, at in self.nulls.items()
        }
        for name, variant in {**wrong, **self.wrong(base)}.items():
            changed = _rename_objects(_replace_arguments(right, variant.arguments))
            bad = vocabulary.call(self.function, *changed, codes=variant.codes, cites=variant.cites or self.cites)
            yield name, (*begin, bad, good)
        yield "accepted", (*begin, good)
        for name, given in self.right(base).items():
            yield name, (*begin, vocabulary.call(self.function, *_replace_arguments(right, given), cites=self.cites))
        for name, steps in self.late(base).items():
            yield name, (*begin, good, *steps, self._refused(right))
        for name, steps in self.early(base).items():
            yield name, (*steps, self._refused(right))

    def _refused(self, right: tuple[vocabulary.Given, ...]) -> CallStep:
        """Return the call with right arguments in a state in which it must be refused."""
        return vocabulary.call(
            self.function, *_rename_objects(right), codes=vocabulary.BAD_STATE, cites=self.state_cites or self.cites
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of the cases, which are the same for all models."""
        return tuple(name for name, _ in self.variants(vocabulary.FLOATS))


def _replace_arguments(
    right: tuple[vocabulary.Given, ...], changed: Mapping[int, vocabulary.Given]
) -> tuple[vocabulary.Given, ...]:
    """Return the right arguments with some of them replaced, by position."""
    return tuple(changed.get(position, argument) for position, argument in enumerate(right))


def _rename_objects(arguments: tuple[vocabulary.Given, ...]) -> tuple[vocabulary.Given, ...]:
    """Return the arguments with new names for new objects, so that none collides with an object of the sequence."""
    return tuple(New(f"wrong_{argument.name}") if isinstance(argument, New) else argument for argument in arguments)


_INTRODUCED: Final = {
    1: """Memory_createFromFd Memory_free Model_create Model_free Model_finish Model_addOperand Model_setOperandValue
        Model_setOperandValueFromMemory Model_addOperation Model_identifyInputsAndOutputs Compilation_create
        Compilation_free Compilation_setPreference Compilation_finish Execution_create Execution_free Execution_setInput
        Execution_setInputFromMemory Execution_setOutput Execution_setOutputFromMemory Execution_startCompute Event_wait
        Event_free""",
    2: "Model_relaxComputationFloat32toFloat16",
    3: """_getDeviceCount _getDevice Device_getName Device_getType Device_getVersion Device_getFeatureLevel
        Memory_createFromAHardwareBuffer Model_setOperandSymmPerChannelQuantParams
        Model_getSupportedOperationsForDevices Compilation_createForDevices Compilation_setCaching Burst_create
        Burst_free Execution_burstCompute Execution_compute Execution_getDuration Execution_setMeasureTiming
        Execution_getOutputOperandDimensions Execution_getOutputOperandRank""",
    4: """_getDefaultLoopTimeout _getMaximumLoopTimeout Device_wait Memory_createFromDesc Memory_copy MemoryDesc_create
        MemoryDesc_free MemoryDesc_addInputRole MemoryDesc_addOutputRole MemoryDesc_setDimensions MemoryDesc_finish
        Model_setOperandValueFromModel Compilation_setPriority Compilation_setTimeout
        Execution_startComputeWithDependencies Execution_setTimeout Execution_setLoopTimeout
        Event_createFromSyncFenceFd Event_getSyncFenceFd""",
    5: """_getRuntimeFeatureLevel Compilation_getPreferredMemoryAlignmentForInput
        Compilation_getPreferredMemoryAlignmentForOutput Compilation_getPreferredMemoryPaddingForInput
        Compilation_getPreferredMemoryPaddingForOutput Execution_enableInputAndOutputPadding Execution_setReusable""",
}
"""Functions by the feature level that introduced them, without the prefix ANeuralNetworks."""


def functions_by_level() -> Mapping[str, tuple[int, tuple[str, ...]]]:
    """Return the number and the functions of each feature level, by the name of the level."""
    return {f"level_{level}": (level, tuple(names.split())) for level, names in _INTRODUCED.items()}
