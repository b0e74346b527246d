// The numbers of the machine: a slider and a number for each, with its help.
import { element } from "./element.mjs";

/** Return the values that a slider goes through, from the least to the most. */
function stops({ least, most }, standard) {
  const low = least ?? 1;
  const high = Math.max(Math.min(most ?? 4096, Math.max(64, standard * 8)), standard);
  const all = new Set([low, standard, high]);
  for (let power = 1; power <= high; power *= 2) for (const value of [power, power * 1.5]) all.add(value);
  return [...all].filter((value) => Number.isInteger(value) && value >= low && value <= high).sort((a, b) => a - b);
}

export class MachineForm {
  /** `onChange()` is called after each change. */
  constructor({ fields, presets }, parts, onChange) {
    Object.assign(this, { fields, presets, parts, onChange });
    this.preset = "vs2003";
    this.changes = {};
    parts.preset.append(...Object.keys(presets).map((name) => element("option", { value: name }, name)));
    parts.preset.onchange = () => this.set(parts.preset.value, {}, true);
    parts.reset.onclick = () => this.set(this.preset, {}, true);
    parts.find.oninput = () => this.filter();
    this.set(this.preset, {}, false);
  }

  /** The number of a field on the machine as it is. */
  value(name) {
    return this.changes[name] ?? this.presets[this.preset][name];
  }

  set(preset, changes, tell) {
    this.preset = preset in this.presets ? preset : "vs2003";
    this.changes = Object.fromEntries(Object.entries(changes).filter(([name]) => name in this.fields));
    this.parts.preset.value = this.preset;
    this.draw();
    if (tell) this.onChange();
  }

  change(name, value) {
    if (value === this.presets[this.preset][name]) delete this.changes[name];
    else this.changes[name] = value;
    this.say();
    this.onChange();
  }

  draw() {
    const groups = new Map();
    for (const name of Object.keys(this.fields)) {
      const group = name.includes(".") ? name.split(".")[0] : "machine";
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(this.row(name));
    }
    const drawn = [...groups].map(([group, rows]) =>
      element("details", { open: group === "machine" }, element("summary", {}, group), ...rows));
    this.parts.fields.replaceChildren(...drawn);
    this.say();
    this.filter();
  }

  row(name) {
    const { help, kind, least, most } = this.fields[name];
    const id = `field-${name}`;
    const label = element("label", { htmlFor: id }, name);
    const about = element("small", { id: `${id}-help` }, help);
    const row = element("div", { className: "field" }, label);
    row.dataset.name = `${name} ${help}`.toLowerCase();
    if (kind === "choice") {
      const box = element("input", { type: "checkbox", id, checked: this.value(name) });
      box.onchange = () => this.change(name, box.checked);
      box.setAttribute("aria-describedby", about.id);
      row.append(box, about);
      return row;
    }
    const values = stops(this.fields[name], this.presets[this.preset][name]);
    const number = element("input", { type: "number", id, value: this.value(name), min: least ?? "", max: most ?? "" });
    const slider = element("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
    const follow = () => {
      const at = values.findLastIndex((value) => value <= Number(number.value));
      slider.value = Math.max(at, 0);
      slider.setAttribute("aria-valuetext", number.value);
    };
    slider.setAttribute("aria-label", `${name}, slider`);
    number.setAttribute("aria-describedby", about.id);
    follow();
    slider.oninput = () => {
      number.value = values[Number(slider.value)];
      slider.setAttribute("aria-valuetext", number.value);
      this.change(name, Number(number.value));
    };
    number.onchange = () => {
      follow();
      this.change(name, Math.trunc(Number(number.value)));
    };
    row.append(number, slider, about);
    return row;
  }

  filter() {
    const wanted = this.parts.find.value.trim().toLowerCase();
    for (const group of this.parts.fields.children) {
      const rows = [...group.querySelectorAll(".field")];
      for (const row of rows) row.hidden = !row.dataset.name.includes(wanted);
      group.hidden = rows.every((row) => row.hidden);
      if (wanted) group.open = !group.hidden;
    }
  }

  say() {
    const texts = Object.entries(this.changes).map(([name, value]) => `${name} = ${value}`);
    this.parts.changes.textContent = texts.length ? `Changed: ${texts.join(", ")}` : "As the preset says.";
  }
}
