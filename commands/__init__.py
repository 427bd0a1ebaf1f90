"""The command ``nnvet``: options, progress, messages. One module for each group of commands."""
