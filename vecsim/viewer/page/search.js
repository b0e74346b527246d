"use strict";

/* Search: a text of instructions, a register, #instruction or @cycle. */

/** Give the instructions of the program whose text, source or register has the words. */
function matchingLines(run, words) {
  const wanted = words.toLowerCase();
  const found = new Set();
  run.listing.forEach(([text, place, source, reads, writes], pc) => {
    const has = [text, source, place].some((each) => each.toLowerCase().includes(wanted));
    if (has || reads.includes(wanted) || writes.includes(wanted)) found.add(pc);
  });
  return found;
}

/** Give all executions of some instructions of the program. */
function executionsOf(run, lines) {
  const found = [];
  for (let k = 0; k < run.count; k += 1) if (lines.has(run.at.pc[k])) found.push(k);
  return Uint32Array.from(found);
}

class Search {
  constructor(view) {
    this.view = view;
    this.field = document.getElementById("search");
    this.found = document.getElementById("found");
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.field.blur();
      event.stopPropagation();
    });
    document.getElementById("next").addEventListener("click", () => this.go(1));
    document.getElementById("before").addEventListener("click", () => this.go(-1));
  }

  look() {
    const words = this.field.value.trim(), number = /^[#@]\d+$/.test(words);
    for (const pane of this.view.panes) {
      pane.matching = words && !number ? matchingLines(pane.run, words) : null;
      pane.picture.matches = pane.matching && executionsOf(pane.run, pane.matching);
    }
    this.tell();
    this.view.marked();
  }

  tell() {
    const { current } = this.view, matches = current.picture.matches;
    if (!matches) this.found.textContent = "";
    else this.found.textContent = `${grouped(matches.length)} found in ${grouped(current.matching.size)} lines`;
  }

  go(step) {
    const words = this.field.value.trim(), { current } = this.view, { run, picture } = current;
    if (/^@\d+$/.test(words)) this.view.putCursor(current, Number(words.slice(1)), true);
    else if (/^#\d+$/.test(words)) {
      const k = firstAbove(run.at.age, Number(words.slice(1))) - 1;
      if (k >= 0) this.view.choose(current, k);
    } else if (picture.matches && picture.matches.length) {
      const n = picture.matches.length, at = picture.chosen >= 0 ? picture.chosen : run.issuedBy(picture.cursor - 1);
      const place = step > 0 ? firstAbove(picture.matches, at) : firstAbove(picture.matches, at - 1) - 1;
      this.view.choose(current, picture.matches[(place + n) % n]);
    }
  }
}
