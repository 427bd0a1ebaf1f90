"""The kind ``litert``: models of the HAL as TFLite files in the interpreter of LiteRT."""
