// The glue of a host of the engine: memory, the table of addresses, calls. docs/reference/wasm.md describes it.
// It needs nothing but WebAssembly: it works in Node and in browsers.

const ALIGNMENT = 64;
const WORD_BYTES = 8;
const PAGE_BYTES = 65536;
const SLICE_CYCLES = 20_000_000n;
const ROOM = 65536; // bytes between the heap's begin and the table, for what calls return

/** The module, and the description that was written with it. */
export class Engine {
  static async load(module, description) {
    const { instance } = await WebAssembly.instantiate(module, {});
    return new Engine(instance.exports, description);
  }

  constructor(exports, description) {
    this.exports = exports;
    this.description = description;
    this.heap = Number(exports[description.heap].value);
  }

  /** Lay a packed run (Uint8Array) out in memory. An engine holds one run: the one before is gone. */
  start(packed) {
    return new Run(this, unpacked(packed, this.description.format));
  }

  addressOf(operation) {
    return this.exports[this.description.address_of](BigInt(operation));
  }

  reserve(end) {
    const { memory } = this.exports;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  }
}

function unpacked(packed, format) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const header = JSON.parse(new TextDecoder().decode(packed.subarray(4, 4 + view.getUint32(0, true))));
  if (header.format !== format) {
    throw new Error(`a packed run of format ${header.format}: this engine takes format ${format}`);
  }
  let at = 4 + view.getUint32(0, true);
  const contents = {};
  for (const [name, bytes] of header.contents) {
    contents[name] = packed.subarray(at, at + bytes);
    at += bytes;
  }
  return { header, contents };
}

/** A run in the memory of an engine. Cycles and numbers of 64 bits are BigInt. */
export class Run {
  constructor(engine, { header, contents }) {
    this.engine = engine;
    this.places = engine.description.table.arrays;
    this.loop = engine.exports[header.loop];
    this.capacity = BigInt(header.capacity);
    this.cycle = BigInt(header.cycle);
    this.bytes = { table: contents.table.length, ...header.arrays };
    this.addresses = {};
    this.lay();
    this.fill(contents);
  }

  /** Give the table and each array its place in memory. */
  lay() {
    let end = this.engine.heap + ROOM;
    for (const [name, bytes] of Object.entries(this.bytes)) {
      this.addresses[name] = end = Math.ceil(end / ALIGNMENT) * ALIGNMENT;
      end += bytes;
    }
    this.engine.reserve(end);
    const memory = new Uint8Array(this.engine.exports.memory.buffer);
    memory.fill(0, this.addresses.table, end);
  }

  /** Write contents, and the addresses that compiled code follows: of arrays, of semantics, of slow paths. */
  fill(contents) {
    for (const [name, content] of Object.entries(contents)) this.content(name).set(content);
    const table = this.words("table");
    for (const [name, place] of Object.entries(this.places)) {
      if (!place.near) table[place.begin] = BigInt(this.addresses[name]);
    }
    const semantics = this.words("semantics");
    semantics.forEach((_, operation) => (semantics[operation] = this.engine.addressOf(operation)));
    this.words("slow_paths")[0] = this.engine.addressOf(this.engine.description.slow_paths);
  }

  /** Where an array begins in memory; "table" is the table itself. */
  address(name) {
    const place = this.places[name];
    return place?.near ? this.addresses.table + WORD_BYTES * place.begin : this.addresses[name];
  }

  /** The bytes of an array that is not in the table, or of the table: a view, until the next run starts. */
  content(name) {
    return new Uint8Array(this.engine.exports.memory.buffer, this.address(name), this.bytes[name]);
  }

  /** The same as integers. */
  words(name) {
    const { buffer } = this.engine.exports.memory;
    return new BigInt64Array(buffer, this.address(name), this.bytes[name] / WORD_BYTES);
  }

  /** The bytes of the rows of "timeline" or "starts" that are written and not yet handed on. */
  rows(name) {
    const { words } = this.engine.description.rows[this.places[name].row];
    const count = Number(this.field("scratch", name === "timeline" ? "rows" : name));
    return this.content(name).subarray(0, WORD_BYTES * words * count);
  }

  /** A field of a row of an array: a BigInt, or an array of them. */
  field(name, field, row = 0) {
    const { words, fields } = this.engine.description.rows[this.places[name].row];
    const { offset, most, counted } = fields[field];
    const at = this.address(name) + WORD_BYTES * (row * words + offset);
    const values = new BigInt64Array(this.engine.exports.memory.buffer, at, (most || 1) + Number(counted));
    if (counted) return Array.from(values.subarray(1, 1 + Number(values[0])));
    return most ? Array.from(values) : values[0];
  }

  set(name, field, value, row = 0) {
    const { words, fields } = this.engine.description.rows[this.places[name].row];
    const at = this.address(name) + WORD_BYTES * (row * words + fields[field].offset);
    new BigInt64Array(this.engine.exports.memory.buffer, at, 1)[0] = value;
  }

  /** Call the loop once; return why it came back, a number of `status` in the description. */
  call(stopCycle, stopCount, capacity = this.capacity) {
    const { heap } = this.engine;
    const failed = this.loop(heap, heap + WORD_BYTES, BigInt(this.addresses.table), stopCycle, stopCount, capacity);
    if (failed !== 0) throw new Error(`compiled code ended with status ${failed}`);
    return Number(new BigInt64Array(this.engine.exports.memory.buffer, heap, 1)[0]);
  }

  /**
   * Run to the end, or to the boundary before a cycle. `onRows(count)` is called where the timeline is full, and
   * reads the rows from content("timeline"). Return "finished", "stopped" or "trouble": then the instruction
   * number `pc` cannot be executed.
   */
  advance(end = 1n << 60n, onRows = () => {}) {
    const { status } = this.engine.description;
    while (this.cycle < end && this.field("control", "halted") === 0n) {
      const next = this.cycle + SLICE_CYCLES;
      const stop = next < end ? next : end;
      this.set("outcome", "cycle", this.cycle);
      this.set("outcome", "start", this.cycle);
      const why = this.call(stop, -1n);
      if (this.capacity >= 0n) {
        onRows(Number(this.field("scratch", "rows")));
        this.set("scratch", "rows", 0n);
      }
      if (why === status.trouble) return "trouble";
      this.cycle = why === status.full ? this.field("outcome", "cycle") : stop;
      if (why === status.finished) break;
    }
    if (this.field("control", "halted") === 0n) return "stopped";
    this.cycle = this.field("control", "last_retired");
    return "finished";
  }

  /** Number of the instruction that issues next. */
  get pc() {
    return Number(this.field("control", "pc"));
  }

  /** What the run has counted, by name. */
  get counters() {
    const { buffer } = this.engine.exports.memory;
    const { counters } = this.engine.description;
    const values = new BigInt64Array(buffer, this.address("counters"), counters.length);
    return Object.fromEntries(counters.map((name, k) => [name, values[k]]));
  }
}
