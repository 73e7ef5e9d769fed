// The plane that is drawn in: the x-z plane, or in space any through the last point; and the points that snap in it.
import { across, add, along, cross, dot, meets, nearest, norm, scaled, sub, unit } from "../draw/vectors.js";
import { rounded } from "../scene_state.js";

const NEAR = 11, BESIDE = 7; // px: so near a point, or a line, is meant
const STEP = Math.PI / 12; // rad: angles of 15°
export const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const clean = p => p.map(x => { const y = Number(x.toFixed(12)); return y === 0 ? 0 : y; });

/** The step of the grid where a pixel is so many metres: a fifth (or a quarter) of a square that is drawn. */
export function gridStep(perPixel) {
  const square = rounded(70 * perPixel), lead = Math.round(square / 10 ** Math.floor(Math.log10(square) + 1e-9));
  return square / (lead === 2 ? 4 : 5);
}

export class WorkPlane {
  constructor() {
    this.origin = [0, 0, 0];
    this.set("y");
  }

  /** Its normal: "x", "y", "z" or a vector. Angles count from its first axis to its second. */
  set(normal) {
    this.name = typeof normal === "string" ? normal : "";
    this.normal = unit(AXES[normal] || normal);
    const known = { x: ["y", "z"], y: ["x", "z"], z: ["x", "y"] }[normal];
    this.axes = known ? known.map(name => AXES[name]) : across(this.normal);
  }

  /** The point of the plane under a ray; null where it is seen from its edge. */
  under(ray) { return meets(ray, this.origin, this.normal); }

  /** A way in the plane at an angle from its first axis. */
  way(angle) { return add(scaled(this.axes[0], Math.cos(angle)), scaled(this.axes[1], Math.sin(angle))); }

  /** Length and angle from one point to another, seen along the normal. */
  polar(from, to) {
    const v = sub(to, from), [u, w] = this.axes.map(axis => dot(v, axis));
    return [norm(v), Math.atan2(w, u)];
  }

  /** The nearest point of the grid, which goes through the world's origin. */
  onGrid(p, step) {
    const rest = sub(p, this.origin), [u, w] = this.axes.map(axis => Math.round(dot(p, axis) / step) * step - dot(this.origin, axis));
    const high = dot(rest, this.normal);
    return clean(add(along(along(this.origin, this.axes[0], u), this.axes[1], w), scaled(this.normal, Math.abs(high) < 1e-9 ? 0 : high)));
  }
}

/** What somebody means by a point: {point, kind, words, guide}. `at` = {pixel(p), perPixel, ray}, `known` = {targets, axes}. */
export function snapped(raw, from, plane, at, known) {
  const away = p => { const [a, b] = [at.pixel(p), at.pixel(raw)]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  let best = null;
  const offer = (found, reach) => { const far = away(found.point); if (far < reach && (!best || far < best.far)) best = { ...found, far }; };
  for (const corner of [false, true]) {
    for (const each of known.targets) if (Boolean(each.corner) === corner) offer({ ...each, kind: "point" }, NEAR);
    if (best) return best; // a corner of an outline only where no joint, end or middle is near
  }
  for (const { point, way, words } of known.axes) if (at.ray) offer({ point: along(point, way, nearest(at.ray, point, way)), kind: "axis", words }, BESIDE);
  if (best) return { ...best, point: clean(best.point) };
  const step = gridStep(at.perPixel);
  offer({ point: plane.onGrid(raw, step), kind: "grid", words: "" }, Infinity);
  if (from) {
    const [length, angle] = plane.polar(from, along(raw, plane.normal, -dot(sub(raw, from), plane.normal))), turn = Math.round(angle / STEP) * STEP;
    const ahead = Math.max(step, Math.round(length * Math.cos(angle - turn) / step) * step);
    offer({ point: clean(along(from, plane.way(turn), ahead)), kind: "angle", words: `${Math.round(turn * 180 / Math.PI)}°`, guide: from }, Infinity);
  }
  aligned(raw, plane, at, known.targets, step, offer);
  return best;
}

/** Points beside, above or below another one, as far along as the grid says. */
function aligned(raw, plane, at, targets, step, offer) {
  for (const { point, words } of targets) {
    if (Math.abs(dot(sub(point, raw), plane.normal)) > step / 2) continue;
    plane.axes.forEach((axis, i) => {
      const other = plane.axes[1 - i], miss = Math.abs(dot(sub(raw, point), axis));
      if (miss > BESIDE * at.perPixel / 2) return;
      const on = plane.onGrid(raw, step);
      const found = along(point, other, dot(sub(on, point), other));
      offer({ point: clean(found), kind: "beside", words: `in line with ${words}`, guide: point }, 0.6 * BESIDE);
    });
  }
}

/** A point with what was typed of it: {length, angle, x, y, z}, each a number or undefined. */
export function typedPoint(point, from, plane, { length, angle, ...places }) {
  let made = point;
  if (from && (length !== undefined || angle !== undefined)) {
    const [far, turn] = plane.polar(from, made);
    made = along(from, plane.way(angle ?? (length === undefined ? turn : Math.round(turn / STEP) * STEP)), length ?? far);
  }
  return clean(made.map((x, i) => places["xyz"[i]] ?? x));
}

/** The plane through three points of an outline, or null where they lie on a line. */
export function normalOf([a, b, c]) {
  const n = cross(sub(b, a), sub(c, a));
  return norm(n) > 1e-12 ? unit(n) : null;
}
