// Opens vecsim in Pyodide with the engine as WebAssembly: in a worker of the page, and in Node for the tests.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { Engine } from "./engine/engine.mjs";

const PACKAGES = "/lib/python3.14/site-packages";

/**
 * Return a function that answers questions (vecsim/playground/worker/classroom.py), plain data both.
 * `read(name)` returns the bytes of a file of the folder; `indexURL` is where Pyodide is.
 */
export async function openClassroom(read, indexURL) {
  const text = async (name) => new TextDecoder().decode(await read(name));
  const [pyodide, packages, module, description, lessons] = await Promise.all([
    loadPyodide(indexURL ? { indexURL } : {}),
    read("python.zip"),
    read("engine/engine.wasm"),
    text("engine/engine.json"),
    text("lessons.json"),
  ]);
  pyodide.unpackArchive(packages, "zip", { extractDir: PACKAGES });
  const engine = await Engine.load(module, JSON.parse(description));
  const begin = pyodide.runPython("from vecsim.playground.worker.begin import begin\nbegin");
  const answer = begin(callOf(engine), lessons);
  return (question) => JSON.parse(answer(JSON.stringify(question)));
}

/** Return what vecsim/playground/worker/host.py calls. */
function callOf(engine) {
  return (packed, stopCycle, stopCount, capacity) => {
    const run = engine.start(packed.toJs());
    packed.destroy();
    const status = run.call(BigInt(stopCycle), BigInt(stopCount), BigInt(capacity));
    return { status, content: (name) => run.content(name), rows: (name) => run.rows(name) };
  };
}
