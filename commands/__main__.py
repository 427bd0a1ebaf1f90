"""Entry point of the program ``nnvet`` and of ``python -m nnvet.commands``; an interrupt during its start is silent."""

import signal


def main() -> None:
    """Load the commands, and run the one on the command line."""
    before = signal.getsignal(signal.SIGINT)
    # Python's own handler would print a traceback of the imports. Programs in the background ignore the signal.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from nnvet.commands.main import main as program

    signal.signal(signal.SIGINT, before)
    program()


if __name__ == "__main__":
    main()
