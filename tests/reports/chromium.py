"""A headless Chromium that tests drive: pages, media, keys and what was asked of the network.

It speaks the DevTools protocol over a pair of pipes: messages of JSON that end with a zero byte.
"""

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

_OPTIONS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
_PATIENCE_S: Final = 60.0


class Browser:
    """One browser with one page, which is opened, looked at and used again and again."""

    def __init__(self, folder: Path) -> None:
        """Start it, with its profile in ``folder``."""
        read, self._out = os.pipe()
        self._in, write = os.pipe()
        # The shell moves the pipes to the numbers where Chromium looks for them.
        command = ["sh", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', str(CHROMIUM), *_OPTIONS]
        self._process = subprocess.Popen(
            [*command, "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(read, write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(write)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = ""
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._attach()

    def __enter__(self) -> Self:
        """The browser itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End it."""
        os.close(self._out)
        os.close(self._in)
        self._process.kill()
        self._process.wait()

    def open(self, page: Path, address: str = "") -> None:
        """Load a page from its file, at an address within it, with a fresh list of requests and errors."""
        self.requests.clear()
        self.errors.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=page.resolve().as_uri() + address)
        self._until(lambda: self.evaluate("document.readyState") == "complete" and bool(self.requests))
        # Two frames: styles and observers have done their work by then.
        self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript; a promise is waited for."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"].get("exception", {}).get("description", found))
        return found["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a selector."""
        return list(
            self.evaluate(
                f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent.trim())"
            )
        )

    def resize(self, width: int, height: int = 900, *, phone: bool = False) -> None:
        """Give the window a size in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def show_as(self, media: str = "screen", scheme: str = "light") -> None:
        """Emulate paper (``print``), and a reader who prefers light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key: str) -> None:
        """Press a key that is known by name: Tab, Enter or Space."""
        code = {"Tab": 9, "Enter": 13, "Space": 32}[key]
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        named = {"key": text if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def picture(self, out: Path, *, whole: bool = False) -> Path:
        """What is seen, or the whole page, as PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        out.write_bytes(base64.b64decode(found["data"]))
        return out

    def paper(self) -> bytes:
        """The page as it is printed, as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])
            self._note(answer)

    def _attach(self) -> None:
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("exception", {}).get("description", ""))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(line))

    def _until(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not is_so():
            assert time.monotonic() < end, "the page did not load"
            time.sleep(0.01)
