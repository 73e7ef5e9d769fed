// Numbers to type: with a unit, sent when they are complete, put back when they are refused.
import { h, short } from "./dom.js";

/** A labelled number; `send(x)` may fail with a text. With `free` nothing may stand there, and means that number. */
export function number(label, unit, value, send, { free, ...more } = {}) {
  const show = x => free !== undefined && Math.abs(x) >= FAR ? "" : shown(x);
  const input = h("input", { type: "text", inputmode: "decimal", class: "number", "aria-label": `${label} [${unit}]`, value: show(value), spellcheck: "false",
    ...(free !== undefined && { placeholder: "free", title: "empty: free" }), ...more });
  let last = value;
  const take = async () => {
    delete input.dataset.typed;
    const typed = free !== undefined && /^\s*(free)?\s*$/i.test(input.value) ? free : read(input.value);
    if (Math.abs(typed) >= FAR && Math.abs(last) >= FAR) { input.value = show(typed); return; }
    if (typed === last || (typed !== typed && last !== last)) return;
    if (Number.isNaN(typed) || (free === undefined && !Number.isFinite(typed))) { input.setAttribute("aria-invalid", "true"); if (input.value.trim()) fail(input, notFinite(label, input.value)); return; }
    input.removeAttribute("aria-invalid");
    const before = last;
    last = typed; // at once: leaving the field after Enter isn't another change
    try { await send(typed); } catch (error) { last = before; input.value = show(before); fail(input, error); }
  };
  input.addEventListener("input", () => { input.dataset.typed = "yes"; });
  input.addEventListener("change", take);
  input.addEventListener("keydown", e => { if (e.key === "Enter") take(); e.stopPropagation(); });
  const row = h("label", { class: "field" }, h("span", {}, label), input, h("span", { class: "unit" }, unit));
  row.refresh = x => { last = x; if (document.activeElement !== input) input.value = show(x); };
  return row;
}

/** Three numbers in a row. */
export function triple(label, unit, values, send) {
  const now = [...values], cells = ["x", "y", "z"].map((axis, i) => {
    const field = number(`${label} ${axis}`, unit, values[i], x => { now[i] = x; return send([...now]); });
    field.firstChild.remove(); field.lastChild.remove();
    return field;
  });
  const row = h("div", { class: "triple", role: "group", "aria-label": label }, h("span", {}, label), ...cells, h("span", { class: "unit" }, unit));
  row.refresh = list => list.forEach((x, i) => { now[i] = x; cells[i].refresh(x); });
  return row;
}

export function choice(label, options, value, send, more = {}) {
  const box = h("select", { "aria-label": label, onchange: () => send(box.value), ...more }, ...options.map(([key, words]) => h("option", { value: key }, words)));
  box.value = value;
  const row = h("label", { class: "field" }, h("span", {}, label), box);
  row.refresh = x => { box.value = x; };
  return row;
}

export const act = (label, name, onclick, more = {}) => h("button", { type: "button", "data-act": name, onclick, ...more }, label);
export const fact = (name, text) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, text));
export const vector = v => v.map(x => short(x, 3)).join("  ");

export const FAR = 1e9; // rad or m: a stop that far is none
const shown = x => x >= FAR ? "∞" : x <= -FAR ? "−∞" : short(x, 5);
export function read(text) {
  const plain = text.trim().replaceAll("−", "-").replace(",", ".");
  if (/^[-+]?(∞|inf)/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  return plain === "" || !Number.isFinite(Number(plain)) ? NaN : Number(plain);
}

/** What is said of a text that is no number, or a larger one than there are. */
export const notFinite = (label, text) => new Error(`${label}: '${text.trim()}' is no finite number; give one such as 0.25.`);

/** The text of a refusal, under what was typed. */
export function fail(near, error) {
  const row = near.closest(".field, .triple, .row") || near, after = row.nextElementSibling;
  if (after?.classList.contains("refusal")) after.remove();
  const told = h("p", { class: "refusal bad small", role: "alert" }, error.message);
  row.after(told);
  setTimeout(() => told.remove(), 12000);
}
