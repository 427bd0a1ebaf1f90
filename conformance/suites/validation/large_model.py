"""TestValidateModel: a large valid model is not refused. Source: docs/contract/cts-tests.md 2.20."""

from __future__ import annotations

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.preparing import built_model, prepared_model
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.validation.detection_model import detection_model


@check("TestValidateModel", "MaskRCNN2Go", rules=("prepare/valid", "prepare/supported"), level=3)
def detection(subject: Subject, _: None) -> None:
    """A quantised detection network for pictures of unknown size is valid; what supports all of it prepares it."""
    with built_model(detection_model(), subject.feature_level) as model:
        prepared_model(subject, model)
