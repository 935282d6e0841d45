"""A headless browser for tests of pages."""

import base64
import re
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from harness import skip_unless

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1",
)
PATIENCE = 30  # seconds until something must have happened


class Browser:
    """Selenium's driver, with queries of our pages."""

    def __init__(self, driver):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        self.driver = driver
        self.actions = lambda: ActionChains(driver, duration=0)
        self.keys = Keys
        self.resize(1280, 900)
        self.features = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce"}
        self.emulate("media", "")

    def show(self, file: Path) -> None:
        self.open(file.as_uri())

    def open(self, address: str) -> None:
        self.driver.get(address)

    def script(self, code: str, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector: str) -> list:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str):
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def wait(self, condition) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.02)

    # ---- user actions ----

    def click(self, selector: str) -> None:
        self.in_view(selector)
        self.actions().click(self.one(selector)).perform()

    def double_click(self, selector: str) -> None:
        self.in_view(selector)
        self.actions().double_click(self.one(selector)).perform()

    def in_view(self, selector: str) -> None:
        self.script("arguments[0].scrollIntoView({block: 'center'})", self.one(selector))

    def type(self, selector: str, text: str) -> None:
        self.one(selector).send_keys(text)

    def clear(self, selector: str) -> None:
        field = self.one(selector)
        field.send_keys(self.keys.BACKSPACE * len(field.get_attribute("value")))

    def press(self, *keys: str) -> None:
        """Presses keys, by their names in selenium, or types text."""
        for key in keys:
            self.actions().send_keys(getattr(self.keys, key, key)).perform()

    def choose(self, selector: str, value) -> None:
        from selenium.webdriver.support.select import Select

        Select(self.one(selector)).select_by_value(str(value))

    def resize(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def emulate(self, feature: str, value: str) -> None:
        """Sets a feature of media queries, or the medium itself."""
        medium = value if feature == "media" else ""
        if feature != "media":
            self.features[feature] = value
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": medium, "features": [{"name": name, "value": on} for name, on in self.features.items()]})

    def print(self) -> bytes:
        return base64.b64decode(self.driver.print_page())

    # ---- the table of nodes ----

    def counted(self) -> int:
        """The number of nodes that the table claims to show."""
        return int(re.match(r"[\d,]+", self.text("#found"))[0].replace(",", ""))

    def cells(self, column: str) -> list:
        """The values of a column in the visible rows, from the top."""
        return self.script("""return [...document.querySelectorAll('.spacer .row')]
            .map((row) => row.querySelector('.' + arguments[0]).textContent)""", column)

    def names(self) -> list:
        return self.cells("name")

    # ---- unwanted effects ----

    def complaints(self) -> list:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def loaded(self) -> list:
        """The URLs of everything that the page loaded besides itself."""
        return self.script("return performance.getEntriesByType('resource').map((entry) => entry.name)")

    def check_silence(self) -> None:
        assert self.complaints() == [] and self.loaded() == []


@contextmanager
def browsing():
    """A new browser with an empty profile."""
    skip_unless("chromium")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = Chrome(service=Service(str(DRIVER)), options=options)
        try:
            yield Browser(driver)
        finally:
            driver.quit()
