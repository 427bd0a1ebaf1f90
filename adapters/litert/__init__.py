"""The driver kind ``litert``: models of the HAL as TFLite files in the interpreter of LiteRT.

``device.py`` makes the device. ``writing.py`` writes files by the claims of ``forms.py``, ``movement.py``,
``numeric.py`` and ``products.py``, which emit operators through ``emitter.py``.
"""
