"""Ways to reach a driver: a selector names the driver, which runs in a service process of its own or in this process.

``selector`` parses selectors, ``drivers`` opens what they name as a ``driver``, and ``calls`` waits for asynchronous
calls. ``service`` has the processes, ``remote`` reaches other machines. The other packages make something else look
like a driver: libraries of the NNAPI (``nnapi``), runtimes (``litert``, ``onnxruntime``, ``openvino``, ``torch``,
``jax``, with their common parts in ``runtimes``), commands (``files``), and several drivers at once (``split``)::

    with open_driver("reference") as driver:
        prepared = prepare(driver.device, model)
        result = prepared.execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
"""

from nnvet.adapters.calls import begin_prepare, execute, prepare, prepare_from_cache
from nnvet.adapters.driver import Driver
from nnvet.adapters.drivers import open_device, open_driver
from nnvet.adapters.selector import INEXPRESSIBLE, SelectorError, create_device
from nnvet.transport.wire.failures import DriverBloat, DriverCrash, DriverGone, DriverHang, NotSentError, sending

__all__ = [
    "INEXPRESSIBLE",
    "Driver",
    "DriverBloat",
    "DriverCrash",
    "DriverGone",
    "DriverHang",
    "NotSentError",
    "SelectorError",
    "begin_prepare",
    "create_device",
    "execute",
    "open_device",
    "open_driver",
    "prepare",
    "prepare_from_cache",
    "sending",
]
