"""The bundled networks that answer for places in a picture: a detector, a segmenter and an upscaler."""
