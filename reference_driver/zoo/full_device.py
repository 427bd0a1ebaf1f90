"""Base of wrong drivers: the bundled driver with every operation, of which each overrides one method."""

from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.variants import VARIANTS


class FullDevice(ReferenceDevice):
    """The full driver. A subclass overrides a method, or names another ``prepared_model``."""

    def __init__(self) -> None:
        """Make the driver with every operation."""
        super().__init__(VARIANTS[""])


def with_prepared_model(prepared_model: type[ReferencePreparedModel]) -> FullDevice:
    """The full driver with prepared models of another class."""
    device = FullDevice()
    device.prepared_model = prepared_model
    return device
