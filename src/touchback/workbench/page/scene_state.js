// Where everything is now: the scene of the run's structure and the poses that came last. Points are from `origin`, which
// is the run's unless the mechanism is far from there; float32 tells them well. `run` and `here` go to the run's and back.
import { add, composed, norm, scaled, sub, turned, turnedBack, unit } from "./draw/vectors.js";

import { isHeld } from "./robot_pose.js";

const POSE = 7, PAIR = 6, WAKE = 400; // numbers of a body, of a spring or an arrow; points of a trail
const STILL = { p: [0, 0, 0], q: [0, 0, 0, 1] };
const STRONG = 0.6; // of the radius: an arrow as strong as the weight of everything

export class World {
  constructor(bench) {
    this.bench = bench;
    this.scene = null;
    this.numbers = null;
    this.origin = [0, 0, 0];
    this.ground = STILL;
    this.time = 0;
    this.trails = new Map();
    this.changed = new Set();
    this.meshes = new Map(); // number: nine numbers a triangle, once they are here
    bench.on("scene", scene => this.take(scene));
    bench.on("poses", frame => {
      if (!this.scene || frame.structure !== this.scene.structure % 65536) return;
      if (frame.time < this.time) this.trails.clear();
      if (frame.origin.some((x, i) => x !== this.origin[i])) this.move(frame.origin);
      this.numbers = frame.numbers;
      this.time = frame.time;
      this.follow();
      for (const fn of this.changed) fn("poses");
    });
  }

  /** Another origin: what was known of places goes along. */
  move(origin) {
    const by = sub(this.origin, origin);
    this.origin = origin;
    this.ground = { p: scaled(origin, -1), q: STILL.q };
    this.low += by[2];
    this.centre = add(this.centre, by);
    this.bounds = this.bounds.map(p => add(p, by));
    this.trails.clear();
    for (const fn of this.changed) fn("origin", by);
  }

  /** A point of the page in the run's coordinates, and back. */
  run(p) { return add(p, this.origin); }
  here(p) { return sub(p, this.origin); }

  take(scene) {
    const robot = isHeld(scene); // whose bodies without a form are frames: sensors, tips of tools
    if (!robot) for (const body of scene.bodies.slice(1)) if (!scene.shapes.some(each => each.body === body && !each.endless)) scene.shapes.push(block(scene, body));
    const other = !this.scene || this.scene.structure !== scene.structure;
    this.scene = scene;
    if (other) { this.numbers = null; this.trails.clear(); }
    this.index = new Map(scene.bodies.map((name, i) => [name, i]));
    this.joints = new Map(scene.joints.map(each => [each.name, each]));
    const [low, high] = this.bounds = scene.bounds.map(p => this.here(p));
    this.low = other ? low[2] : Math.min(low[2], this.low); // the ground goes down when something falls
    this.centre = [0, 1, 2].map(i => (low[i] + high[i]) / 2);
    this.radius = Math.max(norm(sub(high, low)) / 2, 1e-6);
    const weight = 9.81 * (scene.inertias || []).reduce((sum, each) => sum + each.mass, 0);
    this.metre = rounded((weight || 20) / (STRONG * this.radius)); // newtons drawn as one metre
    this.tips = this.ends();
    for (const shape of scene.shapes) if (shape.mesh != null && !this.meshes.has(shape.mesh)) this.fetchMesh(shape.mesh);
    for (const fn of this.changed) fn("scene");
  }

  async fetchMesh(number) {
    this.meshes.set(number, null);
    const corners = await this.bench.mesh(number);
    if (!corners) return;
    this.meshes.set(number, new Float32Array(corners));
    for (const fn of this.changed) fn("mesh");
  }

  get ready() { return Boolean(this.scene && this.numbers); }

  pose(body) {
    const i = this.index.get(body);
    if (i === undefined || i === 0 || !this.numbers) return this.ground;
    const n = this.numbers, o = POSE * i;
    return { p: [n[o], n[o + 1], n[o + 2]], q: [n[o + 3], n[o + 4], n[o + 5], n[o + 6]] };
  }

  /** A point of a body in the world, and back. */
  at(body, local) { const { p, q } = this.pose(body); return add(p, turned(q, local)); }
  local(body, point) { const { p, q } = this.pose(body); return turnedBack(q, sub(point, p)); }
  /** The world's pose of something placed on a body. */
  placed({ body, at, turn }) { const { p, q } = this.pose(body); return { p: add(p, turned(q, at)), q: composed(q, turn) }; }
  /** A direction in a body's axes, along the world's, and back. */
  way(body, v) { return turned(this.pose(body).q, v); }
  wayBack(body, v) { return turnedBack(this.pose(body).q, v); }

  /** Where a joint is and along which axis, in the world. */
  joint(name) {
    const joint = this.joints.get(name), { p, q } = this.placed(joint.parent);
    return { joint, p, q, axis: joint.axis ? unit(turned(q, joint.axis)) : null, child: this.placed(joint.child).p };
  }

  /** Whether an arrow draws itself: a hand's or an icon's, in a run that lives. */
  hidden(arrow) { return !this.bench.recorded && this.itself(arrow); }
  itself(arrow) { return arrow === "hand" || arrow.startsWith("hand on ") || (this.scene.icons || []).some(each => each.name === arrow); }

  /** A spring: its two ends. */
  spring(i) { const [a, way] = this.pair(POSE * this.scene.bodies.length + PAIR * i); return [a, add(a, way)]; }
  /** An arrow: the point and the force [N] there. */
  arrow(i) { return this.pair(POSE * this.scene.bodies.length + PAIR * (this.scene.springs.length + i)); }
  pair(o) {
    const n = this.numbers;
    return [[n[o], n[o + 1], n[o + 2]], [n[o + 3], n[o + 4], n[o + 5]]];
  }

  /** The far end of each body, which trails follow: {body: its point}. */
  ends() {
    const found = new Map(), from = new Map(this.scene.joints.map(each => [each.child.body, each.child.at]));
    for (const shape of this.scene.shapes) {
      if (shape.body === "ground" || shape.endless) continue;
      const root = from.get(shape.body) || [0, 0, 0];
      const points = shape.kind === "line" ? [shape.numbers.slice(0, 3), shape.numbers.slice(3)] : [shape.at];
      for (const point of points) {
        const far = norm(sub(point, root)), known = found.get(shape.body);
        if (!known || far > known.far + 1e-9) found.set(shape.body, { point, far });
      }
    }
    return [...found].slice(0, 24).map(([body, { point }]) => [body, point]);
  }

  /** Points between which everything lies now. */
  *points() {
    for (const shape of this.scene.shapes) {
      if (shape.endless) continue;
      const n = shape.numbers, reach = shape.kind === "line" ? [n.slice(0, 3), n.slice(3)] : [];
      if (shape.kind !== "line") {
        const far = Math.max(0.02 * this.radius, ...n.slice(0, 3).map(Math.abs).filter(x => x < 2 * this.radius));
        for (const way of [[far, 0, 0], [-far, 0, 0], [0, far, 0], [0, -far, 0], [0, 0, far], [0, 0, -far]]) reach.push(add(shape.at, way));
      }
      for (const each of reach) yield this.at(shape.body, each);
    }
    for (const joint of this.scene.joints) yield this.joint(joint.name).p;
    for (let i = 0; i < this.scene.springs.length; i++) yield* this.spring(i);
  }

  /** The lowest and highest corner of everything, as it is now; of nothing at all those with which it opens. */
  box() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const p of this.points()) for (let i = 0; i < 3; i++) { low[i] = Math.min(low[i], p[i]); high[i] = Math.max(high[i], p[i]); }
    return [...low, ...high].every(Number.isFinite) ? [low, high] : this.bounds;
  }

  follow() {
    for (const [body, point] of this.tips) this.low = Math.min(this.low, this.at(body, point)[2]);
    for (const [body, point] of this.tips) {
      const p = this.at(body, point), trail = this.trails.get(body) || [];
      const last = trail.length ? trail.slice(-3) : null;
      if (last && norm(sub(p, last)) < 2e-3 * this.radius) continue;
      trail.push(...p);
      if (trail.length > 3 * WAKE) trail.splice(0, trail.length - 3 * WAKE);
      this.trails.set(body, trail);
    }
  }
}

/** A small block for a body that nothing else shows. */
function block({ bounds: [low, high] }, body) {
  const size = 0.025 * norm(sub(high, low));
  return { body, kind: "box", numbers: [1.5 * size, size, size], at: [0, 0, 0], turn: [0, 0, 0, 1], colour: "#6b7391" };
}

/** One, two or five times a power of ten, near a number. */
export function rounded(x) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(x, 1e-12))), lead = x / ten;
  return ten * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
