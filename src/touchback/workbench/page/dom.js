// Elements in one call, and sending what is newest.
const SVG = "http://www.w3.org/2000/svg";
const SVGS = new Set(["svg", "g", "path", "line", "circle", "polygon", "polyline", "text", "rect"]);

/** An element: properties that start with "on" are listeners, the others attributes; children are nodes or texts. */
export function h(tag, properties = {}, ...children) {
  const made = SVGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(made, properties);
  made.append(...children.flat().filter(each => each !== null && each !== undefined && each !== false));
  return made;
}

export function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

/** Makes `wanted` an element's children; those that are among them already aren't taken out, which would end a drag and the focus. */
export function arrange(element, wanted) {
  const stay = new Set(wanted);
  for (const each of [...element.children]) if (!stay.has(each)) each.remove();
  wanted.forEach((each, k) => { if (element.children[k] !== each) element.insertBefore(each, element.children[k] ?? null); });
}

/** A button with a drawing of 20 × 20, its name for those who can't see it, and its key. */
export function tool(label, path, key, onclick, more = {}) {
  const svg = h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: path }));
  return h("button", { type: "button", class: "plain", "aria-label": label, title: key ? `${label} (${key})` : label, onclick, ...more }, svg);
}

/** Sends one message at a time, always the newest: what came in between is forgotten. */
export function sendNewest(send) {
  let waiting = null, busy = false;
  const next = async () => {
    if (busy || waiting === null) return;
    const message = waiting;
    waiting = null;
    busy = true;
    try { await send(message); } finally { busy = false; next(); }
  };
  return message => { waiting = message; next(); };
}

/** A number as people read it: so many digits that matter, with a power of ten where it is large or small. */
export function short(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x), far = size >= 10 ** Math.max(5, digits) || (size < 1e-4 && size > 0);
  return (far ? x.toExponential(Math.max(2, digits - 2)) : String(Number(x.toPrecision(digits)))).replaceAll("-", "−");
}

/** So many decimals; no zero has a sign, and a dash stands where there is no number. */
export const fixed = (x, places) => Number.isFinite(x) ? x.toFixed(places).replace(/^-(0\.?0*)$/, "$1") : "—";

/** A force with its unit. */
export const newtons = x => {
  const size = Math.abs(x);
  return size < 0.1 && size > 0 ? `${short(1000 * x, 3)} mN` : size >= 1e4 ? `${short(x / 1000, 3)} kN` : `${short(x, 3)} N`;
};
