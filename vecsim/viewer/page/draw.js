"use strict";

/* One run on a canvas. Near, each instruction is a bar with its phases; far, each column of pixels says how busy
   a unit was and what its instructions waited for longest. */

const AXIS = 22, GAP = 6, LANES = [12, 20], FAR_HEIGHT = 44, STRIP = 5, LEFT = 74;
const NEAR_MOST = 700, NEAR_PIXELS = 5; // instructions of a track that are drawn one by one; pixels for each
const TRACK_COLOURS = { issue: "#7d8794", add: "#2f9e5f", multiply: "#b8741a", sparse: "#8a56b8" };
const PORT_COLOURS = ["#2f7fc1", "#1d9aa8", "#4f66c9", "#3f8f9f"];
const CAUSE_COLOURS = ["#9aa4b0", "#c2b280", "#e0669d", "#d98c5f", "#b0bec5", "#90b4d8", "#f2c14e", "#b5651d",
  "#d9453d", "#7b68c9", "#6d8f3c", "#a0522d"];
const QUEUE_COLOUR = "#e4e8ec", FORE = "#1c2128", DIM = "#667080", LINE = "#d5dae0", SOFT = "#f4f6f8",
  MARK = "#1f6feb";

const causeColour = (cause) => CAUSE_COLOURS[cause % CAUSE_COLOURS.length];
const trackColour = (name) =>
  name.startsWith("port") ? PORT_COLOURS[Number(name.slice(5)) % PORT_COLOURS.length] : TRACK_COLOURS[name];

/** Rectangles by colour, so that each colour is set once. */
class Paint {
  constructor() { this.of = new Map(); }

  add(colour, x, y, width, height) {
    let list = this.of.get(colour);
    if (!list) this.of.set(colour, list = []);
    list.push(x, y, width, height);
  }

  onto(context) {
    for (const [colour, list] of this.of) {
      context.fillStyle = colour;
      for (let i = 0; i < list.length; i += 4) context.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    }
  }
}

class Picture {
  constructor(run, scale, canvas) {
    Object.assign(this, { run, scale, canvas });
    this.context = canvas.getContext("2d", { alpha: false });
    this.cursor = run.begin;
    this.chosen = -1;
    this.pointed = -1;
    this.matches = null;
  }

  /** Give every track its height: as many lanes as it ever needs, as high as there is room for. */
  place() {
    const { tracks } = this.run, lanes = tracks.reduce((sum, track) => sum + track.lanes, 0);
    const room = this.canvas.parentElement.clientHeight - AXIS - GAP * (tracks.length + 1);
    this.lane = Math.min(Math.max(Math.floor(room / lanes), LANES[0]), LANES[1]);
    let top = AXIS;
    for (const track of tracks) {
      track.top = top + GAP;
      track.height = Math.max(FAR_HEIGHT, track.lanes * this.lane);
      top = track.top + track.height;
    }
    this.height = top + GAP;
    this.canvas.style.height = `${this.height}px`;
  }

  x(cycle) { return LEFT + (cycle - this.scale.from) / this.scale.span * (this.width - LEFT); }

  cycle(x) { return this.scale.from + (x - LEFT) / (this.width - LEFT) * this.scale.span; }

  draw() {
    const ratio = devicePixelRatio || 1, width = this.canvas.clientWidth;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(this.height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
    }
    this.width = width;
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, this.height);
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT, this.height);
    context.clip();
    this.drawAxis();
    for (const track of this.run.tracks) {
      const [low, high] = track.between(this.scale.from, this.scale.to);
      const room = (width - LEFT) * track.lanes / NEAR_PIXELS;
      track.near = high - low <= Math.min(NEAR_MOST, room);
      if (track.near) this.drawNear(track, low, high);
      else this.drawFar(track);
    }
    this.drawMatches();
    this.drawMarks();
    context.restore();
    this.drawNames();
  }

  drawAxis() {
    const { context } = this;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const tick of this.scale.ticks(this.width - LEFT)) {
      const x = Math.round(this.x(tick)) + 0.5;
      context.fillStyle = LINE;
      context.fillRect(x, AXIS - 4, 1, this.height);
      context.fillStyle = DIM;
      context.fillText(tick.toLocaleString("en"), x + 3, AXIS / 2);
    }
  }

  drawNear(track, low, high) {
    const { run, context } = this, paint = new Paint(), labels = [], colour = trackColour(track.name);
    context.fillStyle = SOFT;
    context.fillRect(LEFT, track.top, this.width, track.height);
    for (let i = low; i < high; i += 1) {
      const k = track.members[i];
      const left = this.x(run.at.issue[k]), right = this.x(run.at.retire[k]);
      if (right < LEFT) continue;
      const y = track.top + track.lane[i] * this.lane + 1, height = this.lane - 2;
      if (run.inUnit(k)) this.addPhases(paint, k, y, height, colour);
      else paint.add(colour, left, y, Math.max(right - left - 0.5, 0.75), height);
      if (right - left > 46) labels.push([k, left, right, y]);
    }
    paint.onto(context);
    this.drawLabels(labels);
  }

  addPhases(paint, k, y, height, colour) {
    const [issue, dispatch, start, worked, retire] = this.run.phases(k).map((cycle) => this.x(cycle));
    if (dispatch - issue > 0.2) paint.add(QUEUE_COLOUR, issue, y, dispatch - issue, height);
    if (start - dispatch > 0.2) {
      const cause = this.run.firstWait(k), waited = cause < 0 ? QUEUE_COLOUR : causeColour(cause);
      paint.add(waited, dispatch, y + height - 4, start - dispatch, 4);
    }
    paint.add(colour, start, y, Math.max(worked - start - 0.5, 0.75), height);
    if (retire - worked > 0.2) paint.add(`${colour}59`, worked - 0.5, y, retire - worked, height);
  }

  drawLabels(labels) {
    const { context } = this;
    context.font = "10px ui-monospace, monospace";
    context.fillStyle = FORE;
    for (const [k, left, right, y] of labels) {
      const from = Math.max(left, LEFT) + 3, room = Math.floor((right - from - 3) / 6.1);
      if (room > 4) context.fillText(this.run.text(k).slice(0, room), from, y + this.lane / 2 - 1);
    }
  }

  drawFar(track) {
    const { context, scale } = this, paint = new Paint(), colour = trackColour(track.name);
    const most = track.name === "issue" ? this.run.machine.issue_width : 1;
    const columns = Math.ceil(this.width - LEFT), step = scale.span / (this.width - LEFT);
    const high = track.height - STRIP - 1;
    context.fillStyle = SOFT;
    context.fillRect(LEFT, track.top, this.width, track.height);
    let before = track.density.workBefore(scale.from);
    for (let column = 0; column < columns; column += 1) {
      const from = scale.from + column * step, to = from + step;
      const behind = track.density.workBefore(to), share = Math.min(1, (behind - before) / step / most);
      before = behind;
      if (share > 0) paint.add(colour, LEFT + column, track.top + high * (1 - share), 1, high * share);
      const cause = track.density.cause(from, to);
      if (cause >= 0) paint.add(causeColour(cause), LEFT + column, track.top + high + 1, 1, STRIP);
    }
    paint.onto(context);
  }

  drawMatches() {
    if (!this.matches) return;
    const { context, scale } = this, issue = this.run.at.issue;
    const columns = Math.ceil(this.width - LEFT), step = scale.span / (this.width - LEFT);
    context.fillStyle = MARK;
    let place = firstAbove(this.matches, this.run.issuedBy(scale.from - 1));
    for (let column = 0; column < columns && place < this.matches.length; column += 1) {
      const to = scale.from + (column + 1) * step;
      if (issue[this.matches[place]] >= to) continue;
      context.fillRect(LEFT + column, AXIS - 5, 2, 5);
      place = firstAbove(this.matches, this.run.issuedBy(to));
    }
  }

  /** Give where an instruction is drawn. */
  box(k) {
    const track = this.run.tracks.find((each) => each.name === this.run.unitName(k));
    const i = firstAbove(track.members, k) - 1;
    const left = this.x(this.run.at.issue[k]), right = this.x(this.run.at.retire[k]);
    if (!track.near) return { left, right, y: track.top, height: track.height, near: false };
    return { left, right, y: track.top + track.lane[i] * this.lane, height: this.lane, near: true };
  }

  drawMarks() {
    const { context } = this, x = Math.round(this.x(this.cursor)) + 0.5;
    context.fillStyle = MARK;
    context.fillRect(x, 0, 1, this.height);
    const k = this.chosen >= 0 ? this.chosen : this.pointed;
    if (k < 0) return;
    for (const producer of this.run.producers(k)) this.drawArrow(producer, k, "#d9453d");
    for (const consumer of this.run.consumers(k)) this.drawArrow(k, consumer, "#2f7fc1");
    for (const each of new Set([this.chosen, this.pointed])) if (each >= 0) this.drawOutline(each);
  }

  drawOutline(k) {
    const { left, right, y, height } = this.box(k), { context } = this;
    context.strokeStyle = k === this.chosen ? MARK : FORE;
    context.lineWidth = k === this.chosen ? 2 : 1;
    context.strokeRect(left - 0.5, y + 0.5, Math.max(right - left, 2), height - 1);
  }

  drawArrow(producer, consumer, colour) {
    const from = this.box(producer), to = this.box(consumer), { context } = this, { at } = this.run;
    const x0 = this.x(this.run.inUnit(producer) ? at.worked[producer] : at.retire[producer]);
    const y0 = from.y + from.height / 2, y1 = to.y + to.height / 2;
    const x1 = this.x(this.run.inUnit(consumer) ? at.start[consumer] : at.issue[consumer]);
    const bend = Math.max(12, Math.min(80, Math.abs(x1 - x0) / 2));
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.2;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 6, y1 - 3);
    context.lineTo(x1 - 6, y1 + 3);
    context.fill();
  }

  drawNames() {
    const { context } = this;
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, LEFT, this.height);
    context.font = "12px system-ui, sans-serif";
    for (const track of this.run.tracks) {
      context.fillStyle = trackColour(track.name);
      context.fillRect(LEFT - 5, track.top, 3, track.height);
      context.fillStyle = FORE;
      context.fillText(track.name, 10, track.top + 9);
    }
  }

  /** Give what is at a point: a track, an instruction or -1, and the cycle. */
  under(x, y) {
    const cycle = this.cycle(x), track = this.run.tracks.find((each) => y >= each.top && y < each.top + each.height);
    if (!track || x < LEFT) return { track: null, k: -1, cycle };
    if (!track.near) return { track, k: -1, cycle };
    const lane = Math.floor((y - track.top) / this.lane), slack = this.scale.span / (this.width - LEFT);
    const [low, high] = track.between(cycle, cycle + slack);
    for (let i = high - 1; i >= low; i -= 1) {
      const k = track.members[i];
      if (track.lane[i] === lane && this.run.at.issue[k] <= cycle + slack && cycle < this.run.at.retire[k] + slack) {
        return { track, k, cycle };
      }
    }
    return { track, k: -1, cycle };
  }
}
