"""Calls of the operating system in the suite's sources, found by syntax alone.

The same walk finds the sites and rewrites the code in which a fault can strike at them, so none is missed by one and
known to the other.
"""

from __future__ import annotations

import ast
import errno
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
HOOK: Final = "__fault__"
"""The builtin that rewritten code calls with a site and the function that is about to be called there."""

NO_THREAD: Final = 0
"""Among numbers of errors: RuntimeError, which is what Python makes of a thread that cannot be started."""

_FULL: Final = (errno.ENOSPC, errno.EIO)
_FILES: Final = (errno.EMFILE, errno.EACCES)
_DESCRIPTORS: Final = (errno.EMFILE,)
_MEMORY: Final = (errno.ENOMEM,)
_BROKEN: Final = (errno.EIO,)

FUNCTIONS: Final = {
    "open": _FILES,
    "os.open": _FILES,
    "os.fdopen": _MEMORY,
    "os.write": _FULL,
    "os.read": _BROKEN,
    "os.pread": _BROKEN,
    "os.pwrite": _FULL,
    "os.fsync": _BROKEN,
    "os.ftruncate": _FULL,
    "os.pipe": _DESCRIPTORS,
    "os.dup": _DESCRIPTORS,
    "os.memfd_create": (errno.EMFILE, errno.ENOMEM),
    "os.pidfd_open": _DESCRIPTORS,
    "os.fchmod": (errno.EPERM,),
    "os.scandir": _DESCRIPTORS,
    "os.fork": (errno.EAGAIN,),
    "os.posix_spawn": (errno.EAGAIN,),
    "os.replace": _FULL,
    "os.rename": _FULL,
    "fcntl.flock": (errno.ENOLCK,),
    "mmap.mmap": _MEMORY,
    "socket.socket": _DESCRIPTORS,
    "socket.socketpair": _DESCRIPTORS,
    "socket.send_fds": (errno.ENOBUFS,),
    "socket.recv_fds": (errno.ENOMEM,),
    "subprocess.Popen": (errno.EAGAIN, errno.ENOMEM),
    "subprocess.run": (errno.EAGAIN,),
    "tempfile.mkstemp": _FULL,
    "tempfile.TemporaryDirectory": _FULL,
    "tempfile.NamedTemporaryFile": _FULL,
}
"""Numbers of the errors with which a call can fail, by the function's name in the source."""

METHODS: Final = {
    "mkdir": _FULL,
    "touch": _FULL,
    "write_text": _FULL,
    "write_bytes": _FULL,
    "read_text": _BROKEN,
    "read_bytes": _BROKEN,
    "rename": _FULL,
    "replace": _FULL,
    "unlink": _BROKEN,
    "rmdir": _BROKEN,
    "chmod": (errno.EPERM,),
    "iterdir": _DESCRIPTORS,
    "open": _FILES,
    "write": _FULL,
    "truncate": _BROKEN,
    "bind": (errno.ENOSPC,),
    "listen": (errno.EADDRINUSE,),
    "connect": (errno.ECONNREFUSED,),
    "accept": (errno.EMFILE, errno.ECONNABORTED),
    "send": (errno.ENOBUFS, errno.EPIPE),
    "recv": (errno.ENOMEM, errno.ECONNRESET),
    "sendmsg": (errno.ENOBUFS, errno.EPIPE),
    "recvmsg": (errno.ENOMEM, errno.ECONNRESET),
    "start": (NO_THREAD,),
}
"""The same for methods of files, paths, sockets, connections and threads. What else has methods so called is passed."""

_WITHOUT: Final = {"zoo", "corpus"}
"""Folders that are left out: planted bugs, and the program that writes the spec corpus."""


class Sites(ast.NodeTransformer):
    """Rewrites the calls of one file; ``found`` are their names, with what may fail there."""

    def __init__(self, file: str) -> None:
        """``file`` is the path below the top folder."""
        self.found: dict[str, tuple[int, ...]] = {}
        self._file = file
        self._scope: list[str] = []
        self._seen: Counter[str] = Counter()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Remember the scope."""
        return self._scoped(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Remember the scope."""
        return self._scoped(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Have a call that may fail ask the hook first; so too one that is made later, by way of ``partial``."""
        name = self._name(node.func)
        failures = failures_of(node)
        if isinstance(node.func, ast.Name) and node.func.id == "partial" and isinstance(node.args[0], ast.Attribute):
            name, failures = self._name(node.args[0]), METHODS.get(node.args[0].attr, ())
            self.generic_visit(node)
            node.args[0] = self._hooked(node.args[0], name, failures)
        else:
            self.generic_visit(node)
            node.func = self._hooked(node.func, name, failures)
        return node

    def _scoped(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self._scope.append(node.name)
        self.generic_visit(node)
        self._scope.pop()
        return node

    def _name(self, function: ast.expr) -> str:
        """File, function and what is called: it stays the same when lines are added above."""
        text = ast.unparse(function)
        if "(" in text and isinstance(function, ast.Attribute):
            text = f"….{function.attr}"
        return f"{self._file} {'.'.join(self._scope) or '<module>'}: {text}"

    def _hooked(self, function: ast.expr, name: str, failures: tuple[int, ...]) -> ast.expr:
        if not failures:
            return function
        self._seen[name] += 1
        if self._seen[name] > 1:
            name = f"{name} #{self._seen[name]}"
        self.found[name] = failures
        hook = ast.Call(ast.Name(HOOK, ast.Load()), [ast.Constant(name), function], [])
        return ast.fix_missing_locations(ast.copy_location(hook, function))


def failures_of(node: ast.Call) -> tuple[int, ...]:
    """Return the errors with which a call can fail; none if it asks nothing of the system."""
    function = node.func
    if (known := FUNCTIONS.get(ast.unparse(function))) is not None:
        return known
    if not isinstance(function, ast.Attribute):
        return ()
    # Text is replaced by two arguments, structs by keywords, a path by one; a file's mode is a constant text.
    if function.attr == "replace" and (len(node.args) != 1 or node.keywords):
        return ()
    if function.attr == "open" and not (node.args and isinstance(node.args[0], ast.Constant)):
        return ()
    return METHODS.get(function.attr, ())


def rewritten(path: Path) -> tuple[ast.Module, dict[str, tuple[int, ...]]]:
    """The program in which faults can strike, and its sites."""
    sites = Sites(path.relative_to(ROOT).as_posix())
    tree: ast.Module = sites.visit(ast.parse(path.read_text(encoding="utf-8")))
    return tree, sites.found


def product_files() -> Iterator[Path]:
    """The modules of the product in which faults may strike."""
    for package in sorted(path.name for path in (ROOT / "src" / "nnvet").iterdir()):
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.name.endswith(".mod.py") and not _WITHOUT & set(path.relative_to(ROOT).parts):
                yield path


def all_sites() -> dict[str, tuple[int, ...]]:
    """Every site of the product by its name, with what may fail there."""
    return {site: failures for path in product_files() for site, failures in rewritten(path)[1].items()}
