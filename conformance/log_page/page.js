// Decodes and checks the logs that are chosen or dropped, with the kit itself, which runs in Pyodide. Nothing is sent.
const state = document.querySelector("#state");
const results = document.querySelector("#results");
const input = document.querySelector("#files");
/** Bytes of the largest log that is read. */
const MOST = 64 * 2 ** 20;

const ready = (async () => {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const runtime = await loadPyodide();
  for (const wheel of document.body.querySelector("main").dataset.wheels.split(" ")) {
    await runtime.loadPackage(new URL(wheel, import.meta.url).href, { messageCallback: () => {} });
  }
  const kit = await fetch(new URL("kit.zip", import.meta.url));
  if (!kit.ok) throw new Error(`kit.zip: ${kit.status}`);
  runtime.unpackArchive(await kit.arrayBuffer(), "zip", { extractDir: "/kit" });
  runtime.runPython("import sys; sys.path.insert(0, '/kit')");
  const { judged_log } = runtime.pyimport("conformance.log_page.judged_log");
  return (name, data) => judged_log(name, runtime.toPy(data).tobytes());
})();

ready.then(
  () => { state.textContent = "Ready."; input.disabled = false; },
  error => { state.textContent = `This browser cannot run the kit: ${error.message}`; });

async function show(files) {
  const judged = await ready;
  for (const file of files) {
    const part = document.createElement("section");
    results.prepend(part);
    if (file.size > MOST) {
      part.textContent = `${file.name}: more than 64 MiB; use binlog-conformance check`;
      continue;
    }
    state.textContent = `Reading ${file.name} ...`;
    await new Promise(resolve => setTimeout(resolve, 50));  // The words are drawn before the work begins.
    const data = new Uint8Array(await file.arrayBuffer());
    const started = performance.now();
    try {
      // Every text in it is escaped by the kit, and the policy of the page runs no script in it.
      part.innerHTML = judged(file.name, data);
    } catch (error) {
      part.textContent = `${file.name}: ${error.message}`;
    }
    state.textContent = `${file.name}: ${((performance.now() - started) / 1000).toFixed(1)} s.`;
  }
}

input.addEventListener("change", () => show(input.files));
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => { event.preventDefault(); show(event.dataTransfer.files); });
