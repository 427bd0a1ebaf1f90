"""``python -m commands``: the command ``nnvet``."""

from nnvet.commands.main import main

main()
