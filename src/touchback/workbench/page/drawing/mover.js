// Choosing and moving what is drawn: a press chooses, a drag moves by steps that snap; copies, groups, names.
import { add, meets, norm, sub } from "../draw/vectors.js";
import { CHOOSE_FIRST, sameItem } from "./drawing_document.js";
import { gridStep, snapped } from "./work_plane.js";

const STILL = 4; // px: less is a click
const POSE = 7; // numbers of a body in a frame

export class Mover {
  constructor(editor) {
    Object.assign(this, { editor, view: editor.view, drawing: editor.drawing, drag: null });
    addEventListener("pointermove", e => this.move(e));
    addEventListener("pointerup", e => this.end(e));
    addEventListener("pointercancel", () => this.cancel());
    this.view.overlay.painters.add(overlay => this.paint(overlay));
  }

  press(e) {
    const found = this.editor.session.under(e);
    if (!found) { this.clickBeside(e); return false; }
    this.drag = { pointer: e.pointerId, start: [e.clientX, e.clientY], item: { section: found.section, name: found.name }, point: found.point, more: e.shiftKey, by: null };
    this.view.canvas.setPointerCapture(e.pointerId);
    return true;
  }

  /** A click beside everything chooses nothing; a drag is the camera's. */
  clickBeside(e) {
    const start = [e.clientX, e.clientY];
    addEventListener("pointerup", up => { if (Math.hypot(up.clientX - start[0], up.clientY - start[1]) < STILL) this.drawing.choose([]); }, { once: true });
  }

  /** What moves along: everything chosen, if what is dragged is among it. */
  get items() { return this.drawing.chosen.some(each => sameItem(each, this.drag.item)) ? this.drawing.chosen : [this.drag.item]; }

  move(e) {
    const { drag, view, editor: { session } } = this;
    if (!drag || e.pointerId !== drag.pointer) return;
    if (!drag.by && Math.hypot(e.clientX - drag.start[0], e.clientY - drag.start[1]) < STILL) return;
    if (!drag.by) this.begin();
    const { plane } = session, ray = view.eye.ray(...view.place(e)), raw = meets(ray, drag.point, plane.normal);
    if (!raw) return;
    const perPixel = view.eye.perPixel(raw, view.canvas.clientHeight), to = add(drag.grip, sub(raw, drag.point));
    const targets = this.drawing.targets().filter(each => !drag.mine.some(p => norm(sub(p, each.point)) < 1e-9));
    plane.origin = drag.grip;
    const found = e.altKey ? { point: to, words: "" } : snapped(to, null, plane, { pixel: p => view.pixel(p), perPixel, ray: null }, { targets, axes: [] });
    Object.assign(drag, { by: sub(found.point, drag.grip), to: found });
    this.shown(drag.by);
  }

  /** The point by which it is held: the nearest of its own to the pointer, so that this one snaps. */
  begin() {
    const { drag, drawing } = this, own = this.items.flatMap(item => item.section === "bodies" ? [...(drawing.body(item.name)?.points || []), drawing.body(item.name)?.at] : [drawing.anchor(item)]).filter(Boolean);
    const far = p => norm(sub(p, drag.point)), joint = this.drag.item.section !== "bodies";
    drag.mine = own;
    drag.grip = joint ? drawing.anchor(drag.item) : own.reduce((best, p) => far(p) < far(best) ? p : best, own[0]);
    drag.before = this.view.world.numbers;
    drag.by = [0, 0, 0];
  }

  /** The bodies where they will be, until the server says so. */
  shown(by) {
    const { world } = this.view, numbers = Float32Array.from(this.drag.before);
    for (const { section, name } of this.items) if (section === "bodies") {
      const o = POSE * world.index.get(name);
      by.forEach((x, i) => { numbers[o + i] += x; });
    }
    world.numbers = numbers;
    this.view.draw();
  }

  async end(e) {
    const { drag, drawing } = this;
    if (!drag || e.pointerId !== drag.pointer) return;
    const items = this.items;
    this.drag = null;
    if (!drag.by) { if (e.shiftKey) drawing.toggle(drag.item); else drawing.choose([drag.item]); return; }
    if (norm(drag.by) > 0 && await drawing.send("move", { items, by: drag.by.map(x => Number(x.toFixed(12))) })) return;
    this.view.world.numbers = drag.before;
    this.view.draw();
  }

  cancel() {
    if (!this.drag) return;
    if (this.drag.before) this.view.world.numbers = this.drag.before;
    this.drag = null;
    this.view.draw();
  }

  paint(overlay) {
    const { drag, view } = this;
    if (!drag?.by) return;
    const [a, b] = [drag.grip, add(drag.grip, drag.by)].map(p => view.pixel(p)), { accent } = view.colours;
    overlay.line("moved", [a, b], { stroke: accent, "stroke-width": 1.5, "stroke-dasharray": "4 4" });
    overlay.circle("moved to", b, 6, { fill: "none", stroke: accent, "stroke-width": 2 });
    overlay.text("moved words", [b[0] + 12, b[1] - 10], drag.to?.words || drag.by.filter((x, i) => i !== 1 || !this.drawing.planar).map(x => `${x < 0 ? "−" : "+"}${Math.abs(Number(x.toPrecision(4)))}`).join("  "));
  }

  // ---- what keys do with what is chosen ----
  nudge(right, up, out = 0) {
    const { session } = this.editor, [u, w] = session.plane.axes, { step } = session;
    const by = [0, 1, 2].map(i => Number((step * (right * u[i] + up * w[i] + out * session.plane.normal[i])).toFixed(12)));
    return this.drawing.send("move", { items: this.drawing.chosen, by });
  }

  remove() { if (this.drawing.chosen.length) this.drawing.send("remove", { items: this.drawing.chosen }).then(answer => { if (answer) this.drawing.choose([]); }); }
  copy() { this.drawing.copied = [...this.drawing.chosen]; if (this.drawing.copied.length) this.editor.bench.note(`Copied: ${this.drawing.copied.map(each => each.name).join(", ")}`); }

  paste() {
    const { drawing } = this, items = drawing.copied.filter(each => drawing.find(each)), at = items.length && drawing.anchor(items[0]), to = this.editor.session.cursor.point;
    if (at) drawing.make("copy", { items, by: norm(sub(to, at)) > 1e-9 ? sub(to, at).map(x => Number(x.toFixed(12))) : this.aside() });
  }

  duplicate() { if (this.drawing.chosen.length) this.drawing.make("copy", { items: this.drawing.chosen, by: this.aside() }); }
  /** A few steps to the right and down. */
  aside() {
    const { session } = this.editor, [u, w] = session.plane.axes, step = 4 * gridStep(session.perPixel);
    return [0, 1, 2].map(i => Number((step * (u[i] - w[i])).toFixed(12)));
  }

  /** What was chosen becomes a group, of which all bodies are chosen then. */
  async group() {
    const { drawing } = this, { chosen } = drawing, taken = new Set(drawing.told.parts.map(each => each.name));
    let n = 1;
    while (taken.has(`group ${n}`)) n++;
    if (!chosen.length) { this.editor.bench.note(CHOOSE_FIRST); return; }
    if (await drawing.send("group", { items: chosen, name: `group ${n}` }))
      drawing.choose(chosen.filter(each => each.section === "bodies").map(({ section, name }) => ({ section, name: `group ${n}/${name}` })));
  }

  ungroup() {
    const group = this.drawing.told.parts.find(each => this.drawing.chosen.some(({ name }) => name === each.name || name.startsWith(`${each.name}/`)));
    if (group) this.drawing.send("ungroup", { name: group.name });
  }

  /** Chooses the item after the last one that is chosen, or the one before. */
  step(by) {
    const { bodies, joints, closures, forces, sensors, drives } = this.drawing.lists(), all = Object.entries({ bodies, joints, closures, forces, sensors, drives }).flatMap(([section, list]) => list.map(({ name }) => ({ section, name })));
    const at = all.findIndex(each => sameItem(each, this.drawing.chosen.at(-1)));
    if (all.length) this.drawing.choose([all[(Math.max(at, by < 0 ? 0 : -1) + by + all.length) % all.length]]);
  }

  all() { const { bodies, joints, closures, forces } = this.drawing.lists(); this.drawing.choose(Object.entries({ forces, closures, joints, bodies }).flatMap(([section, list]) => list.map(({ name }) => ({ section, name })))); }
}
