"""Work of the commands, each in the module of its name; ``commands/`` itself has the options and loads fast."""
