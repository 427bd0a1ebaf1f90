"""The program ``nnvet``, also ``python -m nnvet.commands``: it ends quietly if it is interrupted while it starts."""

import signal


def main() -> None:
    """Load the commands and run the one that is asked for."""
    before = signal.getsignal(signal.SIGINT)
    # While modules are loaded Python would print where; a program that is started in the background ignores the signal.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from nnvet.commands.main import main as program

    signal.signal(signal.SIGINT, before)
    program()


if __name__ == "__main__":
    main()
