"""The page in Chromium: it loads the kit, judges the logs that are chosen, and asks no other server for anything."""

import html
import json
import re
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from conformance.implementations.installation import CannotInstall
from conformance.log_page.judged_log import judged_log
from conformance.log_page.log_page import write_log_page
from tests.browser import require_browser

pytestmark = [pytest.mark.slow, pytest.mark.network]

GOLDEN = Path(__file__).parent.parent / "golden"
LOGS = ("column_types.bin", "compression.bin")
#: A page of the same site, which chooses files as a user does and posts what is then shown.
USER = """<!DOCTYPE html><iframe src="log.html"></iframe><script>
  const frame = document.querySelector("iframe");
  const until = async ready => { while (!ready()) await new Promise(next => setTimeout(next, 50)); };
  frame.addEventListener("load", async () => {
    const page = frame.contentDocument;
    const state = () => page.querySelector("#state").textContent;
    await until(() => state() === "Ready." || state().includes("cannot"));
    const chosen = new frame.contentWindow.DataTransfer();
    for (const name of NAMES) {
      const data = await (await fetch(name)).arrayBuffer();
      chosen.items.add(new frame.contentWindow.File([data], name));
    }
    const input = page.querySelector("#files");
    input.files = chosen.files;
    input.dispatchEvent(new frame.contentWindow.Event("change"));
    await until(() => state().startsWith(NAMES.at(-1)) || state().includes("cannot"));
    const texts = [...page.querySelectorAll("#results > section")].map(each => each.textContent);
    await fetch("answer", { method: "POST", body: JSON.stringify(texts) });
  });
</script>"""


class Site(SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what is posted to it."""

    answers: Queue = Queue()

    def do_POST(self):
        self.answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        """Print nothing."""


@pytest.fixture
def site(tmp_path):
    try:
        write_log_page(tmp_path)
    except CannotInstall as error:
        pytest.skip(str(error))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def text_of(shown):
    return html.unescape(re.sub(r"<[^>]+>", "", shown))


def test_chosen_logs_are_decoded_and_checked(site, tmp_path):
    folder, address = site
    for name in LOGS:
        (folder / name).write_bytes((GOLDEN / name).read_bytes())
    (folder / "user.html").write_text(USER.replace("NAMES", json.dumps(LOGS)))
    command = [require_browser(), "--headless=new", "--no-sandbox", "--disable-gpu"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--remote-debugging-port=0", f"{address}/user.html"]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answer = Site.answers.get(timeout=120)
    finally:
        browser.kill()
        browser.wait()
    # The last log is on top; it has a compressed transaction, which the browser unpacks by Python's own module.
    assert answer == [text_of(judged_log(name, (GOLDEN / name).read_bytes())) for name in reversed(LOGS)]
