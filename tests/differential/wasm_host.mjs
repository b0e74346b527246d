// Runs the WebAssembly module for tests/differential/wasm_host.py: requests on stdin, answers on stdout.
// Each is the length of a header (uint32, little-endian), the header in JSON, and contents of the lengths in it.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { Engine } = await import(pathToFileURL(path.resolve(folder, "engine.mjs")));
const description = JSON.parse(fs.readFileSync(path.join(folder, "engine.json"), "utf-8"));
const engine = await Engine.load(fs.readFileSync(path.join(folder, "engine.wasm")), description);
const WRITTEN_ONLY = ["timeline", "starts"];

function read(bytes) {
  const content = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; ) {
    const got = fs.readSync(0, content, at, bytes - at, null);
    if (got === 0) process.exit(0);
    at += got;
  }
  return content;
}

function write(content) {
  for (let at = 0; at < content.length; ) at += fs.writeSync(1, content, at, content.length - at);
}

function answer(run, facts) {
  const names = Object.keys(run.bytes).filter((name) => name !== "program");
  const contents = names.map((name) => [name, WRITTEN_ONLY.includes(name) ? run.rows(name) : run.content(name)]);
  const header = { ...facts, contents: contents.map(([name, content]) => [name, content.length]) };
  const text = Buffer.from(JSON.stringify(header, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  write(Buffer.concat([length, text, ...contents.map(([, content]) => content)]));
}

for (;;) {
  const request = JSON.parse(read(read(4).readUInt32LE()));
  const run = engine.start(read(request.bytes));
  if (request.advance) {
    let rows = 0;
    const how = run.advance(undefined, (count) => (rows += count));
    answer(run, { how, rows, cycle: run.cycle, pc: run.pc, counters: run.counters });
  } else {
    const [stop, count, capacity] = request.call.map(BigInt);
    answer(run, { status: run.call(stop, count, capacity) });
  }
}
