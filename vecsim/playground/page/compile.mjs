// Puts compiled Python in place of Python in archives, by the Pyodide that will run it: node compile.mjs FOLDER.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const ARCHIVES = { "python.zip": "/lib/python3.14/site-packages", "pyodide/python_stdlib.zip": "/lib/python314.zip" };
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide", "pyodide.mjs")));
const pyodide = await loadPyodide();
const compiled = pyodide.runPython(`
import importlib._bootstrap_external as bootstrap
import io
import zipfile
from pyodide.ffi import to_js


def compiled(archive, place):
    result = io.BytesIO()
    how = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(io.BytesIO(archive.to_py())) as before, zipfile.ZipFile(result, "w", how, compresslevel=9) as after:
        for name in before.namelist():
            content = before.read(name)
            if name.endswith(".py"):
                code = compile(content, f"{place}/{name}", "exec", dont_inherit=True)
                content, name = bytes(bootstrap._code_to_hash_pyc(code, bytes(8), False)), f"{name}c"
            after.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, how)
    return to_js(result.getvalue())


compiled
`);
for (const [name, place] of Object.entries(ARCHIVES)) {
  const archive = path.join(folder, name);
  fs.writeFileSync(archive, compiled(new Uint8Array(fs.readFileSync(archive)), place));
}
