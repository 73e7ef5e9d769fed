// Forces, torques and motions as Wang draws them: an arrow with its head or tail at the point, as long as the
// force; an arc about the torque's axis, as wide as the torque; a sphere at a joint, as large as the motion.
import { sendNewest, newtons, short } from "./dom.js";
import { add, across, along, cross, dot, meets, norm, scaled, sub, unit } from "./draw/vectors.js";

const COLOUR = { force: "#d9623f", torque: "#7d5ba6", motion: "#2a9d8f" };
const USUAL = 0.35; // of the radius: the length of an arrow that was only clicked
const LEAST = 6; // px: a shorter arrow can't be seen

export class Icons {
  constructor(view) {
    this.view = view;
    this.bench = view.bench;
    this.known = new Map();
    this.senders = new Map();
    view.overlay.painters.add(overlay => { for (const icon of [...this.known.values(), ...(this.growing ? [this.growing] : [])]) this.paint(overlay, icon); });
  }

  /** The icons of a scene, which the server knows. */
  take(scene) {
    if (!scene.icons) return;
    const held = this.held && this.known.get(this.held);
    this.known = new Map((scene.icons || []).map(icon => [icon.name, { ...icon }]));
    if (held && this.known.has(held.name)) this.known.set(held.name, held);
    const chosen = this.bench.selected;
    if (chosen?.kind === "icon" && !this.known.has(chosen.name)) this.bench.select(null);
    else if (chosen?.kind === "icon") this.bench.tell("selected", chosen);
  }

  newName(kind) { let n = 1; while (this.known.has(`${kind} ${n}`)) n++; return `${kind} ${n}`; }

  // ---- numbers and lengths ----
  get world() { return this.view.world; }
  /** Newton metres that are an arc of one metre, and rad/s or m/s that are a sphere of one metre. */
  get arc() { return this.world.metre * this.world.radius; }
  get ball() { return 40 / this.world.radius; }

  point(icon) { return icon.kind === "motion" ? this.world.joint(icon.on).p : this.world.at(icon.on, icon.at); }
  /** The value along the world's axes. */
  value(icon) { return icon.frame === "body" ? this.world.way(icon.on, icon.value) : icon.value; }
  own(icon, v) { return icon.frame === "body" ? this.world.wayBack(icon.on, v) : v; }

  // ---- new ones ----
  ghost(kind, on, at) {
    this.growing = { name: this.newName(kind), kind, on, at, value: [0, 0, 0], frame: "world", end: "tail" };
    return this.growing;
  }

  /** While it is drawn: from the point to the pointer. */
  stretch(icon, from, to) {
    const way = sub(to, from), eye = this.view.eye.last;
    if (icon.kind === "force") icon.value = scaled(way, this.world.metre);
    else if (!this.view.flat) icon.value = scaled(way, this.arc);
    // seen from the side all turns about the normal: as a wheel that is pulled at its top
    else icon.value = scaled(eye.away, (dot(way, eye.right) > 0 ? -1 : 1) * norm(way) * this.arc);
  }

  finish(icon) {
    this.growing = null;
    icon.value = tidy(icon.value, norm(icon.value));
    icon.at = tidy(icon.at, this.world.radius);
    this.apply(icon);
  }

  /** One of a usual size, where somebody clicked. */
  create(kind, on, at = [0, 0, 0]) {
    const length = USUAL * this.world.radius, up = this.view.eye.up || [0, 0, 1];
    const value = { force: scaled(up, length * this.world.metre), torque: scaled((this.view.eye.last || this.view.eye.shot(1)).away, 0.6 * length * this.arc), motion: 1 }[kind];
    return this.apply({ name: this.newName(kind), kind, on, at, value: kind === "motion" ? 1 : value.map(x => Number(x.toPrecision(3))), frame: "world", end: "tail" });
  }

  /** Sends an icon, new or changed; shows it at once and chooses it. */
  async apply(icon) {
    const known = this.known.get(icon.name), before = known && { ...known }, chosen = this.bench.selected;
    try {
      const answer = await this.bench.send(message(icon));
      this.known.set(icon.name, icon);
      this.bench.selectAfter(chosen, { kind: "icon", name: icon.name });
      this.bench.tell("edited", { ...answer, back: () => before ? this.apply(before) : this.remove(icon.name) });
      this.view.choose("hand");
    } catch (error) { this.bench.note(error.message, "bad"); }
    this.view.draw();
  }

  /** Sends other numbers of a known icon, the newest when they come fast. */
  change(icon) {
    if (!this.senders.has(icon.name)) this.senders.set(icon.name, sendNewest(told => this.bench.send(told).catch(error => this.bench.note(error.message, "bad"))));
    this.senders.get(icon.name)(message(icon));
    this.bench.tell("selected", this.bench.selected);
    this.view.draw();
  }

  async remove(name) {
    try {
      const gone = this.known.get(name), answer = await this.bench.send({ do: "remove", icon: name });
      this.known.delete(name);
      this.bench.selectAfter({ kind: "icon", name }, null);
      this.bench.tell("edited", { ...answer, ...(gone && { back: () => this.apply({ ...gone }) }) });
    } catch (error) { this.bench.note(error.message, "bad"); }
    this.view.draw();
  }

  // ---- handles ----
  press(icon, part, e, node) {
    this.bench.select({ kind: "icon", name: icon.name });
    this.held = icon.name;
    // from where it acted when it was pressed: the body yields while it is drawn, and the value is what was drawn
    const from = this.point(icon), start = this.grip(icon, part), facing = (this.view.eye.last || this.view.eye.shot(1)).away;
    const move = m => { const to = meets(this.view.eye.ray(...this.view.place(m)), start, facing); if (to) this.pull(icon.name, part, to, from, m); };
    const end = () => { node.removeEventListener("pointermove", move); this.held = null; };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", end, { once: true });
    node.addEventListener("pointercancel", end, { once: true });
  }

  nudge(icon, part, [dx, dy]) {
    const at = this.grip(icon, part), size = this.view.eye.perPixel(at, this.view.canvas.clientHeight), { right, up } = this.view.eye.last;
    this.pull(icon.name, part, add(at, add(scaled(right, dx * size), scaled(up, -dy * size))), this.point(icon));
  }

  /** A handle is pulled to a point of the world, from where the icon was at `p`. */
  pull(name, part, to, p, e) {
    const icon = this.known.get(name);
    if (part === "place") {
      const found = e && this.view.hand.under(e);
      icon.at = found && found.body === icon.on ? found.local : this.world.local(icon.on, to);
    } else if (icon.kind === "force") icon.value = this.own(icon, scaled(sub(to, p), icon.end === "tail" ? this.world.metre : -this.world.metre));
    else if (icon.kind === "torque") {
      const v = this.value(icon), size = norm(v);
      icon.value = this.own(icon, part === "axis" ? scaled(unit(sub(to, p)), size) : scaled(unit(v), norm(sub(to, p)) * this.arc));
    } else {
      const { right } = this.view.eye.last;
      icon.value = dot(sub(to, p), right) * this.ball;
    }
    this.change(icon);
  }

  /** Where a handle is in the world. */
  grip(icon, part) {
    const p = this.point(icon);
    if (part === "place") return p;
    if (icon.kind === "motion") return along(p, this.view.eye.last.right, icon.value / this.ball);
    const v = this.value(icon);
    if (icon.kind === "force") return along(p, v, (icon.end === "tail" ? 1 : -1) / this.world.metre);
    const axis = unit(v), radius = norm(v) / this.arc;
    return part === "axis" ? along(p, axis, Math.max(0.8 * radius, 0.15 * this.world.radius)) : along(p, across(axis)[0], radius);
  }

  // ---- pictures ----
  paint(overlay, icon) {
    const growing = icon === this.growing, chosen = growing || (this.bench.selected?.kind === "icon" && this.bench.selected.name === icon.name);
    if (icon.kind === "motion" ? !this.world.joints.has(icon.on) : !this.world.index.has(icon.on)) return;
    this[icon.kind](overlay, icon, `icon ${icon.name}`);
    if (growing) return;
    const torque = this.view.flat ? ["place", "size"] : ["place", "axis", "size"]; // from the side the axis is a point
    const parts = { force: ["place", "end"], torque, motion: ["size"] }[icon.kind];
    const words = { place: "where it acts", end: "its end: direction and size", axis: "its axis", size: "its size" };
    for (const part of chosen ? parts : parts.slice(0, 1)) overlay.handle(`${icon.name} ${part}`, this.view.pixel(this.grip(icon, part)), `${icon.name}: ${words[part]}`,
      COLOUR[icon.kind], (e, node) => this.press(this.known.get(icon.name), part, e, node), way => this.nudge(this.known.get(icon.name), part, way));
  }

  force(overlay, icon, name) {
    const v = this.value(icon), p = this.point(icon), far = along(p, v, (icon.end === "tail" ? 1 : -1) / this.world.metre);
    const [a, b] = (icon.end === "tail" ? [p, far] : [far, p]).map(x => this.view.pixel(x)), tip = this.view.pixel(far);
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) > LEAST) overlay.arrow(name, a, b, COLOUR.force, 3.6);
    overlay.text(`${name} value`, [tip[0] + 12, tip[1] + 4], newtons(norm(v)), { fill: COLOUR.force });
  }

  torque(overlay, icon, name) {
    const v = this.value(icon), p = this.point(icon), axis = unit(v), radius = norm(v) / this.arc, [x] = across(axis), y = cross(axis, x), points = [];
    for (let i = 0; i <= 44; i++) {
      const angle = i / 44 * 1.6 * Math.PI;
      points.push(this.view.pixel(add(p, add(scaled(x, radius * Math.cos(angle)), scaled(y, radius * Math.sin(angle))))));
    }
    overlay.line(name, points, { stroke: COLOUR.torque, "stroke-width": 3.4 });
    const [from, to] = [points[42], points[44]], way = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    overlay.arrow(`${name} tip`, from, [from[0] + (to[0] - from[0]) / way * 15, from[1] + (to[1] - from[1]) / way * 15], COLOUR.torque, 3.4);
    const end = this.view.pixel(this.grip(icon, "axis"));
    overlay.line(`${name} axis`, [this.view.pixel(p), end], { stroke: COLOUR.torque, "stroke-width": 1.6, "stroke-dasharray": "5 4" });
    overlay.text(`${name} value`, [end[0] + 12, end[1] + 4], `${short(norm(v), 3)} N m`, { fill: COLOUR.torque });
  }

  motion(overlay, icon, name) {
    const p = this.point(icon), centre = this.view.pixel(p), size = this.view.eye.perPixel(p, this.view.canvas.clientHeight);
    const r = Math.max(9, Math.abs(icon.value) / this.ball / size);
    overlay.circle(name, centre, r.toFixed(1), { fill: COLOUR.motion, "fill-opacity": 0.22, stroke: COLOUR.motion, "stroke-width": 2.2 });
    overlay.line(`${name} belt`, Array.from({ length: 25 }, (_, i) => [centre[0] - r * Math.cos(i / 24 * Math.PI), centre[1] + 0.35 * r * Math.sin(i / 24 * Math.PI)]), { stroke: COLOUR.motion, "stroke-width": 1.4 });
    overlay.text(`${name} value`, [centre[0] + r + 14, centre[1] - 10], `${short(icon.value, 3)} ${icon.of === "position" ? "rad" : "rad/s"}`, { fill: COLOUR.motion });
  }
}

/** Numbers as fine as a pointer draws them: four digits of their size. */
function tidy(v, size) {
  const step = 10 ** (Math.floor(Math.log10(Math.max(size, 1e-12))) - 3);
  return v.map(x => Number((Math.round(x / step) * step).toPrecision(6)));
}

/** The message that makes an icon or changes it. */
export function message({ name, kind, on, at, value, frame, end, of }) {
  return { do: "icon", name, kind, on, ...(kind === "motion" ? { of: of || "rate" } : { at, frame, end }), value };
}
