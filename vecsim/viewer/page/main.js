"use strict";

/* The page: a pane for each run, one scale for all, and what the user does. */

class View {
  constructor(runs, causes) {
    const begin = Math.min(...runs.map((run) => run.begin)), end = Math.max(...runs.map((run) => run.end));
    this.scale = new Scale(begin, end);
    this.scale.watchers.push(() => this.redraw());
    this.frames = [];
    this.panes = runs.map((run) => this.makePane(run));
    for (const pane of this.panes) pane.picture.place();
    this.current = this.panes[0];
    this.source = new SourcePanel(document.getElementById("source"), this);
    this.details = new DetailsPanel(document.getElementById("details"), this);
    this.registers = new RegistersPanel(document.getElementById("registers"));
    this.tooltip = document.getElementById("hover");
    this.search = new Search(this);
    document.getElementById("legend").append(...legend(causes));
    this.makeTabs();
    this.listen();
    this.marked();
    this.source.showHottest();
  }

  makePane(run) {
    const canvas = element("canvas", { tabindex: "0" });
    const told = `${grouped(run.cycles)} cycles, ${grouped(run.instructions)} instructions` +
      (run.leftOut ? `; ${grouped(run.leftOut)} of the window left out` : "");
    const place = element("div", { class: "run" }, element("h2", {}, `${run.name} `, element("small", {}, told)),
      element("div", { class: "scroll" }, canvas));
    document.getElementById("runs").append(place);
    const picture = new Picture(run, this.scale, canvas), memory = new Memory(run);
    const pane = { run, place, canvas, picture, memory, matching: null };
    this.listenTo(pane);
    return pane;
  }

  makeTabs() {
    if (this.panes.length < 2) return;
    this.tabs = this.panes.map((pane) => element("button",
      { title: pane.run.name, onclick: () => this.makeCurrent(pane) }, pane.run.tab));
    document.getElementById("tabs").append(...this.tabs);
  }

  makeCurrent(pane) {
    if (this.current === pane) return;
    this.current = pane;
    this.search.tell();
    this.marked();
  }

  /** Show what is chosen beside the picture, and draw. */
  marked() {
    this.panes.forEach((pane, i) => {
      pane.place.classList.toggle("current", this.panes.length > 1 && pane === this.current);
      if (this.tabs) this.tabs[i].classList.toggle("current", pane === this.current);
    });
    this.source.mark(this.current);
    this.details.show(this.current);
    this.registers.show(this.current);
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begun = performance.now();
      for (const pane of this.panes) pane.picture.draw();
      this.frames.push(performance.now() - begun);
      if (this.frames.length > 10000) this.frames.shift();
      const { from, to } = this.scale;
      document.getElementById("range").textContent = `cycles ${grouped(from)} to ${grouped(to)}`;
    });
  }

  choose(pane, k) {
    this.current = pane;
    pane.picture.chosen = k;
    pane.picture.cursor = pane.run.at.issue[k];
    this.scale.reveal(pane.run.at.issue[k], pane.run.at.retire[k]);
    this.search.tell();
    this.marked();
  }

  /** Choose the execution of an instruction that follows the cursor, or the first. */
  chooseNext(pane, pc) {
    const executions = executionsOf(pane.run, new Set([pc]));
    if (!executions.length) return;
    const { chosen, cursor } = pane.picture;
    const after = chosen >= 0 ? chosen : pane.run.issuedBy(Math.max(cursor, this.scale.from) - 1);
    this.choose(pane, executions[firstAbove(executions, after) % executions.length]);
  }

  putCursor(pane, cycle, reveal = false) {
    this.current = pane;
    pane.picture.cursor = Math.max(0, Math.round(cycle));
    pane.picture.chosen = -1;
    if (reveal) this.scale.reveal(cycle, cycle + 1);
    this.marked();
  }

  listen() {
    const keys = { "+": () => this.scale.zoom(0.5), "=": () => this.scale.zoom(0.5), "-": () => this.scale.zoom(2),
      0: () => this.scale.show(...this.scale.whole), ArrowLeft: () => this.scale.pan(-this.scale.span / 8),
      ArrowRight: () => this.scale.pan(this.scale.span / 8), n: () => this.search.go(1), N: () => this.search.go(-1) };
    addEventListener("keydown", (event) => {
      if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey) return;
      if (event.key === "/") this.search.field.focus();
      else if (keys[event.key]) keys[event.key]();
      else return;
      event.preventDefault();
    });
    document.getElementById("in").addEventListener("click", keys["+"]);
    document.getElementById("out").addEventListener("click", keys["-"]);
    document.getElementById("whole").addEventListener("click", keys[0]);
    addEventListener("resize", () => {
      for (const pane of this.panes) pane.picture.place();
      this.redraw();
    });
  }

  listenTo(pane) {
    const { canvas, picture } = pane;
    let held = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      const upright = event.shiftKey ? 0 : event.deltaY;
      if (Math.abs(sideways) > Math.abs(upright)) this.scale.pan(sideways / picture.width * this.scale.span);
      else this.scale.zoom(Math.exp(event.deltaY * 0.002), picture.cycle(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, from: this.scale.from, to: this.scale.to, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const by = event.offsetX - held.x;
        held.moved ||= Math.abs(by) > 3;
        const cycles = by / (picture.width - LEFT) * (held.to - held.from);
        if (held.moved) this.scale.show(held.from - cycles, held.to - cycles);
      } else this.pointAt(pane, event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const moved = held && held.moved;
      held = null;
      if (!moved) this.click(pane, event);
    });
    canvas.addEventListener("pointerleave", () => this.pointAt(pane, null));
    canvas.addEventListener("dblclick", (event) => this.scale.zoom(0.25, picture.cycle(event.offsetX)));
  }

  click(pane, event) {
    const { k, cycle } = pane.picture.under(event.offsetX, event.offsetY);
    if (k >= 0) this.choose(pane, k);
    else this.putCursor(pane, cycle);
  }

  pointAt(pane, event) {
    const { picture } = pane, under = event ? picture.under(event.offsetX, event.offsetY) : { track: null, k: -1 };
    if (under.k !== picture.pointed) {
      picture.pointed = under.k;
      this.redraw();
    }
    this.tooltip.hidden = !under.track;
    if (!under.track) return;
    if (under.k >= 0) {
      const { head, rows } = described(pane, under.k);
      this.tooltip.replaceChildren(...head, plainTable(rows));
    } else this.tooltip.replaceChildren(...this.stretch(pane, under));
    const x = Math.min(event.clientX + 14, innerWidth - this.tooltip.offsetWidth - 8);
    const below = event.clientY + 16, fits = below + this.tooltip.offsetHeight < innerHeight;
    this.tooltip.style.left = `${Math.max(4, x)}px`;
    this.tooltip.style.top = `${fits ? below : Math.max(4, event.clientY - this.tooltip.offsetHeight - 12)}px`;
  }

  /** Say of a track seen from afar how busy it is at the pointer. */
  stretch(pane, { track, cycle }) {
    const step = this.scale.span / (pane.picture.width - LEFT), { density } = track;
    const busy = (density.workBefore(cycle + step) - density.workBefore(cycle)) / step;
    const cause = density.cause(cycle, cycle + step);
    const much = track.name === "issue" ? `${busy.toFixed(2)} instructions a cycle` : `${Math.round(100 * busy)}% busy`;
    return [element("div", {}, `${track.name}, cycle ${grouped(cycle)}`), element("div", {}, much),
      element("div", { class: "dim" }, cause >= 0 ? `waited longest for: ${pane.run.causes[cause]}` : "")];
  }
}

async function begin() {
  const given = JSON.parse(document.getElementById("document").textContent);
  const runs = [];
  for (const [i, facts] of given.runs.entries()) {
    const block = document.getElementById(`block${i}`);
    runs.push(new Run(facts, await unpackedBlock(block.textContent), given));
    block.remove();
  }
  globalThis.view = new View(runs, given.causes);
  document.body.dataset.runs = runs.length; // for those who wait for the page
}

begin();
