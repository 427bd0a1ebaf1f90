"""The work of each command, in the module of its name; ``commands/`` has the options alone and loads fast."""
