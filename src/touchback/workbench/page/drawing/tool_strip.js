// The strip below the view: what the tool waits for, numbers of the next point to type, options of what is drawn.
import { h } from "../dom.js";
import { choice, notFinite } from "../number_fields.js";
import { TOOLS } from "./tools.js";

const UNITS = { mm: 1e-3, cm: 1e-2, m: 1, "°": Math.PI / 180, deg: Math.PI / 180, rad: 1 };

/** What was typed [m or rad]: a number, with a unit or in the field's own; undefined where nothing stands, NaN where it is none. */
export function typedNumber(text, unit) {
  const found = text.trim().replaceAll("−", "-").replace(",", ".").match(/^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z°]*)$/i);
  if (!text.trim()) return undefined;
  const value = found && (found[2] || unit) in UNITS ? Number(found[1]) * UNITS[found[2] || unit] : NaN;
  return Number.isFinite(value) ? value : NaN;
}

/** The texts of a point in one field: "0.1 0.2", "0.1; 0.2", "0,1 0,2", "0.1, 0.2"; a lone comma between digits is a decimal one, "0,2". */
export function listedNumbers(text) {
  const parts = text.trim().replaceAll("−", "-").split(/\s*;\s*|\s*,\s+|\s+(?=[-+.\d])/);
  const [only] = parts;
  return parts.length === 1 && only.includes(",") && (only.includes(".") || only.split(",").length > 2) ? only.split(",") : parts;
}

export class ToolStrip {
  constructor(editor) {
    this.session = editor.session;
    this.words = h("span", { class: "tool-words" });
    this.numbers = h("span", { class: "tool-fields" });
    this.more = h("span", { class: "tool-fields" });
    this.element = h("div", { class: "tool-strip float", role: "group", "aria-label": "Numbers of the tool", hidden: true }, this.words, this.numbers, this.more);
    this.fields = {};
    for (const [name, unit] of [["length", "m"], ["angle", "°"], ["x", "m"], ["y", "m"], ["z", "m"]]) this.fields[name] = this.field(name, unit);
    this.numbers.append(...Object.values(this.fields).map(each => each.row));
    editor.view.element.append(this.element);
    editor.session.changed.add(() => this.show());
  }

  field(name, unit) {
    const { session } = this, input = h("input", { type: "text", inputmode: "decimal", class: "number", "data-type": name, "aria-label": `${name} [${unit}]`, spellcheck: "false", autocomplete: "off" });
    let given = [], kept = null; // the names that this field gave, in the numbers of which point
    input.addEventListener("input", () => {
      const { numbers, wrong } = this.read(name, unit, input.value), before = session.typed === kept ? given : [name];
      input.toggleAttribute("aria-invalid", Boolean(wrong));
      input.wrong = wrong;
      session.type(numbers, before);
      given = Object.keys(numbers);
      kept = session.typed;
    });
    input.addEventListener("keydown", e => this.key(e, input));
    input.addEventListener("blur", () => { this.refused(input); this.drop(input); this.show(); });
    return { input, unit, row: h("label", {}, name, input, h("span", { class: "unit" }, unit)) };
  }

  /** What a text in a field means: numbers by name, of a point that was typed into one field x, z (in space x, y, z), or what is wrong. */
  read(name, unit, text) {
    const parts = listedNumbers(text), { planar } = this.session.drawing, wrong = why => ({ numbers: {}, wrong: `${name}: '${text.trim()}' ${why}` });
    if (parts.length === 1) {
      const value = typedNumber(text, unit);
      if (Number.isNaN(value)) return wrong("is no number; type one such as 0.25, also with a unit, or a point as 0.35, 0.2.");
      return { numbers: value === undefined ? {} : { [name]: value } };
    }
    const values = parts.map(each => each ? typedNumber(each, "m") : NaN);
    if (values.some(Number.isNaN)) return wrong("is no point: each of its numbers is one such as 0.25, also with a unit.");
    if (planar && values.length === 2) return { numbers: { x: values[0], z: values[1] } };
    if (values.length !== 3) return wrong(planar ? "is no point of the plane: give x and z." : "is no point of space: give x, y and z.");
    if (planar && values[1]) return wrong("is no point of the plane: its y is 0.");
    return { numbers: { x: values[0], ...(!planar && { y: values[1] }), z: values[2] } };
  }

  /** Tells what is wrong in a field. */
  refused(input) {
    if (input.wrong) this.session.editor.bench.note(input.wrong, "bad");
    return Boolean(input.wrong);
  }

  drop(input) {
    input.value = input.wrong = "";
    input.removeAttribute("aria-invalid");
  }

  key(e, input) {
    e.stopPropagation();
    if ((e.key === "Enter" || e.key === "Tab") && this.refused(input)) { // it stays, to be mended
      e.preventDefault();
    } else if (e.key === "Enter") {
      e.preventDefault();
      this.drop(input);
      this.session.place(e);
      this.session.view.canvas.focus();
    } else if (e.key === "Escape") {
      this.drop(input);
      this.session.typed = {};
      this.session.view.canvas.focus();
      this.session.aim();
    }
  }

  /** To the first field that can be typed now. */
  focus() { Object.values(this.fields).find(({ row }) => !row.hidden)?.input.focus(); }

  show() {
    const { session } = this, { tool, points, cursor, plane, drawing } = session;
    this.element.hidden = !session.drawn;
    if (this.element.hidden) return;
    this.words.textContent = tool.hint[Math.min(points.length, tool.hint.length - 1)];
    const from = points.at(-1), [length, angle] = from ? plane.polar(from, cursor.point) : [0, 0], [x, y, z] = cursor.point;
    const now = { length, angle: angle * 180 / Math.PI, x, y, z };
    for (const [name, { input, row }] of Object.entries(this.fields)) {
      row.hidden = (name === "y" && drawing.planar) || (!from && (name === "length" || name === "angle"));
      input.placeholder = String(Number(now[name].toPrecision(5)));
      if (document.activeElement !== input) input.value = name in session.typed ? input.placeholder : "";
    }
    this.build();
  }

  /** Options of the tool, built anew when it is another one. */
  build() {
    const { session } = this, key = JSON.stringify([session.name, session.own.kind, session.axial, session.axis, session.drawing.planar, session.plane.name]);
    if (key === this.built) return;
    this.built = key;
    const rows = Object.entries(session.tool.options || {}).map(([name, option]) => option.choices ? this.choice(name, option.choices) : this.option(name, option));
    if (session.own.kind === "screw") rows.push(this.option("pitch", { unit: "m", value: 0.01 }));
    if (session.axial) rows.push(this.buttons("Axis", session.drawing.planar ? [["x", "X"], ["z", "Z"], ["line", "line"]] : [["x", "X"], ["y", "Y"], ["z", "Z"], ["n", "normal"], ["line", "line"]], session.axis, axis => session.setAxis(axis)), this.typedAxis());
    if (!session.drawing.planar) rows.push(this.buttons("Plane across", [["x", "X"], ["y", "Y"], ["z", "Z"]], session.plane.name, name => session.setNormal(name)));
    this.more.replaceChildren(...rows);
  }

  choice(name, choices) { return choice(name, Object.entries(choices), this.session.own[name], value => this.session.setOption(name, value), { "data-option": name }); }

  option(name, { unit = "", text }) {
    const { session } = this, input = h("input", { type: "text", class: "number", "data-option": name, "aria-label": `${name} [${unit}]`, value: session.own[name] ?? "", placeholder: text || "", spellcheck: "false" });
    input.addEventListener("change", () => {
      const value = text ? input.value.trim() : Number(input.value.replaceAll("−", "-").replace(",", "."));
      const wrong = !text && !Number.isFinite(value);
      input.toggleAttribute("aria-invalid", wrong);
      if (wrong) session.editor.bench.note(notFinite(name, input.value).message, "bad"); else session.setOption(name, value);
    });
    input.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Enter" || e.key === "Escape") { input.blur(); session.view.canvas.focus(); } });
    return h("label", {}, name, input, h("span", { class: "unit" }, unit));
  }

  typedAxis() {
    const { session } = this, input = h("input", { type: "text", class: "number axis", "data-option": "axis", "aria-label": "axis x y z", placeholder: "x y z", spellcheck: "false", value: Array.isArray(session.axis) ? session.axis.join(" ") : "" });
    input.addEventListener("change", () => {
      const v = input.value.trim().split(/[\s,;]+/).map(Number), good = v.length === 3 && v.every(Number.isFinite) && v.some(x => x);
      input.toggleAttribute("aria-invalid", !good);
      if (good) session.setAxis(v); else session.editor.bench.note(`axis: '${input.value.trim()}' is no direction; give x y z, not all 0.`, "bad");
    });
    input.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Enter" || e.key === "Escape") { input.blur(); session.view.canvas.focus(); } });
    return input;
  }

  buttons(label, all, chosen, take) {
    return h("span", { class: "tool-choice", role: "group", "aria-label": label }, label, ...all.map(([value, words]) => h("button", { type: "button", class: "plain small", "aria-pressed": String(value === chosen), "data-choice": value,
      onclick: () => { take(value); this.session.view.canvas.focus(); } }, words)));
  }
}

/** The toolbar at the left edge. */
export function toolbar(editor) {
  const { session } = editor, buttons = Object.entries(TOOLS).map(([name, { label, icon, key }]) => {
    const svg = h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: icon }));
    return h("button", { type: "button", class: "plain", "data-draw": name, "aria-label": label, title: `${label} (${key})`, "aria-pressed": "false", onclick: () => { session.choose(name); editor.view.canvas.focus(); } }, svg, h("kbd", { "aria-hidden": "true" }, key));
  });
  const element = h("div", { class: "draw-tools float", role: "toolbar", "aria-label": "Draw" }, ...buttons);
  session.changed.add(() => { for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.draw === session.name)); });
  editor.view.element.append(element);
  return element;
}
