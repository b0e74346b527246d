// Puts compiled Python in place of Python in an archive, by the Pyodide that will run it: node compile.mjs FOLDER.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide", "pyodide.mjs")));
const pyodide = await loadPyodide();
const archive = path.join(folder, "python.zip");
pyodide.FS.writeFile("/before.zip", fs.readFileSync(archive));
pyodide.runPython(`
import importlib._bootstrap_external as bootstrap
import zipfile

with zipfile.ZipFile("/before.zip") as before, zipfile.ZipFile("/after.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as after:
    for name in before.namelist():
        content = before.read(name)
        if name.endswith(".py"):
            code = compile(content, f"/lib/python3.14/site-packages/{name}", "exec", dont_inherit=True)
            content, name = bytes(bootstrap._code_to_hash_pyc(code, bytes(8), False)), f"{name}c"
        after.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
`);
fs.writeFileSync(archive, pyodide.FS.readFile("/after.zip"));
