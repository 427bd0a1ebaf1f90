"""The answers of all devices about one model, and the prepared model that comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.split.assignment import MemberAnswers, assign
from nnvet.adapters.split.caching import SavedModel, SavedStep, StepCaches, StepKey, saved_config
from nnvet.adapters.split.members import SplitMembers
from nnvet.adapters.split.prepared import FALLBACKS, SplitPreparedModel, StepDevices
from nnvet.adapters.split.running import cut_model
from nnvet.adapters.split.steps import SplitStep, split_steps, step_of
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.reference_driver.caching.content import self_contained

_LATE: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)


class SplitPlan:
    """The answers of all devices about one model."""

    def __init__(self, members: SplitMembers, model: Model, answers: MemberAnswers) -> None:
        """Keep what was answered; operations are assigned once it is known how the model is to be prepared."""
        self._members = members
        self._model = model
        self.answers = answers

    @property
    def supported(self) -> tuple[bool, ...]:
        """An operation is if one device supports it."""
        return tuple(map(any, zip(*self.answers.supported, strict=True)))

    def steps(self, preference: int) -> list[SplitStep]:
        """The steps of the model for a client of this preference.

        :raises HalError: no device supports some operation.
        """
        members = self._members
        choose = members.options.choose
        return split_steps(self._model, assign(self._model, self.answers, members.capabilities, preference, choose))

    def compile(self, config: PrepareModelConfig) -> PreparedModel:
        """Have every step prepared. What one device takes as a whole, and nobody else may try, is that device's own.

        :raises HalError: as a device fails, but for INVALID_ARGUMENT: the client's model was valid.
        """
        cache = self._members.cache
        if not cache.is_wanted(config):
            return self._finished(*self._prepared(self.steps(config.preference), config, None))
        caches = StepCaches(config.cache_token, self._model, self._members.options.fault)
        steps, prepared, workers = self._prepared(self.steps(config.preference), config, caches)
        saved = [
            SavedStep(device, step.operations, caches.written[StepKey(device, step.operations)])
            for step, (device, _) in zip(steps, prepared, strict=True)
        ]
        whole = self_contained(self._model)
        cache.save(SavedModel(whole, saved_config(config), self.answers.supported, tuple(saved)), config)
        return self._finished(steps, prepared, workers)

    def restore(self, saved: SavedModel, token: bytes) -> PreparedModel:
        """Prepare the steps of a saved model from what each of their devices has saved.

        :raises HalError: as a device fails that has to prepare its step anew.
        """
        kept = {StepKey(step.device, step.operations): step.files for step in saved.steps}
        caches = StepCaches(token, self._model, self._members.options.fault, kept)
        if len(saved.steps) == 1:
            steps = [self._everything(saved.steps[0].device)]
        else:
            steps = [step_of(self._model, step.device, step.operations) for step in saved.steps]
        return self._finished(*self._prepared(steps, saved.config, caches))

    def _everything(self, device: int) -> SplitStep:
        """The whole model as one step."""
        main = self._model.main
        return SplitStep(
            device, tuple(range(len(main.operations))), self._model, main.input_indexes, main.output_indexes
        )

    def _prepared(
        self, steps: list[SplitStep], config: PrepareModelConfig, caches: StepCaches | None
    ) -> tuple[list[SplitStep], list[tuple[int, PreparedModel]], StepDevices]:
        """Have devices prepare the steps; with a fallback, one of them may have to prepare everything.

        :raises HalError: as :meth:`compile`.
        """
        members = self._members
        own = replace(config, model_cache=(), data_cache=(), cache_token=PrepareModelConfig().cache_token)
        workers = StepDevices(members.devices, self.answers, own, caches)
        try:
            return steps, [workers.prepare(step, members.options.fallback) for step in steps], workers
        except HalError as error:
            if members.options.fallback == FALLBACKS[0] or error.status in _LATE:
                raise _reworded(error) from error
            everything = self._everything(0)
            try:
                return [everything], [workers.prepare(everything, FALLBACKS[-1])], workers
            except HalError as second:
                raise _reworded(error) from second

    def _finished(
        self, steps: list[SplitStep], prepared: Sequence[tuple[int, PreparedModel]], workers: StepDevices
    ) -> PreparedModel:
        members = self._members
        if len(steps) == 1 and members.options.fallback == FALLBACKS[0]:
            number, model = prepared[0]
            if members.levels[number] == members.feature_level:
                return model
        elements = members.element_bytes(self._model)
        cut = cut_model(self._model, steps, members.levels, elements, stride=members.options.fault.stride)
        options = members.options
        return SplitPreparedModel(cut, self._everything(0), prepared, workers, options.fallback, options.fault)


def _reworded(error: HalError) -> HalError:
    """The error of a step as one of the whole model."""
    if error.status is ErrorStatus.INVALID_ARGUMENT:
        return failure(f"a step is refused: {error.message}", error.rule)
    return error
