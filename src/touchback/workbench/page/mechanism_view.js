// The middle of the page: the mechanism in space or from the side, with what lies over it.
import { kept as keptAs, storage } from "./browser_storage.js";
import { h, newtons, tool } from "./dom.js";
import { SideView } from "./side_view.js";
import { eyesOf, Follow } from "./camera_follow.js";
import { Icons } from "./force_icon_shapes.js";
import { Hand } from "./manipulators.js";
import { Overlay } from "./view_overlay.js";
import { SolidView } from "./solid_view.js";
import { rounded, World } from "./scene_state.js";

const SHOWN = { ground: ["Ground", true], joints: ["Joints", true], forces: ["Forces", true], contacts: ["Contacts", true],
  trails: ["Trails", false], frames: ["Frames", false], inertias: ["Inertias", false], names: ["Names", false] };
const TOOLS = {
  hand: ["Drag bodies", "M7 10V4.5a1.4 1.4 0 0 1 2.8 0V9V3.6a1.4 1.4 0 0 1 2.8 0V9.4V5a1.4 1.4 0 0 1 2.7 0v6.5c0 3.6-2 5.6-5 5.6-2.6 0-3.8-1.2-5-3.3L3.6 11c-.6-1.2.9-2.1 1.8-1.1z", "V"],
  force: ["Force arrow", "M4 16L15 5M8.5 4.6L15.4 4.6L15.4 11.5", "F"],
  torque: ["Torque arc", "M15.5 12.5A6.5 6.5 0 1 1 14 5.2M14.6 1.6L14.4 5.6L10.4 5.4", "T"],
  motion: ["Motion sphere", "M10 3.5a6.5 6.5 0 1 0 .01 0M3.5 10c3.6 2.6 9.4 2.6 13 0", "M"],
  tie: ["Tie two bodies", "M8 12l4-4M9 6l2-2a3.4 3.4 0 0 1 5 5l-2 2M11 14l-2 2a3.4 3.4 0 0 1-5-5l2-2", "L"],
};
const kept = (name, other) => keptAs(`touchback ${name}`, other, x => typeof x === typeof other);
const keep = (name, value) => storage.setItem(`touchback ${name}`, JSON.stringify(value));

export class View {
  constructor(element, bench) {
    this.element = element;
    this.bench = bench;
    this.world = bench.world = new World(bench);
    this.show = Object.fromEntries(Object.entries(SHOWN).map(([name, [, on]]) => [name, kept(`show ${name}`, on)]));
    this.follow = new Follow(this);
    this.build();
    this.overlay = new Overlay(this.svg, this);
    this.icons = bench.icons = new Icons(this);
    this.hand = new Hand(this);
    this.stages = { flat: new SideView(this.flatCanvas, this.world) };
    this.listen(this.stages.flat);
    this.world.changed.add((kind, by) => kind === "scene" ? this.take() : kind === "poses" ? this.moved() : kind === "origin" ? this.shift(by) : this.draw());
    bench.on("selected", () => this.draw());
    bench.on("recorded", () => this.choose("hand"));
    addEventListener("resize", () => this.draw());
    addEventListener("themechange", () => { this.colours = null; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(element);
    this.choose("hand");
    if (this.world.scene) this.take();
  }

  build() {
    const canvas = name => h("canvas", { class: "stage", "aria-label": name, tabindex: 0, role: "img" });
    this.spaceCanvas = canvas("the mechanism in space");
    this.flatCanvas = canvas("the mechanism from the side");
    this.svg = h("svg", { class: "overlay" });
    this.tools = h("div", { class: "tools float", role: "radiogroup", "aria-label": "Tools" },
      ...Object.entries(TOOLS).map(([name, [label, path, key]]) => tool(label, path, key, () => this.choose(name), { role: "radio", "data-tool": name })));
    this.sideButton = tool("Side view or space", "M3 14l5-9 9 3-5 9zM8 5l4 12", "S", () => this.turn(!this.flat));
    this.followButton = tool("Follow the chosen body", "M10 6.5a3.5 3.5 0 1 0 .01 0M10 1.5v3M10 15.5v3M1.5 10h3M15.5 10h3", "C", () => this.followSelected(), { "aria-pressed": "false" });
    this.menu = h("div", { class: "shown float", hidden: true, role: "group", "aria-label": "What is shown" },
      ...Object.entries(SHOWN).map(([name, [label]]) => h("label", {}, h("input", { type: "checkbox", "data-show": name,
        onchange: e => this.setShown(name, e.target.checked) }), label)));
    this.menuButton = tool("What is shown", "M1.8 10c3.6-6.6 12.8-6.6 16.4 0c-3.6 6.6-12.8 6.6-16.4 0zM10 7.4a2.6 2.6 0 1 0 .01 0", "", () => this.openMenu(this.menu.hidden), { "aria-expanded": "false" });
    this.eyeChooser = h("select", { class: "eyes", "aria-label": "Look from", hidden: true,
      onchange: e => this.follow.ride(eyesOf(this.world.scene).find(each => each.name === e.target.value)) });
    const actions = h("div", { class: "actions float" }, this.sideButton, this.menuButton,
      tool("Fit", "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4", "0", () => this.fit()), this.followButton, this.eyeChooser,
      tool("Take a picture", "M3 6h3l1.5-2h5L14 6h3v10H3zM10 8a3 3 0 1 0 .01 0", "P", () => this.save()));
    this.legend = h("div", { class: "legend" });
    this.hint = h("div", { class: "hint", "aria-live": "polite" });
    this.element.append(this.spaceCanvas, this.flatCanvas, this.svg, this.tools, actions, this.menu, this.legend, this.hint);
    for (const box of this.menu.querySelectorAll("input")) box.checked = this.show[box.dataset.show];
    addEventListener("keydown", e => this.key(e));
  }

  openMenu(open) { this.menu.hidden = !open; this.menuButton.setAttribute("aria-expanded", String(open)); }
  setShown(name, on) { this.show[name] = on; keep(`show ${name}`, on); this.draw(); }

  listen(stage) {
    stage.camera.changed = () => this.draw();
    stage.camera.listen(stage.canvas, e => !(this.bench.drawing?.resting ? this.bench.drawing : this.hand).press(e));
  }

  /** Which way it is looked at: from the side if the mechanism moves in a plane, unless one chose otherwise. */
  get flat() { return Boolean(this.world.scene?.flat) && !this.follow.seat && kept("side", true); }
  get stage() {
    if (this.flat) return this.stages.flat;
    if (!this.stages.space) {
      try { this.stages.space = new SolidView(this.spaceCanvas, this.world); } catch (error) { this.hint.textContent = error.message; return this.stages.flat; }
      this.listen(this.stages.space);
      if (this.world.scene) this.stages.space.take(this.world.scene, true);
    }
    return this.stages.space;
  }
  get eye() { return this.stage.eye; }
  get canvas() { return this.stage.canvas; }

  turn(flat) { keep("side", flat); this.arrange(); }
  arrange() {
    const flat = this.stage === this.stages.flat, keys = [this.flatCanvas, this.spaceCanvas].includes(document.activeElement);
    this.flatCanvas.hidden = !flat;
    this.spaceCanvas.hidden = flat;
    if (keys) this.canvas.focus({ preventScroll: true }); // what is hidden loses them
    this.sideButton.hidden = !this.world.scene?.flat;
    this.sideButton.setAttribute("aria-pressed", String(flat));
    this.draw();
  }

  /** Another scene: the eye stays unless the mechanism is another one. */
  take() {
    const { scene } = this.world, home = scene.title !== this.seen;
    this.seen = scene.title;
    for (const stage of Object.values(this.stages)) stage.take(scene, home);
    const eyes = eyesOf(scene);
    this.eyeChooser.replaceChildren(h("option", { value: "" }, "from outside"), ...eyes.map(({ name }) => h("option", { value: name }, name)));
    this.eyeChooser.hidden = !eyes.length;
    this.follow.take(scene, home);
    this.icons.take(scene);
    this.legend.textContent = "";
    this.legend.append(h("span", { class: "ruler" }), h("span", {}));
    this.arrange();
  }

  /** Points are from another origin: what looks and holds goes along. */
  shift(by) {
    this.follow.shift(by);
    for (const { camera } of Object.values(this.stages)) camera.shift(by);
    this.hand.shift(by);
    this.draw();
  }

  moved() {
    this.follow.moved();
    if (this.hand.expects()) return;
    if (!this.pending && !this.stale && this.same()) this.painted = this.world.time;
    else this.draw();
  }

  /** Whether what was painted last shows what came: a mechanism at rest is drawn once. */
  same() {
    const { numbers } = this.world, before = this.drawn;
    return before?.length === numbers.length && before.every((x, i) => x === numbers[i]);
  }

  draw() { this.stale = true; this.drawOver(); }

  /** Only what lies over the mechanism, which costs little, unless more was asked for. */
  drawOver() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.stale) this.paint(); else if (this.world.ready) this.overlay.draw();
    });
  }

  paint() {
    if (!this.world.ready || !this.element.clientWidth) return;
    this.stale = false;
    this.colours ||= this.readColours();
    this.stage.draw(this.show, this.bench.selected, this.colours);
    this.overlay.draw();
    this.rule();
    this.painted = this.world.time;
    this.drawn = this.world.numbers;
  }

  readColours() {
    const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue(`--${name}`).trim();
    return { ...Object.fromEntries(["paper", "ink", "soft", "fill", "grid", "cast", "edge", "accent"].map(name => [name, get(name)])),
      dark: document.documentElement.dataset.theme === "dark" };
  }

  /** The legend: how long a force of so many newtons is drawn. */
  rule() {
    const { world } = this, perPixel = this.eye.perPixel(this.eye.middle, this.canvas.clientHeight);
    this.legend.hidden = Boolean(this.eye.seat); // who rides has no middle to measure at
    const force = rounded(90 * perPixel * world.metre), [line, words] = this.legend.children;
    line.style.width = `${(force / world.metre / perPixel).toFixed(0)}px`;
    words.textContent = newtons(force);
  }

  /** A place of the page in the view, 0…1. */
  place(e) {
    const box = this.canvas.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height];
  }
  /** A point of the world in the view [px]. */
  pixel(p) { const [x, y, depth] = this.eye.project(p); return [x * this.canvas.clientWidth, y * this.canvas.clientHeight, depth]; }

  choose(wanted) {
    const { untouchable } = this.bench, name = untouchable ? "hand" : wanted;
    this.tools.hidden = Boolean(untouchable);
    this.tool = name;
    for (const button of this.tools.children) {
      const on = button.dataset.tool === name;
      set01(button, on);
    }
    this.element.dataset.tool = name;
    this.hint.textContent = { hand: untouchable, force: "Press on a body and draw the arrow.", torque: "Press on a body and draw the axis.",
      motion: "Press on a joint.", tie: "Draw a line from one body to another." }[name];
  }

  followSelected() {
    const name = this.bench.selected?.kind === "body" ? this.bench.selected.name : null;
    if (!this.follow.body && !name) this.bench.note("Choose a body first: click on it, or on its name under Parts.");
    this.follow.toggle(name);
  }

  fit() { if (this.world.ready) this.stage.fit(this.world.box()); }

  /** Letters count wherever the focus is but in fields; what moves the eye, only in the view: sliders and scopes have their own. */
  key(e) {
    const here = this.element.contains(e.target);
    if (e.target.closest("input:not([type=range]), textarea, select") || (!here && !/^[a-z]$/i.test(e.key)) || e.ctrlKey || e.metaKey || e.altKey) return;
    const found = Object.entries(TOOLS).find(([, [, , key]]) => key === e.key.toUpperCase()), step = 0.08;
    const eye = this.eye, moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (found) this.choose(found[0]);
    else if (moves[e.key]) { e.preventDefault(); if (e.shiftKey) eye.pan(...moves[e.key].map(x => -x)); else eye.orbit(...moves[e.key].map(x => -x * 2)); }
    else ({ s: () => this.world.scene?.flat && this.turn(!this.flat), c: () => this.followSelected(), p: () => this.save(), 0: () => this.fit(),
      "+": () => eye.zoom(0.85), "-": () => eye.zoom(1 / 0.85), Escape: () => { this.choose("hand"); this.openMenu(false); this.bench.select(null); } }[e.key] || (() => {}))();
  }

  /** What is seen, as a picture with what lies over it. */
  async picture() {
    this.paint();
    const from = this.canvas, made = h("canvas", { width: from.width, height: from.height }), paper = made.getContext("2d");
    paper.drawImage(from, 0, 0);
    const copy = this.svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", from.clientWidth); copy.setAttribute("height", from.clientHeight);
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    await image.decode();
    paper.drawImage(image, 0, 0, from.width, from.height);
    URL.revokeObjectURL(image.src);
    return new Promise(done => made.toBlob(done, "image/png"));
  }

  async save() {
    const link = h("a", { href: URL.createObjectURL(await this.picture()), download: `${this.world.scene.title}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

const set01 = (button, on) => { button.setAttribute("aria-checked", String(on)); button.tabIndex = on ? 0 : -1; };

export function mount(element, bench) { bench.view = new View(element, bench); }
