// What comes back from vecsim, drawn: cycles, their causes, instructions over time, registers, memory.
import { element } from "./element.mjs";
import { shape } from "./shapes.mjs";

const UNITS = ["scalar", "memory", "add", "multiply", "sparse"];
const [PC, UNIT, PORT, VL, ISSUE, DISPATCH, START, RETIRE, LINE, WAIT] = Array(10).keys();
const LANE = 14;
const LEFT = 64;

const number = (value) => value.toLocaleString("en");
const change = (now, before) => (now === before ? "" : `${now > before ? "+" : "−"}${number(Math.abs(now - before))}`);

/** Say whether the y of a product is right. */
function productOf({ product }) {
  if (product === null || product === undefined) return [];
  return [element("p", { id: "product", className: product ? "wrong" : "right" }, product ? `Not y = A x: ${product}` : "y = A x is right.")];
}

/** Say the cycles, and what they were before. */
export function drawCycles(place, now, before) {
  const faster = before && now.cycles !== before.cycles ? `, ${change(now.cycles, before.cycles)} from ${number(before.cycles)}` : "";
  place.replaceChildren(
    element("p", {}, element("strong", { id: "count" }, number(now.cycles)), ` cycles${faster}`),
    element("p", {}, `${number(now.instructions)} instructions, ${number(now.bytes)} bytes moved, ` +
      `${(100 * now.peak).toFixed(0)} % of the peak bandwidth`),
    ...productOf(now),
  );
}

/** Draw where the cycles went, next to where they went before. */
export function drawCauses(place, now, before, labels) {
  const names = Object.keys(labels).filter((name) => now.causes[name] || before?.causes[name]);
  const rows = names.map((name) => [name, now.causes[name] ?? 0, before ? before.causes[name] ?? 0 : null]);
  rows.sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...rows.flatMap(([, a, b]) => [a, b ?? 0]));
  const head = element("tr", {}, ...["Cause", "Cycles", "Change"].map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map(([name, cycles, was]) => {
    const bars = element("div", { className: "bars" });
    for (const [kind, value] of [["now", cycles], ["was", was ?? 0]]) {
      const bar = element("span", { className: kind });
      bar.style.width = `${(100 * value) / most}%`;
      if (value) bars.append(bar);
    }
    return element("tr", {}, element("th", { scope: "row" }, labels[name], bars),
      element("td", {}, number(cycles)), element("td", {}, was === null ? "" : change(cycles, was)));
  });
  place.replaceChildren(element("table", { className: "causes" },
    element("caption", {}, "Where the cycles went"), element("thead", {}, head), element("tbody", {}, ...body)));
}

function trackOf(row, ports) {
  return UNITS[row[UNIT]] === "memory" && ports > 1 ? `port ${row[PORT]}` : UNITS[row[UNIT]];
}

/** Draw the first instructions over time, a track a unit, `scale` pixels a cycle. */
export function drawTime(place, { times, ports }, text, scale) {
  const lines = text.split("\n");
  const tracks = new Map(UNITS.map((name) => [name, []]));
  for (const row of times) {
    const name = trackOf(row, ports);
    if (!tracks.has(name)) tracks.set(name, []);
    const lanes = tracks.get(name);
    let lane = lanes.findIndex((free) => free <= row[ISSUE]);
    if (lane < 0) lane = lanes.push(0) - 1;
    lanes[lane] = Math.max(row[RETIRE], row[ISSUE] + 1);
    row.lane = lane;
  }
  const last = Math.max(1, ...times.map((row) => row[RETIRE]));
  const picture = shape("svg", { role: "img" });
  let top = 20;
  const tops = new Map();
  for (const [name, lanes] of tracks) {
    if (!lanes.length) continue;
    tops.set(name, top);
    picture.append(Object.assign(shape("text", { x: 2, y: top + 11, class: "track" }), { textContent: name }));
    top += lanes.length * LANE + 8;
  }
  const every = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((step) => step * scale >= 50) ?? 20000;
  for (let cycle = 0; cycle <= last; cycle += every) {
    const x = LEFT + cycle * scale;
    picture.append(shape("line", { x1: x, x2: x, y1: 16, y2: top, class: "grid" }));
    picture.append(Object.assign(shape("text", { x: x + 2, y: 11, class: "axis" }), { textContent: cycle }));
  }
  for (const row of times) {
    const y = tops.get(trackOf(row, ports)) + row.lane * LANE;
    const at = (cycle) => LEFT + cycle * scale;
    const source = (lines[row[LINE] - 1] ?? "").split("#")[0].trim();
    const title = `line ${row[LINE]}: ${source}\nissue ${row[ISSUE]}, dispatch ${row[DISPATCH]}, first element ${row[START]}, ` +
      `retired ${row[RETIRE]}; ${row[VL]} elements${row[WAIT] ? `; waited longest for: ${row[WAIT]}` : ""}`;
    const group = shape("g", {}, title);
    const wide = (from, to) => Math.max((to - from) * scale - 0.5, 1);
    group.append(shape("rect", { x: at(row[ISSUE]), y: y + 5, width: wide(row[ISSUE], row[START]), height: 3, class: "waits" }));
    group.append(shape("rect", { x: at(row[START]), y: y + 1, width: wide(row[START], row[RETIRE]), height: LANE - 3, class: UNITS[row[UNIT]] }));
    picture.append(group);
  }
  picture.setAttribute("width", LEFT + last * scale + 20);
  picture.setAttribute("height", top);
  picture.setAttribute("aria-label", `${times.length} instructions in ${last} cycles, by unit`);
  place.replaceChildren(picture);
}

/** Draw where the debugger has stopped. */
export function drawState(places, state) {
  places.place.textContent = state.stop;
  places.vectors.replaceChildren(...state.vectors.map(strip));
  const busy = state.banks.filter(Boolean).length;
  const cells = state.banks.map((left, k) => element("span", { className: left ? "cell hot" : "cell", title: `bank ${k}: ${left} cycles` }));
  const banks = element("div", { className: "cells" }, ...cells);
  banks.setAttribute("role", "img");
  banks.setAttribute("aria-label", `${busy} of ${state.banks.length} banks are busy`);
  places.banks.replaceChildren(element("h3", {}, "Banks"), banks);
  places.panels.replaceChildren(...Object.entries(state.panels).map(([name, lines]) => {
    const text = element("pre", { tabIndex: 0 }, lines.join("\n"));
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", name);
    return element("div", {}, element("h3", {}, name), text);
  }));
}

function strip({ register, name, kind, values, heights, waits }) {
  const cells = values.map((value, k) => {
    const cell = element("span", { className: waits[k] ? "cell waits" : "cell", title: `${register}[${k}] = ${value}${waits[k] ? ", not ready" : ""}` });
    cell.style.setProperty("--height", heights[k] ?? 1);
    return cell;
  });
  const strip = element("div", { className: "cells heat" }, ...cells);
  strip.setAttribute("role", "img");
  const late = waits.filter(Boolean).length;
  strip.setAttribute("aria-label", `${register} ${name}: ${values.slice(0, 8).join(", ")} ...${late ? `; ${late} not ready` : ""}`);
  return element("div", { className: "strip" },
    element("code", {}, `${register} ${name}`), element("small", {}, ` ${kind} ${values.slice(0, 4).join("  ")} ...`), strip);
}

/** Draw what came of a check. */
export function drawGrade(place, grade) {
  const rows = grade.results.map(({ case: name, problem, text, cycles, budget }) => element("li", { className: problem ? "wrong" : "right" },
    `${problem ? "✗" : "✓"} ${name}: ${problem ? text : `right, ${number(cycles)} cycles of ${number(budget)}`}`));
  const whatIf = grade.what_if.map(([what, cycles]) => element("li", {}, `with ${what}: ${number(cycles)} cycles`));
  place.replaceChildren(element("h3", {}, grade.passed ? "Passed" : "Not yet"), element("p", {}, `On the cases of seed ${grade.seed}.`), element("ul", {}, ...rows, ...whatIf),
    ...(grade.hint ? [element("p", { className: "hint" }, `Hint: ${grade.hint}`)] : []));
}
