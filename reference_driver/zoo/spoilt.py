"""What wrong drivers start from: the full bundled driver, to be spoilt by overriding one method."""

from nnvet.reference_driver.device import ReferenceDevice
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.variants import VARIANTS


class Spoilt(ReferenceDevice):
    """The full driver. A subclass spoils a method, or names a spoilt ``prepared_model``."""

    def __init__(self) -> None:
        """Make the driver with every operation."""
        super().__init__(VARIANTS[""])


def with_prepared_model(spoilt: type[ReferencePreparedModel]) -> Spoilt:
    """The full driver with prepared models of another class."""
    device = Spoilt()
    device.prepared_model = spoilt
    return device
