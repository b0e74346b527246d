"use strict";

/* A run: its instructions, the tracks they are drawn on, who depends on whom, what each line costs. */

const UNITS = ["scalar", "memory", "add", "multiply", "sparse"];

class Run {
  constructor(facts, buffer, { causes, afterIssue }) {
    Object.assign(this, facts, { causes, afterIssue });
    this.at = columnsOf(facts.columns, buffer);
    this.count = this.at.age.length;
    this.plainNames = facts.names;
    this.secondNames = {};
    for (const [name, plain] of Object.entries(facts.names)) (this.secondNames[plain] ??= []).push(name);
    this.tracks = this.makeTracks();
    this.users = this.makeUsers();
    this.lines = this.makeLines();
  }

  get begin() { return this.count ? this.at.issue[0] : 0; }

  get end() {
    if (this.knownEnd === undefined) this.knownEnd = this.at.retire.reduce((most, cycle) => Math.max(most, cycle), 1);
    return this.knownEnd;
  }

  inUnit(k) { return this.at.unit[k] > 0 && this.at.vl[k] > 0; }

  text(k) { return this.listing[this.at.pc[k]][0]; }

  unitName(k) {
    if (!this.inUnit(k)) return "issue";
    return this.at.port[k] >= 0 ? `port ${this.at.port[k]}` : UNITS[this.at.unit[k]];
  }

  /** Divide instructions by unit and port, and those of one among as many lanes as overlap. */
  makeTracks() {
    const names = ["issue"];
    for (let port = 0; port < this.ports; port += 1) names.push(`port ${port}`);
    names.push("add", "multiply", "sparse");
    const members = new Map(names.map((name) => [name, []]));
    for (let k = 0; k < this.count; k += 1) members.get(this.unitName(k)).push(k);
    return names.map((name) => new Track(this, name, members.get(name))).filter((track) => track.members.length);
  }

  /** List for each register who writes it and who reads it, in program order. */
  makeUsers() {
    const users = new Map();
    const of = (register) => {
      if (!users.has(register)) users.set(register, { writers: [], readers: [] });
      return users.get(register);
    };
    const reads = this.listing.map((line) => line[3].map((register) => of(register).readers));
    const writes = this.listing.map((line) => line[4].map((register) => of(register).writers));
    for (let k = 0; k < this.count; k += 1) {
      for (const list of reads[this.at.pc[k]]) list.push(k);
      for (const list of writes[this.at.pc[k]]) list.push(k);
    }
    return users;
  }

  /** Give the instructions that wrote what instruction k reads. */
  producers(k) {
    const found = new Set();
    for (const register of this.listing[this.at.pc[k]][3]) {
      const { writers } = this.users.get(register);
      const place = firstAbove(writers, k - 1) - 1;
      if (place >= 0) found.add(writers[place]);
    }
    return [...found];
  }

  /** Give the instructions that read what instruction k wrote, at most so many. */
  consumers(k, most = 64) {
    const found = new Set();
    for (const register of this.listing[this.at.pc[k]][4]) {
      const { writers, readers } = this.users.get(register);
      const over = writers[firstAbove(writers, k)] ?? this.count;
      for (let i = firstAbove(readers, k); i < readers.length && readers[i] <= over && found.size < most; i += 1) {
        found.add(readers[i]);
      }
    }
    return [...found];
  }

  /** Sum up by instruction of the program: executions, and cycles from one retirement to the next. */
  makeLines() {
    const lines = this.listing.map(() => ({ executions: 0, cycles: 0, first: -1 }));
    let retired = this.begin;
    for (let k = 0; k < this.count; k += 1) {
      const line = lines[this.at.pc[k]];
      line.executions += 1;
      if (line.first < 0) line.first = k;
      if (this.at.retire[k] > retired) {
        line.cycles += this.at.retire[k] - retired;
        retired = this.at.retire[k];
      }
    }
    return lines;
  }

  waits(k) {
    const found = [];
    this.causes.forEach((cause, i) => {
      const cycles = this.at.waits[k * this.causes.length + i];
      if (cycles) found.push([cause, cycles, i]);
    });
    return found.sort((a, b) => b[1] - a[1]);
  }

  /** Give the phases of an instruction in a unit: queue, wait, work, result; each with its begin and end. */
  phases(k) {
    const { issue, dispatch, start, worked, retire } = this.at;
    return [issue[k], dispatch[k], start[k], worked[k], retire[k]];
  }

  /** Give the cause that instruction k waited for longest before its first element, as a number; -1 for none. */
  firstWait(k) {
    const most = this.at.start[k] - this.at.issue[k];
    const at = k * this.causes.length;
    let cause = -1, cycles = 0;
    for (const i of this.afterIssue) {
      const waited = Math.min(this.at.waits[at + i], most);
      if (waited > cycles) [cause, cycles] = [i, waited];
    }
    return cause;
  }

  /** Give the last instruction that has issued in this cycle or before, -1 for none. */
  issuedBy(cycle) { return firstAbove(this.at.issue, cycle) - 1; }
}

/** Instructions of one unit, port or of the scalar side. */
class Track {
  constructor(run, name, members) {
    this.run = run;
    this.name = name;
    this.members = Uint32Array.from(members);
    this.lane = new Uint16Array(members.length);
    this.issues = Float64Array.from(members, (k) => run.at.issue[k]);
    const free = [];
    members.forEach((k, i) => {
      let lane = free.findIndex((cycle) => cycle <= run.at.issue[k]);
      if (lane < 0) lane = free.push(0) - 1;
      free[lane] = run.at.retire[k];
      this.lane[i] = lane;
    });
    this.lanes = free.length;
    this.longest = members.reduce((most, k) => Math.max(most, run.at.retire[k] - run.at.issue[k]), 0);
    this.density = new Density(this);
  }

  /** Give the range of members that may be seen between two cycles. */
  between(from, to) { return [firstAbove(this.issues, from - this.longest - 1), firstAbove(this.issues, to)]; }
}
