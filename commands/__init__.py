"""The command ``nnvet``: its subcommands with their options, progress and messages.

A module such as ``run`` or ``bench`` defines commands with their options and help. The module of the same name in
``actions`` does the work, and is loaded only when the command runs, so that help and completion are fast. ``options``
has the options that several commands share, ``choosing`` those that select cases, and ``main`` collects all commands.
"""
