// The matrix of a product: drawn, and changed by a click, by keys or as text.
import { element } from "./element.mjs";
import { shape } from "./shapes.mjs";

const LARGEST = 64; // rows and columns, as vecsim/playground/worker/products.py has it

/** Return a matrix of text, a row a line: numbers, with 0 or a dot where there is no entry. */
function parsed(text) {
  const rows = text.split("\n").map((line) => line.trim().split(/[\s,;]+/)).filter(([first]) => first);
  if (!rows.length) throw new Error("write at least one row of numbers");
  const columns = rows[0].length;
  const entries = [];
  for (const [row, words] of rows.entries()) {
    if (words.length !== columns) throw new Error(`row ${row} has ${words.length} numbers, row 0 has ${columns}`);
    for (const [column, word] of words.entries()) {
      const value = word === "." ? 0 : Number(word);
      if (!Number.isFinite(Math.fround(value))) throw new Error(`row ${row}, column ${column}: ${word} is no number of 32 bits`);
      if (value) entries.push([row, column, value]);
    }
  }
  if (Math.max(rows.length, columns) > LARGEST) throw new Error(`${rows.length} x ${columns}: at most ${LARGEST} rows and columns are possible`);
  return { shape: [rows.length, columns], entries };
}

/** Return whether something may be a matrix; vecsim itself looks closer. */
const isMatrix = (value) => Array.isArray(value?.shape) && Array.isArray(value?.entries);

export class MatrixForm {
  /** `onChange()` is called after each change. */
  constructor(place, onChange) {
    this.onChange = onChange;
    this.place = place;
    this.cursor = [0, 0];
    this.picture = shape("svg", { role: "application", tabindex: 0, "aria-describedby": "matrix-keys matrix-says" });
    this.picture.onclick = (event) => this.clicked(event);
    this.picture.onkeydown = (event) => this.key(event);
    this.says = element("p", { id: "matrix-says" });
    this.says.setAttribute("role", "status");
    this.value = element("input", { type: "number", step: "any", value: 1 });
    this.text = element("textarea", { rows: 6, spellcheck: false });
    this.wrong = element("p", { className: "wrong" });
    this.wrong.setAttribute("role", "alert");
    const undo = element("button", { type: "button", id: "matrix-undo", onclick: () => this.change(null) }, "Undo changes");
    const take = element("button", { type: "button", id: "matrix-take", onclick: () => this.take() }, "Use these rows");
    this.text.id = "matrix-rows";
    place.append(this.picture, element("p", { id: "matrix-keys" },
      "A click, or Space at the cursor (arrow keys), sets or clears an entry. "),
      element("div", { className: "buttons" }, element("label", {}, "Value of a new entry ", this.value), undo), this.says,
      element("details", {}, element("summary", {}, "As text"),
        element("label", { htmlFor: "matrix-rows" }, "A row a line, 0 or a dot where there is no entry"), this.text,
        element("div", { className: "buttons" }, take), this.wrong));
  }

  /** Show the matrix of a lesson, or a changed one; without a matrix nothing. */
  show(lesson, changed) {
    this.lesson = lesson;
    this.changed = isMatrix(changed) ? changed : null;
    this.place.hidden = !lesson.shape?.[0];
    if (!this.place.hidden) this.draw();
  }

  get matrix() {
    return this.changed ?? { shape: this.lesson.shape, entries: this.lesson.entries };
  }

  at(row, column) {
    return this.matrix.entries.find(([r, c]) => r === row && c === column);
  }

  draw() {
    const { shape: [rows, columns], entries } = this.matrix;
    this.cursor = [Math.min(this.cursor[0], rows - 1), Math.min(this.cursor[1], columns - 1)];
    this.picture.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
    this.picture.setAttribute("aria-label", `Matrix of ${rows} x ${columns}, ${entries.length} entries`);
    const cells = entries.map(([row, column, value]) =>
      shape("rect", { x: column + 0.05, y: row + 0.05, width: 0.9, height: 0.9 }, `row ${row}, column ${column}: ${value}`));
    const [row, column] = this.cursor;
    this.picture.replaceChildren(...cells, shape("path", { d: `M${column} ${row}h1v1h-1z`, class: "cursor" }));
    const lines = Array.from({ length: rows }, () => Array(columns).fill("."));
    for (const [r, c, value] of entries) lines[r][c] = String(value);
    this.text.value = lines.map((line) => line.join(" ")).join("\n");
    this.wrong.textContent = "";
    this.tell();
  }

  tell() {
    const { shape: [rows, columns], entries } = this.matrix;
    const [row, column] = this.cursor;
    this.says.textContent = `${rows} x ${columns}, ${entries.length} entries${this.changed ? ", changed" : ""}. ` +
      `Row ${row}, column ${column}: ${this.at(row, column)?.[2] ?? "no entry"}.`;
  }

  change(matrix) {
    this.changed = matrix;
    this.draw();
    this.onChange();
  }

  toggle() {
    const [row, column] = this.cursor;
    const { shape: size, entries } = this.matrix;
    const others = entries.filter(([r, c]) => r !== row || c !== column);
    const value = Number(this.value.value);
    const added = others.length < entries.length || !value || !Number.isFinite(Math.fround(value)) ? [] : [[row, column, value]];
    this.change({ shape: size, entries: [...others, ...added].sort((a, b) => a[0] - b[0] || a[1] - b[1]) });
  }

  clicked(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
    const { shape: [rows, columns] } = this.matrix;
    if (x < 0 || y < 0 || x >= columns || y >= rows) return;
    this.cursor = [Math.floor(y), Math.floor(x)];
    this.toggle();
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move && event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!move) return this.toggle();
    const within = (value, end) => Math.min(Math.max(value, 0), end - 1);
    this.cursor = this.cursor.map((value, k) => within(value + move[k], this.matrix.shape[k]));
    const [row, column] = this.cursor;
    this.picture.querySelector(".cursor").setAttribute("d", `M${column} ${row}h1v1h-1z`);
    this.tell();
  }

  take() {
    try {
      this.change(parsed(this.text.value));
    } catch (error) {
      this.wrong.textContent = error.message;
    }
  }
}
