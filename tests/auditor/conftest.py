"""A browser for tests of what is looked at."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class Browser:
    """Chromium without a window."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, page: Path, width: int) -> int:
        """Show a page on a screen of this width; return how wide it is."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get(f"file://{page}")
        return int(self.run("return document.documentElement.scrollWidth"))

    def run(self, script: str) -> Any:
        """Run a script on the page."""
        return self.driver.execute_script(script)

    def wait(self, script: str) -> None:
        """Run a script until it returns what is true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10).until(lambda driver: driver.execute_script(script))


@pytest.fixture
def tested(tmp_path: Path) -> Callable[[str], str]:
    """Return what pytest says of a file of tests, as a user would run it."""

    def run(tests: str) -> str:
        (tmp_path / "test_mine.py").write_text(tests)
        command = [sys.executable, "-m", "pytest", "-q", "test_mine.py"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return ran.stdout + ran.stderr

    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs chromium and chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.binary_location = chromium
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield Browser(started)
    started.quit()
