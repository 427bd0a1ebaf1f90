"""Validation of models, requests and arguments against the contract, rule by rule.

``validate_model`` and ``validate_request`` raise :class:`nnvet.hal.errors.HalError` with the first broken rule.
"""

from nnvet.hal.validation.model import required_level, validate_model
from nnvet.hal.validation.request import validate_request

__all__ = ["required_level", "validate_model", "validate_request"]
