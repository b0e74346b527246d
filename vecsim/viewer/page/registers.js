"use strict";

/* What registers and pieces of memory held, looked up by the number of an instruction: each cell has the
   list of its changes. */

class Cells {
  constructor(at, name) {
    this.ages = at[`${name}_age`];
    this.begins = at[`${name}_begin`];
  }

  get count() { return this.begins.length - 1; }

  /** Give where the content of a cell is, as of all instructions up to number `age`; and when it came. */
  find(cell, age) {
    const place = firstAbove(this.ages, age, this.begins[cell], this.begins[cell + 1]) - 1;
    return { place, since: this.ages[place] };
  }
}

class Memory {
  constructor(run) {
    this.run = run;
    this.scalars = new Cells(run.at, "scalar");
    this.vectors = new Cells(run.at, "vector");
    this.pieces = run.pieces.map((piece, number) => ({ ...piece, cells: new Cells(run.at, `piece${number}`), number }));
  }

  scalar(name, age) {
    const { place, since } = this.scalars.find(this.run.scalars.indexOf(name), age);
    return { value: this.run.at.scalar_content[place], since };
  }

  /** Give the elements of a vector register, or of the mask behind the last one, as the machine's floats and as
      whole numbers. */
  vector(number, age) {
    const { place, since } = this.vectors.find(number, age), { section, at } = this.run;
    const low = at.vector_low.subarray(place * section, (place + 1) * section);
    const words = Int32Array.from(low);
    if (this.run.valueBytes === 4) return { floats: Array.from(new Float32Array(words.buffer)), words, since };
    const pairs = new Uint32Array(2 * section);
    const high = at.vector_high && at.vector_high.subarray(place * section, (place + 1) * section);
    for (let i = 0; i < section; i += 1) {
      pairs[2 * i] = low[i];
      if (high) pairs[2 * i + 1] = high[i];
    }
    return { floats: Array.from(new Float64Array(pairs.buffer)), words, since };
  }

  /** Give the values of a piece of memory, and those that came with instruction `age`. */
  piece({ cells, number, type, count }, age) {
    const bytes = new Uint8Array(cells.count), fresh = new Uint8Array(cells.count);
    const contents = this.run.at[`piece${number}_content`];
    for (let i = 0; i < bytes.length; i += 1) {
      const { place, since } = cells.find(i, age);
      bytes[i] = contents[place];
      fresh[i] = since === age ? 1 : 0;
    }
    const kind = { word: Int32Array, float: Float32Array, double: Float64Array, byte: Uint8Array }[type];
    const values = Array.from(new kind(bytes.buffer)), size = bytes.length / count;
    return values.map((value, i) => ({ value, fresh: fresh.subarray(i * size, (i + 1) * size).some((each) => each) }));
  }

  /** Give the content of a register by its plain name. */
  register(name, age) {
    if (name === "mask") return this.vector(this.run.vectorRegisters, age);
    return name.startsWith("v") && name !== "vl" ? this.vector(Number(name.slice(1)), age) : this.scalar(name, age);
  }
}

const short = (value) =>
  Number.isInteger(value) && Math.abs(value) < 1e9 ? String(value) : Number(value.toPrecision(7)).toString();

const FIRST = 8; // elements that are shown of a vector
const SMALLEST = 1e-30; // a register of nothing larger holds whole numbers, seen as floats

/** Write the content of a register in a line. */
function written(name, content, most = FIRST) {
  if (content.value !== undefined) return short(content.value);
  const whole = name === "mask" || content.floats.every((value) => Math.abs(value) < SMALLEST);
  const shown = whole ? content.words : content.floats;
  const list = Array.from(shown.slice(0, most), short).join("  ");
  return shown.length > most ? `${list}  \u2026` : list;
}
