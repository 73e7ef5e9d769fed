// Where the panels of the page are, how large, which are open and which folded: dragged, or moved by keys, kept by the browser,
// told and taken as plain data.
import { kept, storage } from "./browser_storage.js";
import { h } from "./dom.js";
import { arePanels } from "./look_link.js";

const KEY = "touchback layout", root = document.documentElement;
const ROOMS = ["left", "bottom", "right"].filter(name => document.querySelector(`[data-panel="${name}"]`)), SIDES = ROOMS.filter(name => name !== "bottom");
const NAMES = { left: "Width of the left side", right: "Width of the right side", bottom: "Height of the scopes" };
const LEAST = { left: 200, right: 220, bottom: 110 }, STEP = 16, GRAB = 5; // px
const medium = matchMedia("(max-width: 1180px)"), small = matchMedia("(max-width: 719px)");
const ALONE = { wide: [], medium: SIDES, small: ROOMS }; // of which one is open at a time
const USUAL = { wide: ROOMS, medium: ["bottom"], small: [] }; // which are open, unless somebody chose otherwise

export class PanelLayout {
  constructor() {
    this.chosen = { wide: {}, medium: {}, small: {} };
    this.sizes = {};
    this.main = document.querySelector("main");
    this.panels = new Map([...document.querySelectorAll(".panel")].map(panel => [panel.querySelector(":scope > div").id, panel]));
    this.usual = this.told();
    for (const each of ROOMS) this.edge(each);
    for (const panel of this.panels.values()) this.listen(panel);
    for (const button of document.querySelectorAll("[data-panel]")) button.onclick = () => this.choose(button.dataset.panel, root.dataset[button.dataset.panel] === "closed");
    for (const query of [medium, small]) query.addEventListener("change", () => this.open());
    addEventListener("keydown", e => {
      if (e.target.closest("input, textarea, select, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
      const name = { 1: "left", 2: "bottom", 3: "right" }[e.key];
      if (name) this.choose(name, root.dataset[name] === "closed");
    });
    this.take(kept(KEY, {}, arePanels));
    this.kept = true;
  }

  get screen() { return small.matches ? "small" : medium.matches ? "medium" : "wide"; }

  // ---- as plain data ----
  told() {
    const ids = side => [...this.panels].filter(([, panel]) => panel.parentElement.id === side).map(([id]) => id);
    const inOrder = side => ids(side).sort((a, b) => this.panels.get(a).compareDocumentPosition(this.panels.get(b)) & 4 ? -1 : 1);
    return { open: structuredClone(this.chosen), sizes: { ...this.sizes }, order: Object.fromEntries(SIDES.map(side => [side, inOrder(side)])),
      folded: Object.fromEntries([...this.panels].map(([id, panel]) => [id, !panel.open])) };
  }

  /** Takes what was told; what isn't told, and panels that aren't here, stay as they are. */
  take({ open = {}, sizes = {}, order = {}, folded = {} }) {
    for (const screen of Object.keys(this.chosen)) this.chosen[screen] = Object.fromEntries(ROOMS.filter(name => typeof open[screen]?.[name] === "boolean").map(name => [name, open[screen][name]]));
    this.sizes = Object.fromEntries(ROOMS.filter(name => Number.isFinite(sizes[name])).map(name => [name, sizes[name]]));
    for (const side of SIDES) for (const id of order[side] || []) if (this.panels.has(id)) document.getElementById(side).append(this.panels.get(id));
    for (const [id, panel] of this.panels) if (typeof folded[id] === "boolean") panel.open = !folded[id];
    this.open();
  }

  /** As the page is for somebody who is here for the first time. */
  reset() { this.take(this.usual); this.keep(); }

  keep() { if (this.kept) storage.setItem(KEY, JSON.stringify(this.told())); }

  // ---- open and closed ----
  /** Opens and closes what should be on a screen of this width. */
  open() {
    const chosen = this.chosen[this.screen];
    let alone = false;
    for (const name of ROOMS) {
      const open = chosen[name] ?? USUAL[this.screen].includes(name), one = ALONE[this.screen].includes(name);
      this.show(name, open && !(one && alone));
      alone ||= open && one;
    }
    for (const name of ROOMS) this.size(name);
  }

  show(name, open) {
    root.dataset[name] = open ? "open" : "closed";
    document.querySelector(`[data-panel="${name}"]`).setAttribute("aria-pressed", String(open));
    dispatchEvent(new Event("resize"));
  }

  /** Somebody opens or closes it; where there is room for one of them, the others close. */
  choose(name, open) {
    const chosen = this.chosen[this.screen], others = ALONE[this.screen];
    if (open && others.includes(name)) for (const each of others) if (each !== name) { chosen[each] = false; this.show(each, false); }
    chosen[name] = open;
    this.show(name, open);
    this.keep();
  }

  /** Closes all that nobody opened on a screen of this width. */
  closeUnchosen() { for (const name of ROOMS) if (!(name in this.chosen[this.screen])) this.show(name, false); }

  // ---- sizes ----
  size(name) {
    const wanted = this.sizes[name];
    if (wanted === undefined) root.style.removeProperty(`--${name}`);
    else root.style.setProperty(`--${name}`, `${Math.round(Math.max(LEAST[name], Math.min(wanted, this.most(name))))}px`);
    dispatchEvent(new Event("resize"));
  }

  most(name) { return name === "bottom" ? 0.65 * this.main.clientHeight : 0.45 * this.main.clientWidth; }

  resize(name, size) {
    if (size === undefined) delete this.sizes[name];
    else this.sizes[name] = Math.round(Math.max(LEAST[name], Math.min(size, this.most(name))));
    this.size(name);
    this.keep();
  }

  /** The edge that is dragged, or moved by arrow keys; a double click brings the usual size back. */
  edge(name) {
    const room = document.getElementById(name), upright = name !== "bottom", sign = name === "left" ? 1 : -1;
    const now = () => upright ? room.offsetWidth : room.offsetHeight;
    const edge = h("div", { class: "edge", "data-edge": name, role: "separator", tabindex: 0, "aria-label": NAMES[name], "aria-orientation": upright ? "vertical" : "horizontal",
      title: `${NAMES[name]}: drag, or arrow keys; double click: as usual`,
      onpointerdown: e => {
        const begin = { at: upright ? e.clientX : e.clientY, size: now() };
        edge.setPointerCapture(e.pointerId);
        e.preventDefault();
        edge.onpointermove = e => this.resize(name, begin.size + sign * ((upright ? e.clientX : e.clientY) - begin.at));
        edge.onpointerup = edge.onpointercancel = () => { edge.onpointermove = null; };
      },
      ondblclick: () => this.resize(name),
      onkeydown: e => {
        const way = { ArrowLeft: upright && -sign, ArrowRight: upright && sign, ArrowUp: !upright && 1, ArrowDown: !upright && -1 }[e.key];
        if (way) { e.preventDefault(); this.resize(name, now() + way * STEP); }
      } });
    this.main.append(edge);
  }

  // ---- places ----
  /** A panel that is moved by its grip, or by Alt and arrow keys; its place is kept, and whether it is folded. */
  listen(panel) {
    const summary = panel.querySelector("summary"), grip = h("span", { class: "grip", title: "Move this panel: drag, or Alt and arrow keys", "aria-hidden": "true" }, "⠿");
    summary.prepend(grip);
    panel.addEventListener("toggle", () => this.keep());
    grip.addEventListener("click", e => e.preventDefault());
    grip.addEventListener("pointerdown", e => {
      e.preventDefault();
      const start = [e.clientX, e.clientY], stop = new AbortController(), { signal } = stop;
      addEventListener("pointermove", e => {
        if (!panel.classList.contains("moving") && Math.hypot(e.clientX - start[0], e.clientY - start[1]) < GRAB) return;
        panel.classList.add("moving");
        this.put(panel, e.clientX, e.clientY);
      }, { signal });
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { stop.abort(); panel.classList.remove("moving"); this.keep(); }, { signal });
    });
    summary.addEventListener("keydown", e => {
      if (!e.altKey || !e.key.startsWith("Arrow")) return;
      e.preventDefault();
      const seen = each => each && (each.checkVisibility() ? each : null), others = way => { let next = panel[way]; while (next && !seen(next)) next = next[way]; return next; };
      if (e.key === "ArrowUp") others("previousElementSibling")?.before(panel);
      else if (e.key === "ArrowDown") others("nextElementSibling")?.after(panel);
      else { const side = document.getElementById(e.key === "ArrowLeft" ? "left" : "right"); if (panel.parentElement !== side && side.checkVisibility()) side.append(panel); }
      summary.focus();
      this.keep();
    });
  }

  /** Puts a panel where the pointer is, among those of the side there. */
  put(panel, x, y) {
    const side = SIDES.map(id => document.getElementById(id)).find(each => { const box = each.getBoundingClientRect(); return box.width && x >= box.left && x <= box.right; });
    if (!side) return;
    const below = [...side.querySelectorAll(":scope > .panel")].find(each => each !== panel && each.checkVisibility() && y < each.getBoundingClientRect().top + Math.min(60, each.offsetHeight / 2));
    const before = below || null;
    if (panel.parentElement !== side || panel.nextElementSibling !== before) side.insertBefore(panel, before);
  }
}
