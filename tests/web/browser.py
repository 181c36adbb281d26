"""A real headless browser, and the application served to it."""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from playwright.sync_api import Browser, expect, sync_playwright

import dealmill
from dealmill.web.app import application
from tests.deploy.natively import free_port

WAIT_MILLISECONDS = 120_000
"""The longest time to wait for something on a page: a busy machine may take long for it."""
NAMES = ("chromium-headless-shell", "chromium", "google-chrome")


def find_browser() -> str:
    """Return the path of a browser; skip the test if there is none."""
    path = os.environ.get("TEST_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: set TEST_CHROMIUM to a Chromium, or install one of: {', '.join(NAMES)}")
    return path


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Run a browser for the duration of the `with` block."""
    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=WAIT_MILLISECONDS)
        expect.set_options(timeout=WAIT_MILLISECONDS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(url: str) -> Iterator[str]:
    """Serve the pages over a store for the duration of the `with` block, and yield their address."""
    port = int(free_port())
    with dealmill.open(url, read_only=True) as store:
        app = application(store, hosts=["127.0.0.1"])
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()
            for process in app.state.processes:
                process.close()
