"""``python -m commands``: the command ``nnvet``."""

from commands.main import main

main()
