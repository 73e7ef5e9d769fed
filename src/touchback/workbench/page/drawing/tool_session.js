// A tool at work: the cursor, snapped or typed; the points that were placed; and the message that they make.
import { add, norm, scaled, sub, unit } from "../draw/vectors.js";
import { bodiesAt, itemAt, pairAt } from "./bodies_at_point.js";
import { CHOOSE_FIRST } from "./drawing_document.js";
import { paintAxis, paintGhost } from "./ghost.js";
import { TOOLS } from "./tools.js";
import { AXES, gridStep, normalOf, snapped, typedPoint, WorkPlane } from "./work_plane.js";

const REACH = 8; // px: so near a point its bodies and joints are meant
const DRAGGED = 12; // px: a press that went further has drawn a line
const SLIDING = ["prismatic", "cylindrical", "screw"];

export class ToolSession {
  constructor(editor) {
    Object.assign(this, { editor, view: editor.view, drawing: editor.drawing, plane: new WorkPlane(), changed: new Set() });
    this.options = Object.fromEntries(Object.entries(TOOLS).map(([name, { options = {} }]) => [name, Object.fromEntries(Object.entries(options).map(([key, { value }]) => [key, value]))]));
    this.axis = "y";
    this.raw = [0, 0, 0];
    this.cursor = { point: [0, 0, 0], kind: "grid", words: "" };
    this.clear();
    this.name = "select";
    this.view.overlay.painters.add(overlay => this.paint(overlay));
    addEventListener("pointermove", e => this.move(e));
    addEventListener("pointerup", e => this.release(e));
  }

  get tool() { return TOOLS[this.name]; }
  get own() { return this.options[this.name]; }
  get drawn() { return this.drawing.resting && this.name !== "select"; }
  get perPixel() { return this.view.eye.perPixel(this.cursor.point, this.view.canvas.clientHeight); }
  get step() { return gridStep(this.view.eye.perPixel(this.plane.origin, this.view.canvas.clientHeight)); }
  get near() { return REACH * this.perPixel; }

  clear() { Object.assign(this, { points: [], typed: {}, alt: false }); }
  tell() { for (const fn of this.changed) fn(); this.view.drawOver(); }

  /** Whether a tool acts on what is chosen, and nothing is. */
  lacks(tool) { return Boolean(tool.chosen) && !this.drawing.chosen.length; }

  choose(name) {
    if (this.lacks(TOOLS[name])) { this.editor.bench.note(CHOOSE_FIRST); return; }
    this.clear();
    this.name = name;
    if (this.drawing.planar) this.plane.set("y");
    if (name === "joint" || name === "ground") this.axis = this.usualAxis();
    this.view.element.dataset.tool = name === "select" ? "hand" : name;
    this.view.hint.textContent = "";
    this.tell();
  }

  // ---- the axis of a joint, the normal of the plane ----
  /** Whether an axis can be chosen: in the plane only for what slides. */
  get axial() { return Boolean(this.tool.axis) && !["spherical", "fixed", "free"].includes(this.own.kind) && (!this.drawing.planar || SLIDING.includes(this.own.kind)); }
  usualAxis() { return this.drawing.planar ? (SLIDING.includes(this.own.kind) ? "x" : "y") : "n"; }
  setAxis(axis) { this.axis = axis; this.tell(); }
  setOption(name, value) {
    this.own[name] = value;
    if (name === "kind" && this.tool.axis) this.axis = this.usualAxis();
    this.tell();
  }
  setNormal(name) {
    if (this.drawing.planar) return;
    this.plane.origin = this.points.at(-1) || this.cursor.point;
    this.plane.set(name);
    this.tell();
  }
  axisWay() {
    if (this.axis === "line") return this.points.length ? unit(sub(this.cursor.point, this.points[0])) : null;
    return this.axis === "n" ? this.plane.normal : AXES[this.axis] || this.axis;
  }

  // ---- the cursor ----
  ray(e) { return this.view.eye.ray(...this.view.place(e)); }

  move(e) {
    const stays = e.type === "pointermove" && this.pointer?.[0] === e.clientX && this.pointer[1] === e.clientY; // sent because the page changed under it
    if (!this.drawn || e.target !== this.view.canvas || stays) return;
    this.pointer = [e.clientX, e.clientY];
    const ray = this.ray(e), raw = this.plane.under(ray);
    if (!raw) return;
    Object.assign(this, { raw, keyboard: false, alt: e.altKey });
    this.aim(ray);
  }

  /** Where the cursor is: snapped, unless Alt is held, and as far as it was typed. */
  aim(ray = null) {
    const { view, raw, plane } = this, from = this.points.at(-1), at = { pixel: p => view.pixel(p), perPixel: view.eye.perPixel(raw, view.canvas.clientHeight), ray };
    const known = { targets: this.targets(), axes: this.drawing.axes() };
    const free = { point: raw, kind: "free", words: "" };
    const found = this.alt ? free : this.keyboard ? this.beside(raw, known.targets) : snapped(raw, from, plane, at, known);
    const wanted = typedPoint(found.point, from, plane, this.typed);
    this.cursor = norm(sub(wanted, found.point)) > 0 ? { point: wanted, kind: "typed", words: "" } : found;
    this.tell();
  }

  targets() { return [...this.drawing.targets(), ...this.points.map(point => ({ point, words: "" }))]; }

  /** A cross that keys move stands on the grid, or on a point that is hardly beside it. */
  beside(raw, targets) {
    const near = targets.find(each => norm(sub(each.point, raw)) < 0.45 * this.step);
    return near ? { ...near, kind: "point" } : { point: raw, kind: "grid", words: "" };
  }

  /** Arrow keys: by so many steps of the grid along the plane's axes, and along its normal. */
  nudge(right, up, out = 0) {
    const { step, plane } = this;
    const moved = plane.onGrid(this.keyboard ? this.raw : this.cursor.point, step);
    this.raw = plane.onGrid(add(add(moved, scaled(plane.axes[0], right * step)), add(scaled(plane.axes[1], up * step), scaled(plane.normal, out * step))), step);
    if (out) this.plane.origin = this.raw;
    this.byKeys();
  }

  /** The next of the points that there are, or the one before. */
  hop(by) {
    const all = this.drawing.targets(), at = all.findIndex(each => norm(sub(each.point, this.cursor.point)) < 1e-9);
    this.raw = all[(at + by + all.length) % all.length].point;
    this.byKeys();
  }

  byKeys() {
    Object.assign(this, { keyboard: true, alt: false, typed: {} });
    this.aim();
    const [x, y] = this.view.eye.project(this.cursor.point);
    if (x < 0.04 || x > 0.96 || y < 0.04 || y > 0.96) { this.view.eye.middle = [...this.cursor.point]; this.view.draw(); }
  }

  /** Numbers that were typed: length, angle [rad], x, y, z [m]; without the names `before` the pointer chooses these again. */
  type(numbers, before = []) {
    for (const name of before) delete this.typed[name];
    Object.assign(this.typed, numbers);
    this.aim();
  }

  /** Takes back the last point. */
  back() {
    this.points.pop();
    this.typed = {};
    this.aim();
  }

  // ---- points ----
  press(e) {
    if (e.button !== 0 || e.shiftKey || e.ctrlKey || !this.view.world.ready) return false;
    if (this.name === "select") return this.editor.mover.press(e);
    this.move(e);
    this.pressed = [e.clientX, e.clientY];
    this.place(e);
    return true;
  }

  release(e) {
    const start = this.pressed;
    this.pressed = null;
    if (start && this.points.length && Math.hypot(e.clientX - start[0], e.clientY - start[1]) > DRAGGED) { this.move(e); this.place(e); }
  }

  /** Puts a point where the cursor is. With `ground`, or `last` of an outline, something else is meant. */
  place({ shiftKey = false } = {}) {
    const { tool, cursor } = this, wanted = tool.axis && this.axis === "line" && this.axial ? 2 : tool.points;
    const again = this.points.length && norm(sub(cursor.point, this.points.at(-1))) < 1e-9;
    if (again && (wanted === 2 || wanted === 3)) return this.editor.bench.note("That is the same point: move on first, or type a length.");
    if (wanted === 0 && this.points.length >= tool.least && (again || norm(sub(cursor.point, this.points[0])) < 1e-9)) return this.finish(this.points);
    this.points.push(cursor.point);
    this.plane.origin = this.raw = cursor.point;
    this.typed = {};
    if (this.points.length === wanted) return this.finish(this.points, shiftKey);
    this.tell();
  }

  async finish(points, toGround = false) {
    const { tool, own } = this, axis = this.axisWay(), message = this.lacks(tool) ? CHOOSE_FIRST : tool.connects ? this.joint(points[0], axis, toGround) : tool.does(points, own, this.context(points));
    this.clear();
    this.tell();
    if (typeof message === "string") { this.editor.bench.note(message); return; }
    const { change, ...fields } = message, answer = await this.drawing.make(change, fields);
    if (!answer && tool.points === 0 && this.tool === tool && !this.points.length) { // corners stay to be mended
      this.points = points;
      this.tell();
    }
    this.said?.remove();
    if (answer && tool.connects) this.said = this.editor.bench.note(`${answer.closure ? "It closes a loop" : "A joint"}: ${answer.made?.[0]?.name ?? own.kind}, ${fields.kind}, ${fields.a} and ${fields.b}.`, "good");
  }

  /** What lies at the points: bodies, a joint, two ends, and what is chosen. */
  context(points) {
    const { drawing, view, plane } = this, near = this.near, last = points.at(-1);
    const there = points.map(p => bodiesAt(view.world, drawing, p, near)), [first = [], second = []] = there;
    const a = first.find(name => !second.includes(name)) ?? first[0] ?? "ground", b = second.find(name => name !== a) ?? "ground";
    const joint = drawing.joints.find(each => each.at && norm(sub(each.at, last)) <= near) ?? this.chosenJoint();
    return { plane: points.length > 2 && normalOf(points) && this.tool.points === 0 ? { ...plane, normal: normalOf(points) } : plane,
      joint: joint?.name, item: joint, body: first[0], items: drawing.chosen, a: { body: a, at: points[0] }, b: { body: b, at: last } };
  }

  chosenJoint() {
    const item = this.drawing.chosen.find(each => each.section === "joints");
    return item && this.drawing.find(item);
  }

  /** The joint that a point is to become. */
  joint(at, way, toGround) {
    const { drawing, view, tool, own } = this, near = this.near, bodies = bodiesAt(view.world, drawing, at, near);
    const chosen = drawing.chosen.filter(each => each.section === "bodies").map(each => each.name);
    if (!bodies.length) return "There is no body at this point: a joint connects two that lie over each other, or one to the ground.";
    const grounded = tool.connects === "ground" || toGround, pair = grounded ? ["ground", bodies[0]]
      : chosen.length === 2 && chosen.every(name => bodies.includes(name)) ? chosen : pairAt(bodies, drawing.joints, at, near);
    if (!pair) return "What lies at this point is joined already. Shift, or the tool Ground, joins it to the ground.";
    const axis = way && !way.every((x, i) => x === AXES.y[i]) ? way.map(x => Number(x.toFixed(12)) + 0) : "y";
    return { change: "joint", kind: own.kind, at, a: pair[0], b: pair[1], axis, ...(own.kind === "screw" && { pitch: own.pitch || 0.01 }) };
  }

  under(e) { return itemAt(this.view, this.drawing, e); }

  paint(overlay) {
    if (!this.drawn || !this.view.colours) return;
    const tool = this.axis === "line" && this.axial ? { ...this.tool, points: 2 } : this.tool;
    paintGhost(overlay, this.view, { tool, points: this.points, cursor: this.cursor, plane: this.plane, options: this.own, planar: this.drawing.planar, keyboard: this.keyboard });
    if (this.axial) paintAxis(overlay, this.view, this.points[0] || this.cursor.point, this.axisWay(), this.axis !== "line" && this.drawing.planar && this.axis === "y");
  }
}
