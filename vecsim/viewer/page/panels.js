"use strict";

/* What stands beside the picture: the source with its hot lines, the chosen instruction, registers and memory. */

const code = (text) => element("b", {}, text);

class SourcePanel {
  constructor(place, view) {
    this.place = place;
    this.view = view;
  }

  show(pane) {
    if (this.pane === pane) return;
    this.pane = pane;
    const { run } = pane, most = Math.max(1, ...run.lines.map((line) => line.cycles));
    const total = Math.max(1, run.lines.reduce((sum, line) => sum + line.cycles, 0));
    const labels = new Map();
    for (const [name, pc] of Object.entries(run.labels)) labels.set(pc, [...(labels.get(pc) ?? []), name]);
    const body = element("tbody");
    this.rows = run.listing.map(([text, place, source], pc) => {
      for (const name of labels.get(pc) ?? []) {
        body.append(element("tr", {}, element("td"), element("td"), element("td", { class: "text dim" }, `${name}:`)));
      }
      const { executions, cycles } = run.lines[pc], share = cycles / total;
      const title = `${place}\n${source}\n${grouped(executions)} times, ${grouped(cycles)} cycles`;
      const row = element("tr", { title, "data-pc": pc, onclick: () => this.view.chooseNext(pane, pc) },
      element("td", { class: "number" }, share >= 0.0005 ? `${(100 * share).toFixed(1)}%` : ""),
      element("td", { class: "number" }, executions ? grouped(executions) : ""),
      element("td", { class: "text" }, text));
      row.style.background = cycles ? `rgba(var(--hot), ${0.04 + 0.5 * cycles / most})` : "";
      body.append(row);
      return row;
    });
    this.place.replaceChildren(element("table", {}, body));
  }

  /** Bring the line that costs most into sight. */
  showHottest() {
    const cycles = this.pane.run.lines.map((line) => line.cycles);
    this.rows[cycles.indexOf(Math.max(...cycles))]?.scrollIntoView({ block: "center" });
  }

  mark(pane) {
    this.show(pane);
    const chosen = pane.picture.chosen >= 0 ? pane.run.at.pc[pane.picture.chosen] : -1;
    this.rows.forEach((row, pc) => {
      row.classList.toggle("chosen", pc === chosen);
      row.classList.toggle("match", pane.matching !== null && pane.matching.has(pc));
    });
    if (chosen >= 0) this.rows[chosen].scrollIntoView({ block: "nearest" });
  }
}

/** Say in words and numbers what instruction k of a pane did. */
function described(pane, k) {
  const { run, memory } = pane, { at } = run, age = at.age[k];
  const [text, place, source, reads, writes] = run.listing[at.pc[k]];
  const where = place ? `${place}: ${source}` : source;
  const head = [element("div", {}, code(text)), element("div", { class: "dim" }, where)];
  const rows = [["instruction", `#${grouped(age)} at ${at.pc[k]}, ${run.unitName(k)}`]];
  if (run.inUnit(k)) {
    rows.push(["vector length", grouped(at.vl[k])]);
    rows.push(["cycles", `issue ${at.issue[k]}, dispatch ${at.dispatch[k]}, works ${at.start[k]} to ` +
      `${at.worked[k] - 1} (${at.busy[k]} busy), retires ${at.retire[k]}`]);
  } else rows.push(["cycles", `issue ${at.issue[k]}, retires ${at.retire[k]}`]);
  if (at.address[k] >= 0) rows.push(["address", `${at.address[k]}, ${at.words[k]} words`]);
  const waits = run.waits(k).map(([cause, cycles]) => `${cause} ${cycles}`).join(", ");
  rows.push(["waited for", waits || "nothing"]);
  for (const [what, names, when] of [["reads", reads, age - 1], ["writes", writes, age]]) {
    for (const name of names) rows.push([what, `${named(run, name)} = ${written(name, memory.register(name, when))}`]);
  }
  return { head, rows };
}

/** Give the names of a register: those of the source, and the plain one. */
function named(run, plain) {
  const second = run.secondNames[plain];
  return second ? `${second.join("/")} (${plain})` : plain;
}

const plainTable = (rows) => element("table", { class: "plain" }, ...rows.map(([name, cell]) =>
  element("tr", {}, element("td", {}, name), element("td", { class: "values" }, cell))));

class DetailsPanel {
  constructor(place, view) {
    this.place = place;
    this.view = view;
  }

  show(pane) {
    const k = pane.picture.chosen;
    if (k < 0) {
      const hint = "Point at an instruction, or choose one by a click.";
      this.place.replaceChildren(element("span", { class: "dim" }, hint));
      return;
    }
    const { head, rows } = described(pane, k);
    const link = (other) => element("a", { onclick: () => this.view.choose(pane, other) },
      `#${pane.run.at.age[other]} ${pane.run.text(other)}`);
    for (const [what, others] of [["needs", pane.run.producers(k)], ["needed by", pane.run.consumers(k, 6)]]) {
      for (const other of others) rows.push([what, link(other)]);
    }
    this.place.replaceChildren(...head, plainTable(rows));
  }
}

class RegistersPanel {
  constructor(place) { this.place = place; }

  show(pane) {
    const { run, memory, picture } = pane, last = run.issuedBy(picture.cursor);
    const age = last < 0 ? (run.count ? run.at.age[0] - 1 : -1) : run.at.age[last];
    const known = run.valuesUntil === null || age < run.valuesUntil;
    const head = `cycle ${grouped(picture.cursor)}: after instruction #${grouped(age)}` +
      (known ? "" : `; vector registers are kept up to #${grouped(run.valuesUntil)} only`);
    const rows = [];
    for (const name of run.scalars) {
      const content = memory.scalar(name, age);
      if (content.value !== 0 || content.since === age) rows.push([named(run, name), this.cell(name, content, age)]);
    }
    for (let number = 0; number <= run.vectorRegisters; number += 1) {
      const name = number < run.vectorRegisters ? `v${number}` : "mask", content = memory.vector(number, age);
      const any = content.floats.some((value) => value !== 0) || content.words.some((word) => word !== 0);
      if (any || content.since === age) rows.push([named(run, name), this.cell(name, content, age)]);
    }
    const pieces = memory.pieces.map((piece) => this.piece(memory, piece, age));
    this.place.replaceChildren(element("div", { class: "dim" }, head), plainTable(rows), ...pieces);
  }

  cell(name, content, age) {
    const whole = content.value === undefined ? written(name, content, Infinity) : "";
    return element("span", { class: content.since === age ? "new" : "", title: whole }, written(name, content));
  }

  piece(memory, piece, age) {
    const list = element("div", { class: "values" });
    for (const { value, fresh } of memory.piece(piece, age)) {
      list.append(element("span", { class: fresh ? "new" : "" }, short(value)), "  ");
    }
    const what = `${piece.name}: ${piece.count} x ${piece.type} from ${piece.address}`;
    return element("div", {}, element("div", { class: "dim" }, what), list);
  }
}

function legend(causes) {
  const entry = (colour, text) => element("span", {}, element("i", { style: `background:${colour}` }), text);
  return [entry(QUEUE_COLOUR, "queues"), element("span", {}, "waits for:"),
    ...causes.map((cause, i) => entry(causeColour(i), cause)),
    element("span", {}, "full colour: works; pale: result on its way; arrows: red from what it needs, " +
      "blue to what needs it")];
}
