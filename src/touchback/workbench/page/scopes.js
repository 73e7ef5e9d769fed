// Scopes: as many as wanted side by side, each over time, one trace against another, or a spectrum.
// Which there are and what they show is kept by the browser, for each mechanism.
import { isList, isRecord, kept as keptAs, storage } from "./browser_storage.js";
import { TimeScope } from "./scope_time.js";
import { XYScope } from "./scope_xy.js";
import { SpectrumScope } from "./scope_spectrum.js";
import { make, pickSignal, throttled } from "./scope_widgets.js";

const KINDS = { time: TimeScope, xy: XYScope, spectrum: SpectrumScope };
const NAMES = { time: "over time", xy: "X–Y", spectrum: "spectrum" };
const LEAST = 190; // px of a scope's width
const MOST = 6, NUMBERS = 255; // of scopes; of subscriptions, as many as the wire tells apart

const isLength = x => x === undefined || x === null || (Number.isFinite(x) && x > 0), isText = x => typeof x === "string";
const isScope = x => isRecord(x) && Object.hasOwn(KINDS, x.kind) && isList(x.signals ?? [], isText) && [x.span, x.trail, x.seconds, x.wide].every(isLength)
  && Number.isFinite(x.shift ?? 0) && isText(x.overlay ?? "") && isText(x.window ?? "");

export function mount(element, bench) {
  const list = make("div", { className: "scope-list" });
  const add = make("button", { type: "button", className: "scope-add plain", textContent: "+", title: "Another scope", ariaLabel: "Another scope" });
  element.append(list, add);
  const scopes = new Scopes(list, bench);
  add.onclick = () => scopes.add({ kind: "time", signals: [] }, true);
  bench.scopes = scopes;
  return scopes;
}

class Scopes {
  constructor(list, bench) {
    this.list = list;
    this.bench = bench;
    this.panes = [];
    this.signals = {}; // units by name
    this.subscribed = 0;
    bench.on("scene", scene => this.begin(scene));
    bench.on("open", () => { for (const pane of this.panes) pane.scope?.connect?.(); });
    bench.on("rows", frame => this.panes.find(pane => pane.scope?.subscription === frame.subscription)?.scope.rows(frame));
    bench.on("recorded", () => { for (const pane of this.panes) if (pane.layout.kind === "time") { Object.assign(pane.scope, { end_: null, detail: null, span: pane.layout.span || 10 }); pane.scope.moved(); } });
    addEventListener("themechange", () => this.draw());
    addEventListener("resize", () => this.draw());
    let last = 0;
    const frame = now => { // 30 pictures a second do, and leave the rest to the mechanism's
      if (now - last > 30 && list.checkVisibility()) { last = now; for (const pane of this.panes) pane.scope?.frame?.(); }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** A number that no scope had lately: what is still on its way for another must not be taken for one's own. */
  subscribe() { return this.subscribed = this.subscribed % NUMBERS + 1; }

  draw() { for (const pane of this.panes) if (pane.scope) pane.scope.dirty = true; }

  /** Another structure, or the first one: its signals; and the scopes that this mechanism had. */
  async begin(scene) {
    if (scene.structure === this.structure && scene.title === this.mechanism) return;
    this.structure = scene.structure;
    const known = await this.bench.send({ do: "signals" }).catch(() => null);
    if (known) this.signals = known.signals;
    const mechanism = scene.title, unplayed = this.unplayed;
    this.unplayed = !known; // of a drawing at rest
    if (this.unplayed && mechanism === this.mechanism) return;
    if (mechanism === this.mechanism && !(unplayed && this.panes.every(each => !each.layout.signals.length))) {
      for (const pane of this.panes) { pane.paintBar(); pane.settle().then(anew => anew || pane.scope.connect?.()); }
      return;
    }
    this.mechanism = mechanism;
    const kept = keptAs(this.key, [], x => isList(x, isScope));
    this.put(kept.some(each => each.signals?.length || each.kind !== "time") ? kept : null);
  }

  /** These scopes and no others; null: those that a new mechanism shows. */
  put(layouts) {
    for (const pane of [...this.panes]) this.remove(pane, false);
    for (const each of layouts || this.bench.layouts || [this.usual(this.bench.scene)]) this.add(each);
  }

  /** What all of them show, as plain data. */
  told() { return this.panes.map(pane => ({ ...pane.layout })); }

  /** Those of a layout that was told. */
  take(layouts) { this.put(layouts); this.keep(); }

  get key() { return `touchback scopes ${this.mechanism}`; }

  /** What a new mechanism shows: its first coordinates that one can read, angles and ways of joints before those of bodies that go
      anywhere, whose quaternions nobody can; without any its energy. */
  usual(scene) {
    const joints = scene.joints || [], known = name => name in this.signals;
    const own = (several, free) => joints.filter(each => (each.kind === "Free") === free && (each.coordinates.length > 1) === several).flatMap(each => each.coordinates).filter(name => known(name) && !/\.q[wxyz]$/.test(name));
    const [one, more, travels] = [own(false, false), own(true, false), own(true, true)];
    const driven = travels.length && scene.seat ? travels : one.length ? one : more.length ? more : travels;
    const rates = joints.flatMap(each => ["x", "y", "z"].map(axis => `${each.name}.w${axis}`)).filter(known);
    return { kind: "time", signals: (driven.length ? driven : rates.length ? rates : ["energy"].filter(known)).slice(0, 2) };
  }

  keep() { storage.setItem(this.key, JSON.stringify(this.told())); }

  /** Moves a scope by so many places. */
  move(pane, way) {
    const at = this.panes.indexOf(pane), to = Math.max(0, Math.min(this.panes.length - 1, at + way));
    if (at === to) return;
    this.panes.splice(to, 0, ...this.panes.splice(at, 1));
    this.list.insertBefore(pane.element, this.panes[to + 1]?.element ?? null);
    this.arrange();
    this.keep();
  }

  /** Widths as they were chosen; the first has no edge at its left. */
  arrange() {
    for (const pane of this.panes) pane.arrange();
    this.draw();
  }

  add(layout, ask = false) {
    if (this.panes.length >= MOST) { this.bench.note?.(`There are ${MOST} scopes already; close one.`); return; }
    const number = [...Array(MOST + 1).keys()].find(k => k && !this.panes.some(pane => pane.number === k));
    const pane = new Pane(this, number, layout);
    this.panes.push(pane);
    this.list.append(pane.element);
    pane.show();
    pane.settle();
    this.keep();
    this.arrange(); // the others have less room now
    if (ask) pane.pick();
  }

  remove(pane, keep = true) {
    pane.scope?.end();
    pane.element.remove();
    this.panes = this.panes.filter(each => each !== pane);
    this.arrange();
    if (keep) this.keep();
  }
}

/** One scope with its bar: what it shows, in which way, and what else it can do. */
class Pane {
  constructor(scopes, number, layout) {
    this.scopes = scopes;
    this.number = number;
    this.layout = { signals: [], ...layout };
    this.element = make("section", { className: "scope", ariaLabel: `Scope ${number}` });
    this.bar = make("div", { className: "scope-bar" });
    this.body = make("div", { className: "scope-body" });
    this.foot = make("div", { className: "scope-foot small" });
    this.edge = this.makeEdge();
    this.element.append(this.edge, this.bar, this.body, this.foot);
    this.found = [];
    this.gone = []; // signals of another structure, which aren't there now
    this.tellValues = throttled(() => this.paintValues(), 150); // as often as numbers can be read; the last ones always
  }

  get bench() { return this.scopes.bench; }
  get units() { return this.scopes.signals; }

  /** What can be drawn: all but signals that are gone. */
  get drawn() { return this.layout.signals.filter(text => !this.gone.includes(text)); }

  /** Finds which signals are gone (what the run doesn't list may be an expression, which it can tell), and shows the others; whether
      the scope was made anew. Nothing can be told of a drawing at rest. */
  async settle() {
    if (this.scopes.unplayed) return false;
    const doubtful = this.layout.signals.filter(text => !(text in this.units));
    const told = await Promise.all(doubtful.map(text => this.bench.send({ do: "past", signals: [text], start: 0, end: 1, buckets: 1 }).then(() => true, () => false)));
    const gone = doubtful.filter((_, k) => !told[k]), anew = gone.join("\n") !== this.gone.join("\n") && this.scopes.panes.includes(this);
    this.gone = gone;
    if (anew) this.show();
    return anew;
  }

  /** Makes the scope anew, of its kind. */
  show() {
    this.scope?.end();
    this.body.replaceChildren();
    this.foot.replaceChildren();
    this.found = [];
    this.scope = new KINDS[this.layout.kind](this);
    this.paintBar();
  }

  /** As wide as was chosen, folded or not. */
  arrange() {
    const { wide, folded = false } = this.layout;
    this.element.classList.toggle("folded", folded);
    this.element.style.flexGrow = folded ? 0 : wide ?? 1;
    this.element.style.flexBasis = !folded && this.scopes.panes.some(each => each.layout.wide) ? "0px" : "";
    this.edge.hidden = this === this.scopes.panes[0];
  }

  /** Folds it to a strip, or unfolds it. */
  fold() {
    this.layout.folded = !this.layout.folded || undefined;
    this.paintBar();
    this.scopes.arrange();
    this.scopes.keep();
  }

  /** The edge to the scope before, which is dragged or moved by arrow keys. */
  makeEdge() {
    const edge = make("div", { className: "scope-edge", tabIndex: 0, role: "separator", ariaLabel: "Width of this scope", title: "Width: drag, or arrow keys; double click: all alike" });
    edge.setAttribute("aria-orientation", "vertical");
    const share = by => { // what one loses the other has; borders and margins aren't shared
      const open = this.scopes.panes.filter(pane => !pane.layout.folded), before = open[open.indexOf(this) - 1];
      if (!before || this.layout.folded) return;
      const free = open.map(({ element }) => { const style = getComputedStyle(element); return element.getBoundingClientRect().width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - parseFloat(style.borderLeftWidth); });
      const mean = free.reduce((sum, each) => sum + each, 0) / open.length, at = open.indexOf(this), way = Math.max(LEAST - free[at - 1], Math.min(free[at] - LEAST, by));
      free[at - 1] += way;
      free[at] -= way;
      open.forEach((pane, k) => { pane.layout.wide = Math.max(0.02, free[k] / mean); });
      this.scopes.arrange();
      this.scopes.keep();
    };
    edge.onpointerdown = e => {
      let at = e.clientX;
      edge.setPointerCapture(e.pointerId);
      e.preventDefault();
      edge.onpointermove = e => { share(e.clientX - at); at = e.clientX; };
      edge.onpointerup = edge.onpointercancel = () => { edge.onpointermove = null; };
    };
    edge.ondblclick = () => { for (const pane of this.scopes.panes) delete pane.layout.wide; this.scopes.arrange(); this.scopes.keep(); };
    edge.onkeydown = e => {
      const way = { ArrowLeft: -16, ArrowRight: 16 }[e.key];
      if (way) { e.preventDefault(); share(way); }
    };
    return edge;
  }

  /** What moves it among the others: drawn by a pointer over another one, or by arrow keys. */
  grip() {
    const grip = make("button", { type: "button", className: "plain grip", textContent: "⠿", title: "Move this scope: drag, or arrow keys", ariaLabel: "Move this scope" });
    grip.onpointerdown = e => {
      e.preventDefault();
      grip.focus();
      const stop = new AbortController(), { signal } = stop;
      addEventListener("pointermove", e => {
        const { panes } = this.scopes, to = panes.findIndex(({ element }) => { const box = element.getBoundingClientRect(); return e.clientX >= box.left && e.clientX < box.right; });
        if (to !== -1 && panes[to] !== this) this.scopes.move(this, to - panes.indexOf(this));
      }, { signal });
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => stop.abort(), { signal });
    };
    grip.onkeydown = e => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (way) { e.preventDefault(); this.scopes.move(this, way); grip.focus(); }
    };
    return grip;
  }

  change(part) {
    Object.assign(this.layout, part);
    this.scopes.keep();
    this.show();
  }

  paintBar() {
    const kind = make("select", { ariaLabel: "How to show it", title: "How to show it" });
    for (const [value, text] of Object.entries(NAMES)) kind.append(new Option(text, value, false, value === this.layout.kind));
    kind.onchange = () => this.change({ kind: kind.value });
    const chips = make("span", { className: "chips" });
    const { drawn } = this;
    for (const text of this.layout.signals) chips.append(this.chip(text, drawn.indexOf(text)));
    const add = make("button", { type: "button", className: "plain", textContent: "+", title: "Add a signal or an expression", ariaLabel: "Add a signal or an expression" });
    add.onclick = () => this.pick();
    const close = make("button", { type: "button", className: "plain", textContent: "✕", title: "Close this scope", ariaLabel: "Close this scope" });
    close.onclick = () => this.scopes.remove(this);
    const picture = make("button", { type: "button", className: "plain", textContent: "⤓", title: "Save as a picture (PNG)", ariaLabel: "Save as a picture" });
    picture.onclick = () => this.picture();
    chips.append(add);
    const { folded } = this.layout, what = folded ? "Unfold this scope" : "Fold this scope";
    const fold = make("button", { type: "button", className: "plain fold", textContent: folded ? "▸" : "▾", title: folded ? `${what}: ${this.layout.signals.join(", ")}` : what, ariaLabel: what });
    fold.onclick = () => this.fold();
    if (folded) this.bar.replaceChildren(fold, this.grip());
    else this.bar.replaceChildren(chips, ...this.scope.tools(), kind, picture, fold, this.grip(), close);
    this.paintValues();
  }

  /** A trace by its place among those that are drawn; -1: its signal is gone. */
  chip(text, place) {
    const gone = place < 0, chip = make("span", { className: gone ? "chip gone" : "chip" });
    chip.style.setProperty("--mark", gone ? "var(--line)" : `var(--curve-${place % 6 + 1})`);
    const unit = this.units[text];
    const value = make("output", { className: "number", textContent: "" });
    value.dataset.place = place;
    const off = make("button", { type: "button", textContent: "✕", ariaLabel: `Take ${text} away`, title: `Take ${text} away` });
    off.onclick = () => this.change({ signals: this.layout.signals.filter(each => each !== text) });
    chip.append(make("span", { textContent: text, title: gone ? `${text}: there is no such signal now` : text, className: "name" }), value, make("span", { textContent: unit || "", className: "soft" }), off);
    return chip;
  }

  /** Asks for a signal or an expression, and shows it if it can be. */
  pick() {
    pickSignal(this.bar, this.units, async text => {
      await this.bench.send({ do: "past", signals: [text], start: 0, end: 1, buckets: 1 }); // refused here, in our words
      this.change({ signals: [...this.layout.signals, text] });
    });
  }

  /** What each trace is worth now, beside its name. */
  values(found) {
    this.found = found;
    this.tellValues();
  }

  paintValues() { for (const output of this.bar.querySelectorAll("output")) output.textContent = this.found[+output.dataset.place] ?? ""; }

  picture() {
    this.scope.plot.canvas.toBlob(blob => {
      const link = make("a", { href: URL.createObjectURL(blob), download: `${this.layout.kind}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
}
