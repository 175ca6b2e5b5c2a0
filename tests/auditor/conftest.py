"""A browser for tests of what is looked at."""

from __future__ import annotations

import multiprocessing
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import auditor.checking.loading  # noqa: F401 - what a copy of this process, and pytest in it, need
from auditor import cli
from auditor.checking import own_process


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


class Ran:
    """The output and the exit status of a command."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    def one_line_error(self) -> str:
        assert self.status == 2
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("touchstone: ")
        return lines[0]


@pytest.fixture
def touchstone(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """Return what runs the command line in this process."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["touchstone", *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        captured = capfd.readouterr()
        assert isinstance(caught.value.code, int)
        return Ran(caught.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the process of a check as a copy of this one, which has loaded its modules."""

    def serve(*arguments: Any) -> None:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        own_serve(*arguments)

    own_serve = own_process._serve
    fork = SimpleNamespace(get_context=lambda _: multiprocessing.get_context("fork"))
    monkeypatch.setattr(own_process, "multiprocessing", fork)
    monkeypatch.setattr(own_process, "_serve", serve)


@pytest.fixture(scope="session")
def as_the_catalogue_says() -> Callable[..., Any]:
    """Return what answers a question of an audit as the catalogue expects."""
    from auditor.core.verdict import Verdict
    from auditor.suite.plan import expected_violations

    def answer(case: Any, unit: Any, *_: Any) -> Verdict:
        if unit.question in expected_violations(case, unit.form):
            return Verdict(unit.question, "violated", "as printed", witness={"seed": 1})
        return Verdict(unit.question, "holds", "fine", evidence={"runs": 3})

    return answer


@pytest.fixture
def run_pytest(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pytest.RunResult]:
    """Return what runs pytest in this process, with this plugin and no other installed one."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # Under CI pytest repeats whole messages in its summary; what is printed must not depend on it.
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    return partial(pytester.runpytest_inprocess, "-p", "auditor.pytest_plugin")


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
