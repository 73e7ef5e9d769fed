// The side view of a mechanism that moves in a plane: a drawing on paper, on a canvas.
import { dot, norm, posed, scaled, sub } from "./draw/vectors.js";
import { SideViewCamera } from "./side_view_camera.js";
import { rounded } from "./scene_state.js";

const PALE = "#9aa0b5", FORCE = "#e07a5f", CONTACT = "#2a9d8f", LOOP = "#7d5ba6", WATER = "#3a8fc4";
const SQUARE = [[-1, -1], [-1, 1], [1, 1], [1, -1]], ROUND = 48, COILS = 7;
const WIDE = { body: 7, cross: 3.5, arm: 2.2 }; // px

const circle = (radius, start, end) => Array.from({ length: ROUND + 1 }, (_, i) => {
  const v = start + (end - start) * i / ROUND;
  return [radius * Math.cos(v), 0, radius * Math.sin(v)];
});
/** Outlines of shapes in their own axes: [points, whether they go around an area]. */
const OUTLINES = {
  arc: ([r, start, end]) => [[circle(r, start, end), end - start > 6.28]],
  disc: ([r]) => [[circle(r, 0, 2 * Math.PI).map(([x, y, z]) => [x, z, y]), true]],
  face: ([length]) => [[[[0, 0, 0], [length, 0, 0]], false]],
  box: halves => [0, 1, 2].flatMap(axis => [-1, 1].map(side => [SQUARE.map(([a, b]) => {
    const p = [0, 0, 0];
    p[axis] = side * halves[axis]; p[(axis + 1) % 3] = a * halves[(axis + 1) % 3]; p[(axis + 2) % 3] = b * halves[(axis + 2) % 3];
    return p;
  }), true])),
};

const FEW = 200; // triangles of a mesh that is drawn one by one

/** Edges of triangles, three corners each: the numbers of their ends, and of the triangles that meet there. */
function edges(corners) {
  const found = new Map(), key = i => corners[i].join();
  for (let i = 0; i + 2 < corners.length; i += 3) for (const [a, b] of [[i, i + 1], [i + 1, i + 2], [i + 2, i]]) {
    const name = [key(a), key(b)].sort().join(" ");
    if (!found.has(name)) found.set(name, { ends: [a, b], of: [] });
    found.get(name).of.push(i / 3);
  }
  return [...found.values()];
}

/** Bodies that are drawn as plates: the corners that their lines go round, each from one to the next. */
export function plates(scene) {
  const sides = Map.groupBy(scene.shapes.filter(shape => shape.kind === "line" && shape.role === "body"), shape => shape.body);
  const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-9);
  return [...sides.values()].filter(lines => lines.length > 2 && lines.every(({ numbers }, i) => same(numbers.slice(3), lines[(i + 1) % lines.length].numbers.slice(0, 3))))
    .map(lines => ({ shape: lines[0], corners: lines.map(({ numbers }) => numbers.slice(0, 3)) }));
}

export class SideView {
  constructor(canvas, world) {
    this.canvas = canvas;
    this.world = world;
    this.paper = canvas.getContext("2d", { alpha: false });
    this.camera = new SideViewCamera({ centre: [0, 0, 0], radius: 1 }, [[1, 0, 0], [0, 0, 1]]);
  }

  take(scene, home) {
    this.outlines = new Map(scene.shapes.map(shape => [shape, (OUTLINES[shape.kind] || (() => []))(shape.numbers)]));
    this.plates = plates(scene);
    const [right, up] = scene.flat || [[1, 0, 0], [0, 0, 1]];
    Object.assign(this.camera, { right, up, away: [right[1] * up[2] - right[2] * up[1], right[2] * up[0] - right[0] * up[2], right[0] * up[1] - right[1] * up[0]] });
    if (!home) return;
    this.camera.radius = this.world.radius;
    this.fit(this.world.bounds);
  }

  /** Shows everything between two corners. */
  fit([low, high]) {
    const { camera, world } = this, spans = [camera.right, camera.up].map(way => Math.max(Math.abs(dot(sub(high, low), way)) / 2, 0.05 * world.radius));
    Object.assign(camera.first, { centre: scaled([low[0] + high[0], low[1] + high[1], low[2] + high[2]], 0.5), radius: world.radius, spans });
    camera.home();
  }

  get eye() { return this.camera; }

  draw(show, selected, colours) {
    const { canvas, paper, world, camera } = this, dense = Math.min(devicePixelRatio || 1, 2);
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * dense) || canvas.height !== Math.round(h * dense)) { canvas.width = Math.round(w * dense); canvas.height = Math.round(h * dense); }
    const { half } = camera.shot(w / h), s = h / 2 / half, m = camera.middle;
    this.size = [w, h]; this.scale = s;
    const row = (v, sign, middle) => [sign * s * v[0], sign * s * v[1], sign * s * v[2], middle - sign * s * (v[0] * m[0] + v[1] * m[1] + v[2] * m[2])];
    this.rows = [row(camera.right, 1, w / 2), row(camera.up, -1, h / 2)];
    paper.setTransform(dense, 0, 0, dense, 0, 0);
    paper.fillStyle = colours.paper;
    paper.fillRect(0, 0, w, h);
    paper.lineJoin = paper.lineCap = "round";
    this.colours = colours; this.selected = selected;
    if (show.ground) this.grid();
    for (const shape of world.scene.shapes) if (shape.kind === "plane" || shape.kind === "patch") this.plane(shape);
    for (const shape of world.scene.shapes) if (shape.kind === "surface") this.water(shape);
    for (const shape of world.scene.shapes) if (shape.kind === "ground") this.road(shape);
    if (show.trails) this.trails();
    for (const { shape, corners } of this.plates) { this.trace(corners.map(v => this.at(world.at(shape.body, v))), true); this.fill(shape.colour || PALE, 0.25); }
    for (const shape of world.scene.shapes) if (shape.kind === "line") this.stick(shape);
    for (const shape of world.scene.shapes) if (shape.kind !== "line") this.solid(shape);
    world.scene.springs.forEach((_, i) => this.spring(...world.spring(i)));
    if (show.joints) this.joints();
    if (show.frames) this.frames();
    if (show.inertias) this.inertias();
    this.arrows(show);
  }

  /** A point of the world on the paper [px]. */
  at(p) { const [x, y] = this.rows; return [x[0] * p[0] + x[1] * p[1] + x[2] * p[2] + x[3], y[0] * p[0] + y[1] * p[1] + y[2] * p[2] + y[3]]; }

  trace(points, closed) {
    const { paper } = this;
    paper.beginPath();
    points.forEach(([x, y], i) => i ? paper.lineTo(x, y) : paper.moveTo(x, y));
    if (closed) paper.closePath();
  }

  stroke(colour, width, alpha = 1) { const { paper } = this; paper.globalAlpha = alpha; paper.strokeStyle = colour; paper.lineWidth = width; paper.stroke(); paper.globalAlpha = 1; }
  fill(colour, alpha = 1) { const { paper } = this; paper.globalAlpha = alpha; paper.fillStyle = colour; paper.fill(); paper.globalAlpha = 1; }
  dot(p, radius) { this.paper.beginPath(); this.paper.arc(...this.at(p), radius, 0, 2 * Math.PI); }
  lit(shape) { return this.selected?.kind === "body" && this.selected.name === shape.body; }

  grid() {
    const [w, h] = this.size, step = rounded(70 / this.scale) * this.scale, { paper } = this, [x0, y0] = this.at([0, 0, 0]);
    paper.beginPath();
    for (let x = ((x0 % step) + step) % step; x < w; x += step) { paper.moveTo(x, 0); paper.lineTo(x, h); }
    for (let y = ((y0 % step) + step) % step; y < h; y += step) { paper.moveTo(0, y); paper.lineTo(w, y); }
    this.stroke(this.colours.grid, 1, 0.28);
  }

  /** A floor seen along its face is what lies below it; a hatched band, as on paper. */
  plane(shape) {
    const { p, q } = this.world.placed(shape), model = posed(p, q), n = [model[8], model[9], model[10]];
    const [x, y] = this.at(p), up = [n[0] * this.rows[0][0] + n[1] * this.rows[0][1] + n[2] * this.rows[0][2], n[0] * this.rows[1][0] + n[1] * this.rows[1][1] + n[2] * this.rows[1][2]];
    const length = Math.hypot(...up);
    if (length < 0.5 * this.scale) return;
    const far = shape.endless ? 4000 : 18, [ux, uy] = up.map(v => v / length), thick = shape.endless ? 14 : 0;
    this.trace([[x - far * uy, y + far * ux], [x + far * uy, y - far * ux], [x + far * uy - thick * ux, y - far * ux - thick * uy], [x - far * uy - thick * ux, y + far * ux - thick * uy]], true);
    this.fill(this.colours.grid, 0.3);
    this.trace([[x - far * uy, y + far * ux], [x + far * uy, y - far * ux]]);
    this.stroke(shape.endless ? this.colours.soft : shape.colour || PALE, shape.endless ? 1.5 : 3);
  }

  /** What lies below a free surface, down to the edge of the paper. */
  water(shape) {
    const { p, q } = this.world.placed(shape), model = posed(p, q), n = [model[8], model[9], model[10]];
    const [x, y] = this.at(p), up = this.rows.map(row => row[0] * n[0] + row[1] * n[1] + row[2] * n[2]), length = Math.hypot(...up);
    if (length < 0.5 * this.scale) return;
    const far = 2 * (this.size[0] + this.size[1]) + Math.hypot(x, y), [ux, uy] = up.map(v => far * v / length);
    const ends = [[x - uy, y + ux], [x + uy, y - ux]];
    this.trace([...ends, [ends[1][0] - ux, ends[1][1] - uy], [ends[0][0] - ux, ends[0][1] - uy]], true);
    this.fill(WATER, 0.16);
    this.trace(ends);
    this.stroke(WATER, 1.5);
  }

  /** A road from the side: the line of its highest points, and what lies below; of a wall what stands up. */
  road(shape) {
    const all = this.world.meshes.get(shape.mesh), upright = /(kerb|wall)$/.test(shape.role);
    if (!all || !(upright || shape.role === "asphalt")) return;
    const { p, q } = this.world.placed(shape), model = posed(p, q);
    const put = ([x, y, z]) => this.at([model[0] * x + model[4] * y + model[8] * z + model[12], model[1] * x + model[5] * y + model[9] * z + model[13], model[2] * x + model[6] * y + model[10] * z + model[14]]);
    if (upright) this.trace(hull(this.corners(shape).map(put)), true);
    else {
      const heights = new Map();
      for (let i = 0; i < all.length; i += 3) heights.set(all[i], Math.max(heights.get(all[i]) ?? -Infinity, all[i + 2]));
      const line = [...heights].sort((a, b) => a[0] - b[0]).map(([x, z]) => put([x, 0, z]));
      this.trace([...line, ...line.reverse().map(([x, y]) => [x, y + 14])], true);
    }
    this.fill(this.colours.grid, 0.3);
    this.stroke(this.colours.soft, 1);
  }

  stick(shape) {
    const ends = [shape.numbers.slice(0, 3), shape.numbers.slice(3)].map(v => this.at(this.world.at(shape.body, v)));
    const wide = WIDE[shape.role] || 3;
    this.trace(ends);
    if (this.lit(shape)) this.stroke(FORCE, wide + 7, 0.28);
    this.stroke(shape.colour || PALE, wide);
  }

  solid(shape) {
    const { p, q } = this.world.placed(shape), model = posed(p, q), colour = shape.colour || PALE;
    const put = ([x, y, z]) => this.at([model[0] * x + model[4] * y + model[8] * z + model[12], model[1] * x + model[5] * y + model[9] * z + model[13], model[2] * x + model[6] * y + model[10] * z + model[14]]);
    const finish = closed => {
      if (this.lit(shape)) this.stroke(FORCE, 8, 0.25);
      if (closed) this.fill(colour, 0.2);
      this.stroke(colour, 2);
    };
    for (const [points, closed] of this.outlines.get(shape) || []) {
      const flat = points.map(put);
      if (closed && Math.abs(area(flat)) < 0.5) continue; // seen from its edge: its neighbours show it
      this.trace(flat, closed);
      finish(closed);
    }
    if (shape.kind === "sphere" || shape.kind === "ellipsoid") { this.silhouette(model, shape.numbers); finish(true); }
    else if (shape.kind === "cylinder" || shape.kind === "capsule") { this.round(put, shape); finish(true); }
    else if (shape.kind === "mesh" && this.world.meshes.get(shape.mesh)) this.mesh(shape, put, colour, finish);
  }

  /** A mesh of few triangles as it is, with the edges between those seen from before and from behind; else its hull. */
  mesh(shape, put, colour, finish) {
    const corners = this.corners(shape);
    if (this.world.meshes.get(shape.mesh).length > 9 * FEW) { this.trace(hull(corners.map(put)), true); finish(true); return; }
    shape.edges ||= edges(corners);
    const { paper } = this, flat = corners.map(put), before = [];
    paper.beginPath();
    for (let i = 0; i + 2 < flat.length; i += 3) {
      const three = flat.slice(i, i + 3), turned = area(three) < 0;
      before.push(turned);
      (turned ? three.reverse() : three).forEach(([x, y], k) => k ? paper.lineTo(x, y) : paper.moveTo(x, y));
      paper.closePath();
    }
    this.fill(colour, 0.2);
    paper.beginPath();
    for (const { ends: [a, b], of } of shape.edges) if (of.length < 2 || before[of[0]] !== before[of[1]]) { paper.moveTo(...flat[a]); paper.lineTo(...flat[b]); }
    finish(false);
  }

  /** Some corners of a mesh, enough for its outline. */
  corners(shape) {
    if (!shape.corners) {
      const all = this.world.meshes.get(shape.mesh), step = 3 * Math.max(1, Math.floor(all.length / 3 / 600));
      shape.corners = [];
      for (let i = 0; i + 2 < all.length; i += step) shape.corners.push([all[i], all[i + 1], all[i + 2]]);
    }
    return shape.corners;
  }

  /** The rim of an ellipsoid: half axes S on the paper, rim √(S Sᵀ) of a circle. */
  silhouette(model, numbers) {
    const halves = numbers.length === 1 ? [numbers[0], numbers[0], numbers[0]] : numbers, [rx, ry] = this.rows;
    const columns = [0, 4, 8].map((o, i) => [rx, ry].map(r => halves[i] * (r[0] * model[o] + r[1] * model[o + 1] + r[2] * model[o + 2])));
    const a = columns.reduce((s, c) => s + c[0] * c[0], 0), b = columns.reduce((s, c) => s + c[0] * c[1], 0), d = columns.reduce((s, c) => s + c[1] * c[1], 0);
    const turn = 0.5 * Math.atan2(2 * b, a - d), root = Math.hypot((a - d) / 2, b);
    this.paper.beginPath();
    this.paper.ellipse(...this.at([model[12], model[13], model[14]]), Math.sqrt((a + d) / 2 + root), Math.sqrt(Math.max((a + d) / 2 - root, 0)), turn, 0, 2 * Math.PI);
  }

  /** The outline of a cylinder or capsule: around the rims of both ends. */
  round(put, { kind, numbers: [radius, half] }) {
    const ends = [-1, 1].flatMap(side => kind === "capsule"
      ? [0, 1, 2].flatMap(axis => circle(radius, 0, 2 * Math.PI).map(([x, , z]) => { const p = [x, 0, z]; return [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] + side * half]; }))
      : circle(radius, 0, 2 * Math.PI).map(([x, , z]) => [x, z, side * half]));
    this.trace(hull(ends.map(put)), true);
  }

  spring(a, b) {
    const [p, q] = [this.at(a), this.at(b)], way = [q[0] - p[0], q[1] - p[1]], length = Math.hypot(...way) || 1;
    const aside = [-way[1] / length * 7, way[0] / length * 7], points = [p, [p[0] + 0.12 * way[0], p[1] + 0.12 * way[1]]];
    for (let i = 0; i < 2 * COILS; i++) {
      const s = 0.15 + 0.7 * i / (2 * COILS - 1), side = i % 2 ? -1 : 1;
      points.push([p[0] + s * way[0] + side * aside[0], p[1] + s * way[1] + side * aside[1]]);
    }
    points.push([p[0] + 0.88 * way[0], p[1] + 0.88 * way[1]], q);
    this.trace(points);
    this.stroke(this.colours.soft, 1.6);
  }

  joints() {
    const { world } = this, ink = this.colours.ink;
    for (const { name, kind, parent, loose } of world.scene.joints) {
      if (kind === "Free" || kind === "Weld" || loose) continue;
      const { p, child } = world.joint(name), on = this.selected?.kind === "joint" && this.selected.name === name;
      this.trace([this.at(p), this.at(child)]);
      this.stroke(PALE, 1.8);
      if (parent.body === "ground" && kind === "Revolute") this.bearing(p);
      this.dot(p, on ? 7 : 5);
      this.fill(on ? FORCE : ink);
      if (kind === "Revolute") { this.dot(p, on ? 3 : 2); this.fill(this.colours.paper); }
    }
    for (const loop of world.scene.loops) {
      const on = this.selected?.kind === "loop" && this.selected.name === loop.name;
      this.dot(world.at(loop.a.body, loop.a.at), on ? 7 : 5);
      this.fill(on ? FORCE : LOOP);
      this.dot(world.at(loop.a.body, loop.a.at), on ? 3 : 2); this.fill(this.colours.paper);
    }
  }

  /** A bearing of the ground: a triangle on hatching. */
  bearing(p) {
    const [x, y] = this.at(p);
    this.trace([[x, y], [x - 10, y + 16], [x + 10, y + 16]], true);
    this.fill(this.colours.fill); this.stroke(this.colours.ink, 1.3);
    this.paper.beginPath();
    for (let i = -12; i <= 12; i += 6) { this.paper.moveTo(x + i, y + 16); this.paper.lineTo(x + i - 5, y + 22); }
    this.paper.moveTo(x - 14, y + 16); this.paper.lineTo(x + 14, y + 16);
    this.stroke(this.colours.ink, 1.3);
  }

  frames() {
    const { world } = this, length = 0.16 * world.radius;
    for (const body of world.scene.bodies) {
      const { p, q } = world.pose(body), model = posed(p, q, [length, length, length]);
      [["#d1495b", 0], ["#3a8f5c", 4], ["#2f6fb0", 8]].forEach(([colour, o]) => this.arrow(p, [model[o], model[o + 1], model[o + 2]], colour, 1.6));
    }
  }

  inertias() {
    for (const { body, halves, at, turn } of this.world.scene.inertias || []) {
      const { p, q } = this.world.placed({ body, at, turn: turn || [0, 0, 0, 1] });
      this.silhouette(posed(p, q), halves);
      this.fill("#b8860b", 0.25); this.stroke("#b8860b", 1);
      this.dot(p, 3); this.fill("#b8860b");
    }
  }

  trails() {
    for (const points of this.world.trails.values()) {
      const flat = [];
      for (let i = 0; i < points.length; i += 3) flat.push(this.at(points.slice(i, i + 3)));
      this.trace(flat);
      this.stroke(FORCE, 1.5, 0.6);
    }
  }

  arrow(p, way, colour, width) {
    const a = this.at(p), b = this.at([p[0] + way[0], p[1] + way[1], p[2] + way[2]]), d = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...d);
    if (length < 2) return;
    const head = Math.min(9, 0.5 * length), [ux, uy] = d.map(v => v / length * head);
    this.trace([a, b]);
    this.stroke(colour, width);
    this.trace([b, [b[0] - ux - 0.5 * uy, b[1] - uy + 0.5 * ux], [b[0] - ux + 0.5 * uy, b[1] - uy - 0.5 * ux]], true);
    this.fill(colour);
  }

  arrows(show) {
    const { world } = this, contacts = new Set(world.scene.contacts || []);
    world.scene.arrows.forEach((name, i) => {
      const touching = contacts.has(name);
      if (!(touching ? show.contacts : show.forces) || world.hidden(name)) return;
      const [p, force] = world.arrow(i), size = norm(force), length = Math.min(size / world.metre, 1.2 * world.radius);
      if (size > 0) this.arrow(p, scaled(force, length / size), touching ? CONTACT : FORCE, 2);
    });
  }
}

function area(points) {
  let sum = 0;
  for (let i = 0; i < points.length; i++) { const [a, b] = [points[i], points[(i + 1) % points.length]]; sum += a[0] * b[1] - a[1] * b[0]; }
  return sum / 2;
}

/** The convex outline of points on the paper. */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), half = list => {
    const out = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
