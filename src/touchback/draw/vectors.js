// Vectors as arrays of three, quaternions as x y z w, matrices of four columns one after another.
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const along = (a, way, s) => [a[0] + s * way[0], a[1] + s * way[1], a[2] + s * way[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = a => Math.hypot(a[0], a[1], a[2]);
export const unit = a => { const n = norm(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

/** Two directions across a third one, all of length one. */
export function across(z) {
  const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z));
  return [x, cross(z, x)];
}

/** A vector of a turned frame in the axes of the world. */
export function turned(q, v) {
  const t = scaled(cross(q, v), 2);
  return add(along(v, t, q[3]), cross(q, t));
}
export const conjugate = q => [-q[0], -q[1], -q[2], q[3]];
export const turnedBack = (q, v) => turned(conjugate(q), v);

/** One turn after another: first b, then a. */
export function composed(a, b) {
  const v = add(add(scaled(b, a[3]), scaled(a, b[3])), cross(a, b));
  return [...v, a[3] * b[3] - dot(a, b)];
}

export function times(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 16; j += 4) for (let i = 0; i < 4; i++)
    c[j + i] = a[i] * b[j] + a[4 + i] * b[j + 1] + a[8 + i] * b[j + 2] + a[12 + i] * b[j + 3];
  return c;
}

/** The matrix with these axes and this origin. */
export const placed = (x, y, z, p) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...p, 1]);

/** The matrix of a pose, its axes stretched by `size`. */
export function posed(p, q, size = [1, 1, 1]) {
  return placed(turned(q, [size[0], 0, 0]), turned(q, [0, size[1], 0]), turned(q, [0, 0, size[2]]), p);
}

/** The matrix that lays the unit tube from a to b. */
export function between(a, b, radius) {
  const way = sub(b, a), [x, y] = across(unit(way));
  return placed(scaled(x, radius), scaled(y, radius), way, a);
}

/** Where a ray (from, way) meets a plane, or null when it runs along it. */
export function meets(ray, point, normal) {
  const down = dot(ray.way, normal);
  if (Math.abs(down) < 1e-9) return null;
  return along(ray.from, ray.way, dot(sub(point, ray.from), normal) / down);
}

/** The parameter along the line (point, way) that lies nearest to a ray. */
export function nearest(ray, point, way) {
  const w = sub(point, ray.from), a = dot(way, way), b = dot(way, ray.way), c = dot(ray.way, ray.way);
  const d = dot(way, w), e = dot(ray.way, w), det = a * c - b * b;
  return det < 1e-12 * a * c ? 0 : (b * e - c * d) / det;
}
