// Runs every lesson of a playground in Node and checks solutions, a line of JSON each:
// node in_node.mjs FOLDER SOLUTIONS.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = path.resolve(process.argv[2]);
const read = async (name) => new Uint8Array(fs.readFileSync(path.join(folder, name)));
const { openClassroom } = await import(pathToFileURL(path.join(folder, "classroom.mjs")));
const ask = await openClassroom(read);
const { lessons, trials } = JSON.parse(fs.readFileSync(path.join(folder, "lessons.json"), "utf-8"));
for (const { key, text } of lessons) {
  for (const changes of [{}, { chaining: false, memory_ports: 2 }]) {
    const { cycles, instructions, causes, mistakes } = ask({ do: "run", lesson: key, text, changes });
    console.log(JSON.stringify({ key, changes, cycles, instructions, causes, mistakes }));
  }
}
for (const name of fs.readdirSync(process.argv[3]).filter((name) => name.endsWith(".s")).sort()) {
  const text = fs.readFileSync(path.join(process.argv[3], name), "utf-8");
  for (const seed of Object.keys(trials[1]).slice(Number(name.slice(9, 11)) % 3)) {
    const { results } = ask({ do: "check", lesson: name.replace(".s", ""), text, seed });
    console.log(JSON.stringify({ solution: name, seed, results }));
  }
}
const loop = "li x1, 50000\nloop: addi x1, x1, -1\nbnez x1, loop\nhalt\n";
const began = performance.now();
const { cycles, instructions } = ask({ do: "run", lesson: "", text: loop });
const own = `.instruction "restv.s vd+, va, fa", "va * 0.1 * 10 - va + vd * 3 - abs(va / 7) / fa"
li x1, 64
setvl x1
li x2, 7
cvi v1, x2
cvtv.s.w v1, v1
cvtv.s.w v2, v1
fl.w f1, (zero)
sgtvs.s v1, f1
mergev v2, v1, v2
fcvt.s.w f2, x2
restv.s v2, v1, f2
divvs.s v3, v2, f1
mulvv.s v4, v2, v2
halt
`;
const { cycles: taken, mistakes: wrong } = ask({ do: "run", lesson: "", text: own });
ask({ do: "open", lesson: "", text: own });
const { vectors } = ask({ do: "move", how: "run" });
console.log(JSON.stringify({ own, taken, wrong, vectors }));
console.log(JSON.stringify({ key: "loop", cycles, instructions, milliseconds: performance.now() - began }));
