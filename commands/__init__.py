"""The command ``nnvet``: options, progress and messages.

A module such as ``run`` or ``bench`` defines a command with its options and help; the module that does its work is
beside it (``running``, ``benchmark``) and is loaded only when the command runs. ``options`` has what several commands
share.
"""
