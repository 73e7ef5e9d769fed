// Triangles and edges of solids, in their own axes: six numbers a corner, its place and its normal.
import { cross, sub, unit } from "./vectors.js";

const ROUND = 32;

/** Flat-sided: nine numbers a triangle become corners with the normal of their side. */
export function sided(triangles) {
  const corners = new Float32Array(2 * triangles.length);
  for (let i = 0; i < triangles.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map(o => [triangles[i + o], triangles[i + o + 1], triangles[i + o + 2]]);
    const n = unit(cross(sub(b, a), sub(c, a)));
    [a, b, c].forEach((p, k) => corners.set([...p, ...n], 2 * i + 6 * k));
  }
  return { corners };
}

function net(rows, columns, point) {  // point(i, j): [x, y, z, nx, ny, nz]
  const corners = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++)
    for (const [a, b] of [[i, j], [i + 1, j], [i + 1, j + 1], [i, j], [i + 1, j + 1], [i, j + 1]]) corners.push(...point(a, b));
  return corners;
}

const circle = (z, r = 1) => {
  const lines = [];
  for (let j = 0; j < ROUND; j++) for (const k of [j, j + 1]) {
    const v = 2 * Math.PI * k / ROUND;
    lines.push(r * Math.cos(v), r * Math.sin(v), z);
  }
  return lines;
};

export function ball(rings = ROUND / 2) {  // of radius one: its normals are its points
  const corners = net(rings, 2 * rings, (i, j) => {
    const u = Math.PI * i / rings, v = Math.PI * j / rings;
    const p = [Math.sin(u) * Math.cos(v), Math.sin(u) * Math.sin(v), Math.cos(u)];
    return [...p, ...p];
  });
  return { corners };
}

/** Half a ball, above z = 0. */
export function dome(rings = ROUND / 4) {
  const corners = net(rings, 4 * rings, (i, j) => {
    const u = Math.PI * i / rings / 2, v = Math.PI * j / rings / 2;
    const p = [Math.sin(u) * Math.cos(v), Math.sin(u) * Math.sin(v), Math.cos(u)];
    return [...p, ...p];
  });
  return { corners };
}

/** Of radius one from z = 0 to 1; with top 0 a cone. Covered at both ends by default. */
export function tube(top = 1, covers = true, sides = ROUND) {
  const way = j => { const v = 2 * Math.PI * j / sides; return [Math.cos(v), Math.sin(v)]; };
  const corners = net(1, sides, (i, j) => {
    const [x, y] = way(j), r = i ? top : 1;
    return [r * x, r * y, i, x, y, 1 - top];
  });
  if (covers) for (let j = 0; j < sides; j++) for (const z of [0, 1]) for (const p of [[0, 0], way(j), way(j + 1)]) {
    const r = z ? top : 1;
    corners.push(r * p[0], r * p[1], z, 0, 0, z ? 1 : -1);
  }
  return { corners, edges: covers ? [...circle(0), ...(top === 1 ? circle(1) : [])] : [] };
}

/** Half lengths one. */
export function box() {
  const corners = [], edges = [], at = (axis, a, b, c) => { const p = [0, 0, 0]; p[axis] = a; p[(axis + 1) % 3] = b; p[(axis + 2) % 3] = c; return p; };
  for (let axis = 0; axis < 3; axis++) for (const side of [-1, 1]) {
    for (const [b, c] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]])
      corners.push(...at(axis, side, b, c), ...at(axis, side, 0, 0));
    for (const other of [-1, 1]) edges.push(...at(axis, -1, side, other), ...at(axis, 1, side, other));
  }
  return { corners, edges };
}

/** A band of half width one along y that follows the unit circle in the x-z plane; all around it is closed by covers. */
export function band(start, end) {
  const whole = end - start > 2 * Math.PI - 1e-3, count = ROUND, edges = [];
  const way = j => { const v = start + (end - start) * j / count; return [Math.cos(v), Math.sin(v)]; };
  const corners = net(1, count, (i, j) => { const [x, z] = way(j); return [x, 2 * i - 1, z, x, 0, z]; });
  for (let j = 0; j < count; j++) for (const y of [-1, 1]) {
    const [a, b] = [way(j), way(j + 1)];
    edges.push(a[0], y, a[1], b[0], y, b[1]);
    if (whole) for (const p of [[0, 0], a, b]) corners.push(p[0], y, p[1], 0, y, 0);
  }
  return { corners, edges };
}

/** The square of half side one across z. */
export function sheet() {
  const corners = [];
  for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) corners.push(x, y, 0, 0, 0, 1);
  return { corners, edges: [-1, -1, 0, 1, -1, 0, 1, -1, 0, 1, 1, 0, 1, 1, 0, -1, 1, 0, -1, 1, 0, -1, -1, 0] };
}

/** Lines of a ground grid of half side `count` cells. */
export function grid(count) {
  const edges = [];
  for (let i = -count; i <= count; i++) edges.push(i, -count, 0, i, count, 0, -count, i, 0, count, i, 0);
  return { corners: [], edges };
}

/** A coil along z from 0 to 1 with radius one: line strip points. */
export function coil(turns = 9, steps = 14) {
  const line = [0, 0, 0, 0, 0, 0.08], count = turns * steps;
  for (let i = 0; i <= count; i++) {
    const v = 2 * Math.PI * i / steps, grow = Math.min(1, 4 * i / count, 4 * (count - i) / count + 0.05);
    line.push(grow * Math.cos(v), grow * Math.sin(v), 0.1 + 0.8 * i / count);
  }
  line.push(0, 0, 0.92, 0, 0, 1);
  return { corners: [], edges: [], line };
}
