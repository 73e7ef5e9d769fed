// What all play pages share: the wire, light and dark, messages to the person, ways to the other pages.
import { showDisconnected } from "/disconnected_notice.js";
import { storage } from "/browser_storage.js";
import { connect } from "/server_connection.js";

export const $ = id => document.getElementById(id);

/** An element with properties and children; `class` and `text` are short for the usual ones. */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Shows a text for some seconds, longer when something is wrong. */
export function note(text, kind = "") {
  const box = make("div", { class: `note ${kind}` }, make("span", { text }));
  box.append(make("button", { text: "✕", "aria-label": "close this message", onclick: () => box.remove() }));
  $("notes").append(box);
  while ($("notes").children.length > 3) $("notes").firstChild.remove();
  setTimeout(() => box.remove(), kind === "bad" ? 12000 : 5000);
}

function paintTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = storage.getItem("touchback theme") || (dark ? "dark" : "light");
  dispatchEvent(new Event("themechange"));
}

/** The header of a page: title, state, links to the other pages; then the connection to its run. */
export function begin(title) {
  paintTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintTheme);
  document.body.append(make("div", { id: "notes", role: "log", "aria-live": "polite", "aria-label": "Messages" }));
  const state = make("span", { id: "state", class: "pill", role: "status", text: "connecting" });
  const theme = make("button", { class: "plain", "aria-label": "Light or dark", title: "Light or dark", text: "◐" });
  theme.onclick = () => {
    storage.setItem("touchback theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    paintTheme();
  };
  // After a click by a pointer the space bar plays, and doesn't press the same button again.
  addEventListener("click", event => { if (event.detail) event.target.closest?.("button")?.blur(); });
  const bench = connect();
  bench.try = message => bench.send(message).catch(error => { note(error.message, "bad"); return null; });
  const links = make("nav", { "aria-label": "Other pages" });
  for (const [what, name] of [["piano", "Piano"], ["wall", "Wall"], ["trial", "Blind trial"], ["zoo", "Mechanisms"]]) {
    const link = make("button", { class: "plain", text: name });
    if (name === title || document.body.dataset.page === what) link.setAttribute("aria-current", "page");
    else link.onclick = () => visit(bench, what);
    links.append(link);
  }
  const header = document.querySelector("header"), own = [...header.children].filter(each => each.matches("div, button"));
  header.append(state, links, theme);
  showDisconnected(bench, document.body, [document.querySelector("main"), links, ...own]);
  bench.on("open", () => { state.textContent = "connected"; state.dataset.state = "running"; });
  bench.on("closed", ({ reason }) => { state.textContent = reason || "not connected"; state.dataset.state = "closed"; });
  bench.on("status", status => {
    state.dataset.state = status.held ? "held" : "running";
    state.textContent = status.held ? "held" : "live";
  });
  bench.on("log", ({ text, bad }) => note(text, bad ? "bad" : ""));
  return bench;
}

/** Goes to another page of this server, which opens its run unless it is open. */
export async function visit(bench, what) {
  note(`Opening ${what.replace("gallery/", "")} …`);
  const found = await bench.try({ do: "visit", what });
  if (found) location.href = found.url.replace(/^https?:\/\/[^/]+/, location.origin);
}

/** Words on a canvas that a curve behind them doesn't strike through. */
export function label(context, text, x, y) {
  context.save();
  context.strokeStyle = colour("--panel");
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeText(text, x, y);
  context.fillStyle = colour("--soft");
  context.fillText(text, x, y);
  context.restore();
}

/** A value of the style by its name, such as "--accent". */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}
const colours = new Map(); // asked once: each question would have the browser lay out anew
addEventListener("themechange", () => colours.clear(), { capture: true });

/** A canvas that keeps the size of its box; `draw(context, width, height)` is called once a frame while asked for. */
export function canvasOf(element, draw) {
  const canvas = element.querySelector("canvas"), context = canvas.getContext("2d");
  let asked = false, width = 1, height = 1;
  new ResizeObserver(([entry]) => { ({ width, height } = entry.contentRect); ask(); }).observe(canvas.parentElement);
  const paint = () => {
    asked = false;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  const ask = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
  addEventListener("themechange", ask);
  ask();
  return ask;
}
