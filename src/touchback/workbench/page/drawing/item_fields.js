// The inspector of a drawing: every number of the chosen item, as the document has it, to type or to make a parameter of;
// with nothing chosen the world: gravity, parameters.
import { h, short } from "../dom.js";
import { act, fail, notFinite, read, triple } from "../number_fields.js";
import { asItem, sameItem } from "./drawing_document.js";

const NAMES = new Set(["kind", "body", "parent", "child", "frame", "a", "b", "joint", "first", "second", "plane", "through", "control", "on", "shape", "solid"]);
const MORE = { joints: ["position", "damping"], closures: [], bodies: [], springs: [] }; // numbers that an item may have and doesn't yet
const UNITS = { mass: "kg", com: "m", inertia: "kg m²", at: "m", size: "m", radius: "m", width: "m", depth: "m", length: "m", stiffness: "N/m", gravity: "m/s²", density: "kg/m³", thickness: "m" };
const plainNumber = text => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);

/** A number in a few digits, for a narrow field. */
function brief(value) {
  if (typeof value !== "number" || !value) return String(value ?? "");
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(5))) : value.toExponential(2).replace(/\.?0+e/, "e");
}

/** A value to type: a number or an expression of parameters; `p` makes a parameter of it. */
function valueField(editor, item, path, value, label, unit = "") {
  const input = h("input", { type: "text", class: "number", "aria-label": `${path.slice(2).join(" ")} of ${item.name}`, "data-path": path.join("/"), value: brief(value), spellcheck: "false", autocomplete: "off" });
  let last = String(value ?? ""), seen = brief(value);
  const take = async () => {
    const text = input.value.trim().replaceAll("−", "-"), decimal = text.replace(",", ".");
    if (text === last || text === seen || text === "") return;
    const number = plainNumber(decimal);
    if (number && !Number.isFinite(Number(decimal))) { input.value = seen; fail(input, notFinite(label || path.at(-1), text)); return; }
    const before = last;
    last = text;
    try { await editor.drawing.ask("set", { path, value: number ? Number(decimal) : text }); } catch (error) { input.value = last = before; fail(input, error); }
  };
  input.addEventListener("change", take);
  input.addEventListener("focus", () => { if (input.value === seen) input.value = last; }); // all digits, to be typed over
  input.addEventListener("blur", () => { if (input.value === last || !input.value.trim()) input.value = seen; });
  input.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Enter") take(); if (e.key === "Escape") { input.value = last; input.blur(); } });
  const isNumber = typeof value === "number";
  const parameter = isNumber && h("button", { type: "button", class: "plain small make", title: "Make it a parameter", "aria-label": `make ${path.slice(2).join(" ")} a parameter`, onclick: () => row.after(parameterForm(editor, item, path, Number(last), unit)) }, "p");
  const row = h("label", { class: "field drawn" }, h("span", {}, label), input, parameter || h("span", { class: "unit" }, unit));
  row.refresh = fresh => { last = String(fresh ?? ""); seen = brief(fresh); if (document.activeElement !== input) input.value = seen; };
  return row;
}

/** Asks for name, range and unit of a parameter to be. */
function parameterForm(editor, item, path, value, unit) {
  const fields = {}, text = (key, start) => h("label", { class: "field" }, h("span", {}, key), fields[key] = h("input", { type: "text", value: start, "aria-label": `parameter ${key}`, spellcheck: "false" }));
  const form = h("form", { class: "parameter-form", onsubmit: async e => {
    e.preventDefault();
    const { name, min, max, unit: measured } = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.value.trim()])), range = {};
    for (const [key, given] of [["min", min], ["max", max]]) {
      if (given) range[key] = read(given);
      if (given && !Number.isFinite(range[key])) { fail(fields[key], notFinite(key, given)); return; }
    }
    try { await editor.drawing.ask("parameter", { path, name, ...range, ...(measured && { unit: measured }) }); form.remove(); } catch (error) { fail(fields.name, error); }
  } }, text("name", `${item.name} ${path.filter(x => typeof x === "string").at(-1)}`), text("min", value > 0 ? short(value / 2) : ""), text("max", value > 0 ? short(2 * value) : ""), text("unit", unit),
  h("div", { class: "row" }, h("button", { class: "first", "data-act": "parameter" }, "Make it a parameter"), act("Leave it", "leave", () => form.remove())));
  form.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Escape") form.remove(); });
  setTimeout(() => fields.name.select());
  return form;
}

/** Rows for all that a value of the document holds. */
function rows(editor, item, path, key, value) {
  const label = String(key), unit = UNITS[key] || "";
  if (typeof value === "number") return [valueField(editor, item, path, value, label, unit)];
  if (typeof value === "boolean") return [h("label", { class: "field" }, h("span", {}, label), h("input", { type: "checkbox", "data-path": path.join("/"), ...(value && { checked: true }), onchange: e => editor.drawing.send("set", { path, value: e.target.checked }) }))];
  if (typeof value === "string") {
    if (/^#[0-9a-f]{6}$/i.test(value)) return [colourField(editor, path, value, label)];
    if (NAMES.has(key)) return [h("p", { class: "soft small said" }, `${label}: ${value}`)];
    return [valueField(editor, item, path, value, label, unit)];
  }
  if (Array.isArray(value) && value.length > 12) return [h("p", { class: "soft small said" }, `${label}: ${value.length} entries`)];
  if (Array.isArray(value) && value.every(each => typeof each !== "object")) {
    const cells = value.map((each, i) => { const cell = valueField(editor, item, [...path, i], each, `${label} ${i + 1}`, ""); cell.firstChild.remove(); return cell; });
    return [h("div", { class: "cells", role: "group", "aria-label": label }, h("span", {}, unit ? `${label} [${unit}]` : label), ...cells)];
  }
  if (Array.isArray(value)) return value.flatMap((each, i) => rows(editor, item, [...path, i], `${label} ${i + 1}`, each));
  if (value && typeof value === "object") return [h("h3", {}, label), ...Object.entries(value).flatMap(([name, each]) => rows(editor, item, [...path, name], name, each))];
  return [];
}

const colourField = (editor, path, value, label = "colour") => h("label", { class: "field" }, h("span", {}, label), h("input", { type: "color", "data-path": path.join("/"), "aria-label": label, value, onchange: e => editor.drawing.send("set", { path, value: e.target.value }) }));

/** The colour that a body has without one of its own. */
const shownColour = (editor, body) => editor.view.world.scene?.shapes.find(each => each.body === body && each.kind !== "line")?.colour || "#9aa0b5";

/** Shape of a value: fields stay while it is the same. */
const shape = value => JSON.stringify(value, (key, each) => typeof each === "number" ? 0 : each);

export function itemPanel(content, editor, chosen) {
  const { drawing } = editor, item = asItem(chosen), list = drawing.find(item);
  if (!list) return null;
  const name = h("input", { type: "text", class: "item-name", "aria-label": "name", value: item.name, spellcheck: "false" }), fields = h("div", {});
  const rename = async () => {
    const to = name.value.trim();
    if (!to || to === item.name) { name.value = item.name; return; }
    try {
      await drawing.ask("rename", { section: item.section, name: item.name, to });
      drawing.choose([{ section: item.section, name: to }]);
    } catch (error) { fail(name, error); name.value = item.name; }
  };
  name.addEventListener("change", rename);
  name.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Enter") name.blur(); if (e.key === "Escape") { name.value = item.name; name.blur(); } });
  const others = h("p", { class: "soft small" });
  const tellOthers = () => {
    const names = drawing.chosen.some(each => sameItem(each, item)) ? drawing.chosen.filter(each => !sameItem(each, item)).map(each => each.name) : [];
    others.textContent = names.length ? `and ${names.join(", ")}` : "";
    others.hidden = !names.length;
  };
  content.append(h("div", { class: "field drawn" }, h("span", { class: "soft" }, chosen.kind), name), others, fields,
    h("div", { class: "row" }, act("Duplicate", "duplicate", () => editor.mover.duplicate()), act("Remove", "remove", () => editor.mover.remove())));
  let built = "";
  const refresh = async () => {
    tellOthers();
    const solids = (drawing.find(item)?.solids || []).map(each => ({ section: "shapes", name: each.name }));
    const answers = await Promise.all([item, ...solids].map(each => drawing.ask("item", each).catch(() => null)));
    if (!answers[0]?.item) return;
    const known = [item, ...solids].map((each, i) => [each, answers[i]?.item]).filter(([, now]) => now), key = shape(known);
    if (key === built) { for (const field of fields.querySelectorAll("[data-path]")) freshen(field, known); return; }
    built = key;
    const optional = (MORE[item.section] || []).filter(each => !(each in answers[0].item)).map(each => valueField(editor, item, [item.section, item.name, each], "", each));
    const own = known.flatMap(([{ section, name: of }, now]) => section === "shapes" ? [...rows(editor, item, [section, of, "solid"], now.solid?.kind || "solid", now.solid), colourField(editor, [section, of, "colour"], now.colour || shownColour(editor, item.name))]
      : Object.entries(now).flatMap(([each, value]) => rows(editor, item, [section, of, each], each, value)));
    fields.replaceChildren(...own, ...optional);
  };
  drawing.changed.add(refresh);
  refresh();
  return { refresh() {}, end: () => drawing.changed.delete(refresh), rename: () => name.select() };
}

/** Puts the number of a path into its field. */
function freshen(field, known) {
  const [section, name, ...path] = field.dataset.path.split("/"), [, now] = known.find(([each]) => each.section === section && each.name === name) || [];
  const value = path.reduce((at, key) => at?.[key], now);
  if (value === undefined) return;
  const row = field.closest(".drawn");
  if (row?.refresh) row.refresh(value); else if (field.type === "checkbox") field.checked = value; else field.value = value;
}

/** What isn't an item: gravity, parameters with their ranges, how to begin. */
export function worldPanel(content, editor) {
  const { drawing } = editor, list = h("div", {}), words = h("p", { class: "soft" });
  const gravity = triple("gravity", "m/s²", drawing.told.gravity || [0, 0, 0], value => drawing.ask("gravity", { value }));
  content.append(words, gravity, list);
  let built = "";
  const refresh = () => {
    const { parameters, bodies, gravity: now, space } = drawing.told;
    words.textContent = bodies.length ? `${bodies.length} ${bodies.length === 1 ? "body" : "bodies"} ${space ? "in space" : "in the plane"}. Click one to see its numbers; Shift chooses more.`
      : "An empty page. B draws a bar, J joins bars where they lie over each other, G joins one to the ground; Space plays. ? shows all keys.";
    if (now) gravity.refresh(now);
    const key = JSON.stringify(parameters.map(each => [each.name, each.unit, each.min, each.max, each.default]));
    if (key === built || list.contains(document.activeElement)) return;
    built = key;
    list.replaceChildren(...parameters.flatMap(each => parameterRows(editor, each)));
  };
  drawing.changed.add(refresh);
  refresh();
  return { refresh() {}, end: () => drawing.changed.delete(refresh) };
}

function parameterRows(editor, { name, unit, min, max, default: value }) {
  const item = { section: "parameters", name }, field = (key, now) => valueField(editor, item, ["parameters", name, key], now ?? "", key, key === "default" ? unit : "");
  const fields = [["default", value], ["min", min], ["max", max]].map(([key, now]) => { const row = field(key, now); row.querySelector(".make")?.replaceWith(h("span", { class: "unit" }, unit || "")); return row; });
  return [h("h3", {}, name), ...fields, h("div", { class: "row" }, act("Remove", "remove parameter", () => editor.drawing.send("remove", { items: [item] })))];
}
