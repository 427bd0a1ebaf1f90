"""Whether models, requests and arguments keep the contract, rule by rule.

``validate_model`` and ``validate_request`` raise :class:`hal.errors.HalError` with the first broken rule.
"""

from hal.validation.model import required_level, validate_model
from hal.validation.request import validate_request

__all__ = ["required_level", "validate_model", "validate_request"]
