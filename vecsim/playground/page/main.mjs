// The page: asks vecsim in the worker and draws its answers.
import { Editor } from "./editor.mjs";
import { element } from "./element.mjs";
import { fromFragment, toFragment } from "./link.mjs";
import { MachineForm } from "./machine.mjs";
import { MatrixForm } from "./matrix.mjs";
import { drawCauses, drawCycles, drawGrade, drawState, drawTime } from "./views.mjs";

const KEPT = "vecsim-playground"; // the state
const ANSWER = "vecsim-playground-answer"; // what the run of a state gave
const PAUSE = 250; // milliseconds without a key before the text is assembled

const byId = (id) => document.getElementById(id);
const say = (text) => (byId("status").textContent = text);

/** Keep plain data in the browser, as far as it keeps any. */
function keep(name, content) {
  try {
    localStorage.setItem(name, JSON.stringify(content));
  } catch {
    // the browser keeps nothing
  }
}

/** Return what was kept, or null. */
function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

/** Questions to the worker. */
class Asker {
  /** `onReady()` is called when a worker has started, `onWaiting(isWaiting)` when answers are missing or there. */
  constructor(onReady, onWaiting) {
    Object.assign(this, { onReady, onWaiting });
    this.waiting = new Map();
    this.count = 0;
    this.start();
  }

  start() {
    this.worker = new Worker(new URL("worker.mjs", document.baseURI), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.ready) this.onReady();
      else if (data.failed) say(`vecsim did not start: ${data.failed}`);
      else this.give(data.id, data.answer);
    };
  }

  give(id, answer) {
    this.waiting.get(id)(answer);
    this.waiting.delete(id);
    this.onWaiting(this.waiting.size > 0);
  }

  ask(question) {
    const id = ++this.count;
    this.worker.postMessage({ id, question });
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.onWaiting(true);
    return answer;
  }

  /** End the worker, which cannot be interrupted, and start another; questions get the answer `{ stopped: true }`. */
  stop() {
    this.worker.terminate();
    for (const id of [...this.waiting.keys()]) this.give(id, { stopped: true });
    this.start();
  }
}

class Page {
  constructor(description) {
    this.description = description;
    this.lessons = new Map(description.lessons.map((lesson) => [lesson.key, lesson]));
    this.lessons.set("", { key: "", title: "own program", about: "Write any program. Memory has 64 KiB.", text: "        halt\n", exercise: 0 });
    this.scale = 4;
    this.seeds = [...description.seeds];
    this.before = this.result = null;
    this.open = false;
    this.machine = new MachineForm(description.machines,
      { preset: byId("preset"), reset: byId("reset"), find: byId("find"), fields: byId("fields"), changes: byId("changes") },
      () => this.later("run", () => this.run()));
    this.matrix = new MatrixForm(byId("matrix"), () => {
      this.edited();
      this.later("run", () => this.run());
    });
    const key = (name, run) => ({ key: name, run: () => (run(), true), preventDefault: true });
    const keys = [key("Mod-Enter", () => this.run()), key("F8", () => this.move("step")),
      key("Shift-F8", () => this.move("back")), key("F9", () => this.move("until", this.editor.line)),
      key("Mod-.", () => this.stop())];
    this.editor = new Editor(byId("editor"), description.language, keys, () => this.edited());
    this.timers = {};
    this.listLessons();
    this.connect();
    this.asker = new Asker(() => this.ready(), (isWaiting) => (byId("stop").disabled = !isWaiting));
  }

  listLessons() {
    const groups = new Map();
    for (const lesson of this.lessons.values()) {
      const name = lesson.group ?? "Your own";
      if (!groups.has(name)) groups.set(name, element("optgroup", { label: name }));
      groups.get(name).append(element("option", { value: lesson.key }, lesson.title));
    }
    byId("lesson").append(...groups.values());
  }

  connect() {
    const click = (id, act) => (byId(id).onclick = act);
    click("run", () => this.run());
    for (const how of ["step", "back", "cycle"]) click(how, () => this.move(how));
    click("until", () => this.move("until", this.editor.line));
    click("restart", () => this.restart());
    click("check", () => this.check());
    click("stop", () => this.stop());
    click("share", () => this.share());
    click("save", () => this.save());
    click("load", () => byId("file").click());
    byId("file").onchange = (event) => this.load(event.target.files[0]);
    byId("lesson").onchange = () => this.choose(byId("lesson").value);
    click("closer", () => this.zoom(1.5));
    click("farther", () => this.zoom(1 / 1.5));
    addEventListener("hashchange", () => this.follow());
  }

  /** Begin with what the link says, with what was kept, or with the first lesson. */
  async begin() {
    if (await this.follow()) return;
    const state = kept(KEPT);
    if (state && this.lessons.has(state.lesson)) this.restore(state);
    else this.showFirst();
  }

  /** Show the first lesson with what it takes, which the folder has: the worker comes later. */
  showFirst() {
    const { lesson, answer } = this.description.first;
    this.choose(lesson);
    this.draw(answer);
    this.shown = JSON.stringify(this.state);
    keep(ANSWER, { version: this.description.version, state: this.state, answer });
  }

  async follow() {
    const state = location.hash.length > 1 ? await fromFragment(location.hash.slice(1)) : null;
    if (state === null || !this.lessons.has(state.lesson)) return false;
    this.restore(state);
    return true;
  }

  get state() {
    const { preset: machine, changes } = this.machine;
    return { lesson: this.lesson.key, text: this.editor.text, machine, changes, matrix: this.matrix.changed };
  }

  restore({ lesson, text, machine, changes, matrix }) {
    this.machine.set(String(machine), changes ?? {}, false);
    this.choose(lesson, String(text), matrix ?? null);
    const last = kept(ANSWER);
    if (last?.version !== this.description.version || JSON.stringify(last.state) !== JSON.stringify(this.state) || this.isReady) return;
    this.draw(last.answer); // the worker comes later
    this.shown = JSON.stringify(this.state);
  }

  /** Open a lesson, with another text or matrix than its own; a changed matrix stays for the other products on it. */
  choose(key, text, matrix) {
    const before = this.lesson;
    this.lesson = this.lessons.get(key);
    const isComparable = before?.entries?.length && before.group === this.lesson.group;
    this.matrix.show(this.lesson, matrix === undefined && isComparable ? this.matrix.changed : matrix);
    byId("lesson").value = key;
    byId("statement").textContent = this.lesson.about;
    byId("check").hidden = !this.lesson.exercise;
    byId("grade").replaceChildren();
    this.editor.text = text ?? this.lesson.text;
    if (!isComparable) this.before = this.result = null;
    this.edited();
    if (this.isReady) this.run();
  }

  ready() {
    this.isReady = true;
    this.setEnabled(true);
    say("Ready.");
    if (JSON.stringify(this.state) !== this.shown) this.run();
  }

  /** Switch the buttons that ask vecsim. */
  setEnabled(isEnabled) {
    for (const button of document.querySelectorAll("#asking button")) button.disabled = !isEnabled;
  }

  /** End what runs; vecsim starts again, and does not repeat it by itself. */
  stop() {
    if (byId("stop").disabled) return;
    this.isReady = this.open = false;
    this.shown = JSON.stringify(this.state);
    this.setEnabled(false);
    this.asker.stop();
    say("Stopped. vecsim starts again ...");
  }

  later(name, act) {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(act, PAUSE);
  }

  edited() {
    this.open = false;
    this.later("assemble", async () => {
      keep(KEPT, this.state);
      if (this.isReady) this.understood(await this.ask("assemble"));
    });
  }

  /** Ask about the program and the machine as they are; the answer is null if they have changed meanwhile. */
  async ask(what, more = {}) {
    const { state } = this;
    const answer = await this.asker.ask({ do: what, ...state, ...more });
    return JSON.stringify(state) === JSON.stringify(this.state) ? answer : null;
  }

  /** Show the mistakes of an answer; return whether it has none. */
  understood(answer) {
    if (answer === null || answer.stopped) return false;
    const mistakes = answer.mistakes ?? [];
    this.editor.showMistakes(mistakes);
    byId("mistakes").replaceChildren(...mistakes.map(({ line, text }) => element("li", {}, line ? `Line ${line}: ${text}` : text)));
    return !mistakes.length;
  }

  async run() {
    if (!this.isReady) return;
    say("Running ...");
    const began = performance.now();
    const answer = await this.ask("run");
    if (answer === null) {
      say("Changed while it ran: press Run.");
      return;
    }
    if (!this.understood(answer)) {
      if (!answer.stopped) say("The program does not run: see the mistakes below it.");
      return;
    }
    this.draw(answer);
    keep(ANSWER, { version: this.description.version, state: this.state, answer });
    say(`Ran in ${Math.round(performance.now() - began)} ms.`);
  }

  /** Draw what came of a run, and what changed since the one before. */
  draw(answer) {
    this.before = this.result;
    this.result = answer;
    drawCycles(byId("cycles"), answer, this.before);
    drawCauses(byId("causes"), answer, this.before, this.description.causes);
    this.drawTime();
  }

  drawTime() {
    if (this.result) drawTime(byId("time"), this.result, this.editor.text, this.scale);
  }

  zoom(factor) {
    this.scale = Math.min(Math.max(this.scale * factor, 0.2), 40);
    this.drawTime();
  }

  async move(how, count = 1) {
    if (!this.isReady) return;
    if (!this.open && !(await this.restart())) return;
    this.show(await this.asker.ask({ do: "move", how, count }));
  }

  async restart() {
    const answer = await this.ask("open");
    this.open = this.show(answer);
    return this.open;
  }

  show(answer) {
    if (!this.understood(answer)) return false;
    this.editor.showMarks(answer.marks);
    drawState({ place: byId("place"), vectors: byId("vectors"), banks: byId("banks"), panels: byId("panels") }, answer);
    say(answer.stop);
    return true;
  }

  async check() {
    say("Checking ...");
    const seed = this.seeds.shift();
    this.seeds.push(seed); // they take turns
    const answer = await this.ask("check", { seed });
    if (!this.understood(answer)) return;
    drawGrade(byId("grade"), answer);
    say(answer.passed ? "Passed." : "Not yet: see the hint.");
  }

  async share() {
    history.replaceState(null, "", `#${await toFragment(this.state)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      say("The link is in the address bar and on the clipboard.");
    } catch {
      say("The link is in the address bar.");
    }
  }

  save() {
    const href = URL.createObjectURL(new Blob([this.editor.text], { type: "text/plain" }));
    element("a", { href, download: `${this.lesson.key || "program"}.s` }).click();
    URL.revokeObjectURL(href);
  }

  async load(file) {
    if (file) this.choose("", await file.text());
  }
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register("service.mjs", { type: "module" }).catch(() => {});
const description = await (await fetch("description.json")).json();
const page = new Page(description);
say("Loading vecsim ...");
await page.begin();
