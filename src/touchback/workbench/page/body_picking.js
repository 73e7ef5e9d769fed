// Which body a pointer means: the ray through it against shapes; lines of stick figures by nearness.
import { add, along, cross, dot, nearest, norm, scaled, sub, turned, turnedBack, composed } from "./draw/vectors.js";

const NEAR = 10; // px beside a line that still mean it

/** The distances along a ray (in the shape's axes) at which it enters a solid, or Infinity. */
const HITS = {
  box: (from, way, [x, y, z]) => {
    let enter = -Infinity, leave = Infinity;
    [x, y, z].forEach((half, i) => {
      const a = (-half - from[i]) / way[i], b = (half - from[i]) / way[i];
      if (Number.isNaN(a) || Number.isNaN(b)) return;
      enter = Math.max(enter, Math.min(a, b));
      leave = Math.min(leave, Math.max(a, b));
    });
    return enter <= leave && leave > 0 ? Math.max(enter, 0) : Infinity;
  },
  sphere: (from, way, halves) => {
    const h = halves.length === 1 ? [halves[0], halves[0], halves[0]] : halves;
    const f = from.map((x, i) => x / h[i]), w = way.map((x, i) => x / h[i]);
    return roots(dot(w, w), dot(f, w), dot(f, f) - 1);
  },
  cylinder: (from, way, [radius, half]) => {
    const side = roots(way[0] ** 2 + way[1] ** 2, from[0] * way[0] + from[1] * way[1], from[0] ** 2 + from[1] ** 2 - radius ** 2);
    if (Math.abs(from[2] + side * way[2]) <= half) return side;
    return Math.min(...[-half, half].map(z => {
      const t = (z - from[2]) / way[2], p = along(from, way, t);
      return t > 0 && p[0] ** 2 + p[1] ** 2 <= radius ** 2 ? t : Infinity;
    }));
  },
  capsule: (from, way, [radius, half]) => Math.min(
    HITS.cylinder(from, way, [radius, half]),
    ...[-half, half].map(z => HITS.sphere(sub(from, [0, 0, z]), way, [radius])),
  ),
  disc: (from, way, [radius]) => HITS.cylinder(from, way, [radius, radius / 50]),
  arc: (from, way, [radius, start, end]) => {
    const t = -from[1] / way[1], p = along(from, way, t), r = Math.hypot(p[0], p[2]);
    const whole = end - start > 6.28;
    return t > 0 && r <= 1.1 * radius && (whole || r > 0.8 * radius) ? t : Infinity;
  },
  face: (from, way, [length]) => HITS.box(sub(from, [length / 2, 0, 0]), way, [length / 2, length / 12, length / 40]),
  mesh: (from, way, numbers, shape, world) => world.meshes.get(shape.mesh) ? meshHit(from, way, world.meshes.get(shape.mesh)) : Infinity,
};
HITS.ellipsoid = HITS.sphere;

function roots(a, b, c) {  // a t² + 2 b t + c = 0
  const d = b * b - a * c;
  if (d < 0 || a < 1e-18) return Infinity;
  const t = (-b - Math.sqrt(d)) / a;
  return t > 0 ? t : (-b + Math.sqrt(d)) / a > 0 ? 0 : Infinity;
}

function meshHit(from, way, triangles) {  // Möller and Trumbore
  let best = Infinity;
  for (let i = 0; i < triangles.length; i += 9) {
    const a = triangles.subarray(i, i + 3), u = sub(triangles.subarray(i + 3, i + 6), a), v = sub(triangles.subarray(i + 6, i + 9), a);
    const p = cross(way, v), d = dot(u, p);
    if (Math.abs(d) < 1e-18) continue;
    const s = sub(from, a), x = dot(s, p) / d, q = cross(s, u), y = dot(way, q) / d, t = dot(v, q) / d;
    if (x >= 0 && y >= 0 && x + y <= 1 && t > 0 && t < best) best = t;
  }
  return best;
}

/** The body under a place of the view: {body, point in the world, local} or null. */
export function pickBody(world, eye, x, y, height) {
  const ray = eye.ray(x, y);
  let best = null;
  const offer = (shape, t, point, off = 0) => {
    const rank = t + off;
    if (t < Infinity && (!best || rank < best.rank)) best = { body: shape.body, point, rank };
  };
  for (const shape of world.scene.shapes) {
    if (shape.body === "ground" || shape.endless) continue;
    const { p, q } = world.pose(shape.body);
    if (shape.kind === "line") {
      const [a, b] = [shape.numbers.slice(0, 3), shape.numbers.slice(3)].map(v => add(p, turned(q, v)));
      const way = sub(b, a), s = Math.max(0, Math.min(1, nearest(ray, a, way))), point = along(a, way, s);
      const t = dot(sub(point, ray.from), ray.way), miss = norm(sub(along(ray.from, ray.way, t), point));
      const near = NEAR * eye.perPixel(point, height) + (shape.role === "body" ? 0.02 * world.radius : 0);
      if (t > 0 && miss < near) offer(shape, t, point, 0.5 * miss);
      continue;
    }
    const hit = HITS[shape.kind];
    if (!hit) continue;
    const turn = composed(q, shape.turn), origin = add(p, turned(q, shape.at));
    const t = hit(turnedBack(turn, sub(ray.from, origin)), turnedBack(turn, ray.way), shape.numbers, shape, world);
    const point = along(ray.from, ray.way, t);
    offer(shape, t, eye.flat ? add(point, scaled(ray.way, dot(sub(origin, point), ray.way))) : point);
  }
  return best && { ...best, local: world.local(best.body, best.point) };
}

/** The joint or loop whose mark is within some pixels of a place, or null. */
export function pickJoint(world, eye, x, y, width, height, reach = 12) {
  let best = null;
  const offer = (kind, name, p) => {
    const [u, v] = eye.project(p), far = Math.hypot((u - x) * width, (v - y) * height);
    if (far < reach && (!best || far < best.far)) best = { kind, name, far };
  };
  for (const each of world.scene.joints) offer("joint", each.name, world.joint(each.name).p);
  for (const each of world.scene.loops) offer("loop", each.name, world.at(each.a.body, each.a.at));
  return best;
}
