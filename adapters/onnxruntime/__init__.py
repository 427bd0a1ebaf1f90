"""The driver kind ``onnxruntime``: models of the HAL as ONNX models in sessions of ONNX Runtime.

``device.py`` makes the device, and ``plugins.py`` loads vendors' providers. ``program.py`` writes models by the claims
of ``forms.py``, ``movement.py``, ``numeric.py`` and ``products.py``, which emit nodes through ``emitter.py``.
"""
