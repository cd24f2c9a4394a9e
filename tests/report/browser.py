"""Debian's Chromium without a window, driven through its DevTools protocol over two pipes: messages are JSON, each
ended by a zero byte (https://chromedevtools.github.io/devtools-protocol/)."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

SECONDS = 60  # for anything
FLAGS = (
    "--headless=new --remote-debugging-pipe --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
    " --disable-background-networking --disable-component-update --disable-extensions --disable-sync"
    " --mute-audio --hide-scrollbars --window-size=1280,900"
).split()


class Browser:
    """One page. `events` is what the browser reported since the last open()."""

    def __init__(self, profile):
        program = shutil.which("chromium")
        assert program, "no chromium: scripts/setup installs it"
        to_browser, self.outgoing = os.pipe()
        self.incoming, from_browser = os.pipe()
        # It reads descriptor 3 and writes descriptor 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.log = open(profile / "log", "w+")
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=self.log,
            stderr=self.log,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.last_id, self.unread, self.events, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next((each for each in targets if each["type"] == "page"), None)
        target = page["targetId"] if page else self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.outgoing)  # it ends
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.incoming)
        self.log.close()

    # 1. Messages.

    def call(self, method, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.outgoing, json.dumps(message).encode() + b"\0")
        wanted = self.last_id
        answer = self.wait_for(lambda each: each.get("id") == wanted)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def wait_for(self, is_wanted):
        deadline = time.monotonic() + SECONDS
        while True:
            message = self.read(deadline)
            if "method" in message:
                self.events.append(message)
            if is_wanted(message):
                return message

    def read(self, deadline):
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.incoming], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.incoming, 1 << 20) if ready else b""
            if not chunk:
                self.log.seek(0)
                raise RuntimeError(f"chromium {'ended' if ready else 'does not answer'}: {self.log.read()[-2000:]}")
            self.unread += chunk
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    # 2. What tests do.

    def open(self, path):
        self.events = []
        answer = self.call("Page.navigate", url=path.absolute().as_uri())
        assert "errorText" not in answer, answer
        if not any(each["method"] == "Page.loadEventFired" for each in self.events):
            self.wait_for(lambda each: each.get("method") == "Page.loadEventFired")
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def look(self, width=1280, dark=False, phone=False):
        """The window from now on."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def print(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def complaints(self):
        """Errors and warnings of the page, scripts' and the browser's."""
        found = []
        for each in self.events:
            params = each["params"]
            if each["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"])
            elif each["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(params)
            elif each["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"])
        return found

    def requests(self):
        """URLs that were asked for, the page's own too."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
