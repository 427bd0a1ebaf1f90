"""A plan for one model: the answers of all devices, the steps, and the preparation of all steps.

A "member" is one of the devices that a device over devices is made of; :class:`SplitMembers` asks them once for
everything that does not depend on a model. :func:`plan_of` makes a :class:`SplitPlan` for
:class:`nnvet.adapters.split.device.SplitDevice`; compiling it gives a model of
:mod:`nnvet.adapters.split.prepared`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.split.assignment import Choice, MemberAnswers, ask, assign, by_figures, refused_in_steps
from nnvet.adapters.split.caching import SavedModel, SavedPlan, SavedStep, SplitCache, StepCaches, StepKey, saved_config
from nnvet.adapters.split.faults import RIGHT, BorderFault
from nnvet.adapters.split.interpreting import can_be_interpreted, interpreted, part_models
from nnvet.adapters.split.prepared import FALLBACKS, SplitPreparedModel, StepDevices, roles_of
from nnvet.adapters.split.running import cut_model
from nnvet.adapters.split.steps import INTERPRETER, SplitStep, split_steps, step_of
from nnvet.adapters.split.tokens import SplitTokens, WholeModels
from nnvet.hal.conversion import capabilities_at
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reference_driver.caching.content import self_contained

_PREFIX_BITS: Final = 16
"""The prefix of an extension is above these bits of a type's code."""


@dataclass(frozen=True)
class SplitOptions:
    """Options of the selector: choice of devices, behaviour after failures, and a planted fault.

    With ``interprets``, the host interprets control flow even if a device takes all of it. With ``is_lenient``, a
    device that does not answer what it supports is left out, and the call does not fail; a fallback implies this.
    """

    choose: Choice = by_figures
    fallback: str = FALLBACKS[0]
    fault: BorderFault = RIGHT
    interprets: bool = False
    is_lenient: bool = False

    @property
    def can_do_without_answers(self) -> bool:
        """Return True if a device that does not say what it supports is one that supports nothing."""
        return self.is_lenient or self.fallback != FALLBACKS[0]


DEFAULT: Final = SplitOptions()
"""Choose by capabilities; no fallback."""


class SplitMembers:
    """The devices by number, their answers to queries, and their common cache and device memory."""

    def __init__(self, devices: Sequence[Device], options: SplitOptions) -> None:
        """Ask each device for everything that does not depend on a model. At least one device is needed."""
        self.devices = tuple(devices)
        self.options = options
        self.levels = [device.get_feature_level() for device in devices]
        self.capabilities = [
            capabilities_at(device.get_capabilities(), level)
            for device, level in zip(devices, self.levels, strict=True)
        ]
        self.feature_level = max(self.levels)
        self.cache = SplitCache(devices)
        self.tokens = SplitTokens()
        self.whole = WholeModels()
        listed = [device.get_supported_extensions() for device in devices]
        self.extensions = {extension.name: extension for some in listed for extension in some}

    def element_bytes(self, model: Model) -> dict[int, int]:
        """Return the element sizes of extension types, by the type codes that the model uses."""
        return {
            entry.prefix << _PREFIX_BITS | kind.type: kind.byte_size
            for entry in model.extension_name_to_prefix
            if entry.name in self.extensions
            for kind in self.extensions[entry.name].operand_types
        }


_LATE: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)
"""Errors of a deadline that has passed: another attempt would come too late as well."""


class SplitPlan:
    """The answers of all devices about one model, and plans for the parts of control flow that may be interpreted.

    ``source`` locates the model: empty for the client's, else the operations and parts that lead to it.
    """

    def __init__(
        self, members: SplitMembers, model: Model, answers: MemberAnswers, source: tuple[int, ...] = ()
    ) -> None:
        """Keep the answers. Operations are assigned later, when the client's preference is known."""
        self._members = members
        self.model = model
        self.source = source
        self.answers = answers
        self.parts: dict[int, tuple[SplitPlan, ...]] = {}
        """For each IF or WHILE all of whose operations have a device: the plans of its two parts."""

    @property
    def supported(self) -> tuple[bool, ...]:
        """True for an operation that a device supports, and for control flow all of whose parts are supported."""
        by_device = map(any, zip(*self.answers.supported, strict=True))
        return tuple([answer or place in self.parts for place, answer in enumerate(by_device)])

    def steps(self, preference: int) -> list[SplitStep]:
        """Return the steps of the model for a client of this preference; a step that its device refuses goes to others.

        :raises HalError: no device supports some operation, or one does not answer.
        """
        members, answers = self._members, self.answers
        options = members.options
        while True:
            assigned = assign(self.model, answers, members.capabilities, preference, options.choose, self.parts)
            steps = split_steps(self.model, assigned)
            refused = set(
                refused_in_steps(members.devices, self.model, steps, is_lenient=options.can_do_without_answers)
            )
            answers = answers.without(refused)
            # No other device takes the step, so the preparation lets the refusing device itself give the reason.
            if not refused or not all(answers.takers(place) for _, place in refused):
                return steps

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """Prepare every step. If one device takes all and there is no fallback, its prepared model is returned itself.

        :raises HalError: a device fails. INVALID_ARGUMENT becomes GENERAL_FAILURE, since the client's model was valid.
        """
        joint = self._members.cache
        own = replace(config, model_cache=(), data_cache=(), cache_token=PrepareModelConfig().cache_token)
        if not joint.is_wanted(config):
            return self.build(own, None)
        caches = StepCaches(config.cache_token, self._members.options.fault)
        prepared = self.build(own, caches)
        joint.save(SavedModel(self_contained(self.model), saved_config(config), tuple(caches.plans)), config)
        return prepared

    def restore(self, saved: SavedModel, token: bytes) -> PreparedModel:
        """Prepare the steps of a saved model from the files that each of their devices has saved.

        :raises HalError: a device has to prepare its step anew, and fails.
        """
        return self.build(saved.config, StepCaches(token, self._members.options.fault, saved.plans))

    def workers(self, config: PrepareModelConfig, caches: StepCaches | None = None) -> StepDevices:
        """Return the devices that may prepare steps of the model, and the interpreter of control flow."""

        def interpret(step: SplitStep) -> PreparedModel:
            (place,) = step.operations
            parts = [part.build(config, caches) for part in self.parts[place]]
            return interpreted(step.model, parts, self._members.element_bytes(self.model))

        return StepDevices(self._members.devices, self.answers, config, interpret, caches, self.source)

    def build(self, config: PrepareModelConfig, caches: StepCaches | None) -> PreparedModel:
        """Prepare all steps, reusing what ``caches`` have kept, and add to ``caches`` what is to be saved.

        :raises HalError: as :meth:`compile`.
        """
        kept = None if caches is None else caches.kept.get(self.source)
        if kept is None:
            steps = self.steps(config.preference)
        elif len(kept.steps) == 1 and kept.steps[0].device != INTERPRETER:
            steps = [self._make_whole_step(kept.steps[0].device)]
        else:
            steps = [step_of(self.model, step.device, step.operations) for step in kept.steps]
        workers = self.workers(config, caches)
        steps, prepared = self._prepare_steps(steps, workers)
        if caches is not None:
            saved = [
                SavedStep(device, step.operations, caches.written_of(StepKey(device, self.source, step.operations)))
                for step, (device, _) in zip(steps, prepared, strict=True)
            ]
            caches.plans.append(SavedPlan(self.source, self.answers.supported, tuple(saved)))
        return self._make_prepared(steps, prepared, workers)

    def _make_whole_step(self, device: int) -> SplitStep:
        """Return the whole model as one step."""
        main = self.model.main
        places = tuple(range(len(main.operations)))
        return SplitStep(device, places, self.model, main.input_indexes, main.output_indexes)

    def _prepare_steps(
        self, steps: list[SplitStep], workers: StepDevices
    ) -> tuple[list[SplitStep], list[tuple[int, PreparedModel]]]:
        """Prepare the steps. With a fallback, one device may have to prepare the whole model instead.

        :raises HalError: as :meth:`compile`.
        """
        fallback = self._members.options.fallback
        try:
            return steps, [workers.prepare(step, fallback) for step in steps]
        except HalError as error:
            if fallback == FALLBACKS[0] or error.status in _LATE:
                # A second attempt after a missed deadline would only miss it by more.
                raise _reword(error) from error
            everything = self._make_whole_step(0)
            try:
                return [everything], [workers.prepare(everything, FALLBACKS[-1])]
            except HalError as second:
                raise _reword(error) from second

    def _make_prepared(
        self, steps: list[SplitStep], prepared: Sequence[tuple[int, PreparedModel]], workers: StepDevices
    ) -> PreparedModel:
        members, options = self._members, self._members.options
        if len(steps) == 1 and options.fallback == FALLBACKS[0]:
            number, model = prepared[0]
            if number != INTERPRETER and members.levels[number] == members.feature_level:
                members.whole.add(model, number, self.model)
                return model
        elements = members.element_bytes(self.model)
        cut = cut_model(self.model, steps, members.levels, elements, stride=options.fault.stride)
        roles = partial(roles_of, self, workers.config.preference)
        everything = self._make_whole_step(0)
        return SplitPreparedModel(
            cut, everything, prepared, workers, options.fallback, options.fault, members.tokens, cache(roles)
        )


def plan_of(members: SplitMembers, model: Model, source: tuple[int, ...] = ()) -> SplitPlan:
    """Ask all devices about a model and, recursively, about the parts of its control flow.

    :raises HalError: a device does not answer, and there is no fallback.
    """
    options = members.options
    answers = ask(members.devices, model, is_lenient=options.can_do_without_answers)
    plan = SplitPlan(members, model, answers, source)
    for place in range(len(model.main.operations)):
        if (options.interprets or not answers.takers(place)) and can_be_interpreted(model, place):
            parts = [
                plan_of(members, part, (*source, place, number))
                for number, part in enumerate(part_models(model, place))
            ]
            if all(all(part.supported) for part in parts):
                plan.parts[place] = tuple(parts)
    return plan


def saved_plan(
    members: SplitMembers, model: Model, saved: Mapping[tuple[int, ...], SavedPlan], source: tuple[int, ...] = ()
) -> SplitPlan:
    """Rebuild the plan of a saved model without asking the devices again."""
    kept = saved[source]
    plan = SplitPlan(members, model, MemberAnswers(kept.supported, ("",) * len(kept.supported)), source)
    for step in kept.steps:
        if step.device == INTERPRETER:
            (place,) = step.operations
            plan.parts[place] = tuple(
                saved_plan(members, part, saved, (*source, place, number))
                for number, part in enumerate(part_models(model, place))
            )
    return plan


def _reword(error: HalError) -> HalError:
    """Return the error of a step as one of the whole model."""
    if error.status is ErrorStatus.INVALID_ARGUMENT:
        return failure(f"a step is refused: {error.message}", error.rule)
    return error
