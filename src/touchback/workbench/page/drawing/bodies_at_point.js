// Which bodies lie at a point of the drawing, those that are drawn last first; and what of it an item of the document is under the pointer.
import { dot, norm, sub, turnedBack } from "../draw/vectors.js";
import { pickBody } from "../body_picking.js";

/** How far a point of the shape's own axes lies outside of it [m], about. */
const OUTSIDE = {
  box: (p, halves) => Math.max(...p.map((x, i) => Math.abs(x) - halves[i])),
  sphere: (p, halves) => norm(p) - Math.max(...halves),
  cylinder: ([x, y, z], [radius, half]) => Math.max(Math.hypot(x, y) - radius, Math.abs(z) - half),
  capsule: ([x, y, z], [radius, half]) => Math.hypot(x, y, Math.max(0, Math.abs(z) - half)) - radius,
  disc: ([x, y, z], [radius]) => Math.max(Math.hypot(x, y) - radius, Math.abs(z) - radius / 20),
  arc: ([x, y, z], [radius]) => Math.max(Math.hypot(x, z) - radius, Math.abs(y) - radius / 20),
};
OUTSIDE.ellipsoid = OUTSIDE.box;

function inMesh([x, , z], triangles) { // of an outline, seen along y: how often its triangles cover the point
  if (!triangles) return Infinity;
  for (let i = 0; i < triangles.length; i += 9) {
    const [ax, az, bx, bz, cx, cz] = [0, 2, 3, 5, 6, 8].map(k => triangles[i + k]);
    const side = (px, pz, qx, qz) => (qx - px) * (z - pz) - (qz - pz) * (x - px);
    const [a, b, c] = [side(ax, az, bx, bz), side(bx, bz, cx, cz), side(cx, cz, ax, az)], eps = 1e-9;
    if (Math.abs((bx - ax) * (cz - az) - (bz - az) * (cx - ax)) > 1e-12 && ((a >= -eps && b >= -eps && c >= -eps) || (a <= eps && b <= eps && c <= eps))) return 0;
  }
  return Infinity;
}

function outside(world, shape, p, planar) {
  if (shape.kind === "line") {
    const [a, b] = [shape.numbers.slice(0, 3), shape.numbers.slice(3)].map(v => world.at(shape.body, v)), way = sub(b, a), all = dot(way, way) || 1;
    const s = Math.max(0, Math.min(1, dot(sub(p, a), way) / all));
    return norm(sub(p, a.map((x, i) => x + s * way[i])));
  }
  const placed = world.placed(shape), seen = planar ? [p[0], placed.p[1], p[2]] : p, own = turnedBack(placed.q, sub(seen, placed.p));
  if (shape.kind === "mesh") {
    const triangles = world.meshes.get(shape.mesh);
    return planar ? inMesh(own, triangles) : triangles ? OUTSIDE.box(own, shape.numbers.slice(0, 3)) : Infinity;
  }
  return OUTSIDE[shape.kind] ? OUTSIDE[shape.kind](own, shape.numbers) : Infinity;
}

/** Names of the bodies at a point, within a distance [m]: first those that have an end or a corner there, then those that cover it. */
export function bodiesAt(world, drawing, p, near) {
  const found = new Set();
  for (const { name, points = [] } of [...drawing.told.bodies].reverse()) if (points.some(each => norm(sub(each, p)) < 1e-6)) found.add(name);
  if (world.scene) for (const shape of [...world.scene.shapes].reverse())
    if (shape.body !== "ground" && !shape.endless && drawing.body(shape.body) && outside(world, shape, p, drawing.planar) <= near) found.add(shape.body);
  return [...found];
}

/** The pair that a joint at a point is to connect: two of the bodies there that no joints at that point connect yet, or one and the ground; null: nothing is left. */
export function pairAt(bodies, joints, p, near) {
  const group = new Map([...bodies, "ground"].map(name => [name, name]));
  const root = name => { let at = name; while (group.has(at) && group.get(at) !== at) at = group.get(at); return at; };
  for (const { a, b, at, kind } of joints) if (at && kind !== "rod" && kind !== "distance" && norm(sub(at, p)) <= near && group.has(a) && group.has(b)) group.set(root(a), root(b));
  for (let i = 0; i < bodies.length; i++) for (let j = i + 1; j < bodies.length; j++) if (root(bodies[i]) !== root(bodies[j])) return [bodies[j], bodies[i]];
  return bodies.length === 1 && root(bodies[0]) !== root("ground") ? ["ground", bodies[0]] : null;
}

/** The item of the document under a place of the view: {section, name, point}, marks of joints and sensors before bodies. */
export function itemAt(view, drawing, e) {
  const { world, eye, canvas } = view, [x, y] = view.place(e), [w, h] = [canvas.clientWidth, canvas.clientHeight];
  let best = null;
  const offer = (section, name, point, reach) => {
    const [px, py, depth] = view.pixel(point), far = Math.hypot(px - x * w, py - y * h);
    if (depth > 0 && far < reach && (!best || far < best.far)) best = { section, name, point, far };
  };
  const { bodies, parameters, ...marked } = drawing.lists();
  for (const [section, list] of Object.entries(marked)) for (const each of list) {
    const point = drawing.anchor({ section, name: each.name });
    if (point) offer(each.section || section, each.name, point, section === "forces" ? 14 : 10);
  }
  if (best) return best;
  const body = world.ready ? pickBody(world, eye, x, y, h) : null;
  return body && drawing.body(body.body) ? { section: "bodies", name: body.body, point: body.point } : null;
}
