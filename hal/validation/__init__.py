"""Validation of models, requests and arguments against the contract, rule by rule.

``validate_model`` and ``validate_request`` raise :class:`nnvet.hal.errors.HalError` with the first broken rule;
``broken_rules`` and ``broken_rules_of_request`` find all.
"""

from nnvet.hal.validation.model import broken_rules, required_level, validate_model
from nnvet.hal.validation.request import broken_rules_of_request, validate_request

__all__ = ["broken_rules", "broken_rules_of_request", "required_level", "validate_model", "validate_request"]
