// What will be drawn, before it is: outlines, the line and its numbers, the mark of what a point snapped to.
import { short } from "../dom.js";
import { add, along, cross, dot, norm, scaled, sub, unit } from "../draw/vectors.js";
import { gridStep } from "./work_plane.js";

const ROUND = 40;
const MARKS = { point: 7, axis: 6, angle: 0, beside: 0, grid: 0 };

/** Outlines of a tool's ghost in the world: lists of points. */
function outlines(shape, points, plane, options) {
  if (points.length < 2) return [];
  const [a, b] = points;
  if (shape === "bar") {
    const way = unit(sub(b, a)), side = scaled(unit(cross(plane.normal, way)), (options.width || 0.03) / 2);
    return [[add(a, side), add(b, side), sub(b, side), sub(a, side), add(a, side)]];
  }
  if (shape === "rectangle") {
    const [u, w] = plane.axes.map(axis => scaled(axis, dot(sub(b, a), axis)));
    return [[a, add(a, u), add(add(a, u), w), add(a, w), a]];
  }
  if (shape === "circle") {
    const radius = norm(sub(b, a));
    return [Array.from({ length: ROUND + 1 }, (_, i) => along(a, plane.way(2 * Math.PI * i / ROUND), radius))];
  }
  return [shape === "polygon" ? [...points, a] : [...points]];
}

/** Paints the session of a tool over the view. */
export function paintGhost(overlay, view, { tool, points, cursor, plane, options, planar, keyboard }) {
  const { accent, soft, ink } = view.colours, pixel = p => view.pixel(p), at = pixel(cursor.point);
  if (!planar) paintPlane(overlay, view, plane, cursor.point);
  const all = [...points, cursor.point];
  if (tool.points !== 1) for (const [i, line] of outlines(tool.shape, all, plane, options).entries())
    overlay.line(`ghost ${i}`, line.map(pixel), { stroke: accent, "stroke-width": 2, fill: "none", "stroke-dasharray": tool.shape ? null : "6 5", ...(tool.shape === "coil" && { "stroke-dasharray": "2 4" }) });
  points.forEach((p, i) => overlay.circle(`ghost point ${i}`, pixel(p), 4, { fill: accent }));
  if (cursor.guide) overlay.line("guide", [pixel(cursor.guide), at], { stroke: soft, "stroke-width": 1, "stroke-dasharray": "3 4" });
  overlay.line("cross 1", [[at[0] - 9, at[1]], [at[0] + 9, at[1]]], { stroke: keyboard ? accent : ink, "stroke-width": keyboard ? 2 : 1 });
  overlay.line("cross 2", [[at[0], at[1] - 9], [at[0], at[1] + 9]], { stroke: keyboard ? accent : ink, "stroke-width": keyboard ? 2 : 1 });
  if (MARKS[cursor.kind]) overlay.circle("snap", at, MARKS[cursor.kind], { fill: "none", stroke: accent, "stroke-width": 2 });
  const from = points.at(-1), words = [];
  if (from) { const [length, angle] = plane.polar(from, cursor.point); words.push(`${short(length, 4)} m`, `${short(angle * 180 / Math.PI, 4)}°`); }
  else words.push(...(planar ? [cursor.point[0], cursor.point[2]] : cursor.point).map(x => short(x, 4)));
  overlay.text("ghost numbers", [at[0] + 14, at[1] + 22], words.join("  "), { "font-weight": 500 });
  if (cursor.words) overlay.text("ghost snap", [at[0] + 14, at[1] - 12], cursor.words, { fill: accent });
}

/** The work plane in space: its grid around the cursor, and the axes in it. */
function paintPlane(overlay, view, plane, around) {
  const step = 5 * gridStep(view.eye.perPixel(around, view.canvas.clientHeight)), [u, w] = plane.axes, middle = plane.onGrid(around, step), count = 4;
  for (let i = -count; i <= count; i++) for (const [k, [a, b]] of [[u, w], [w, u]].entries()) {
    const p = along(middle, a, i * step), line = [along(p, b, -count * step), along(p, b, count * step)].map(each => view.pixel(each));
    if (line.every(each => each[2] > 0)) overlay.line(`plane ${k} ${i}`, line, { stroke: view.colours.accent, "stroke-width": 1, "stroke-opacity": i ? 0.22 : 0.45 });
  }
}

/** The axis of a joint to be, through a point. */
export function paintAxis(overlay, view, point, axis, planar) {
  if (planar || !axis) return;
  const length = 60 * view.eye.perPixel(point, view.canvas.clientHeight);
  const [a, b] = [along(point, axis, -length), along(point, axis, length)].map(p => view.pixel(p));
  if (a[2] > 0 && b[2] > 0) overlay.arrow("joint axis", a, b, view.colours.accent, 2.5);
}

/** Rings around what is chosen beside the first, names of joints, and marks of sensors, forces and traces, which the scene itself doesn't show at rest. */
export function paintChosen(overlay, view, drawing) {
  const { accent, soft, paper, ink } = view.colours;
  drawing.chosen.forEach((item, i) => {
    const p = drawing.anchor(item);
    if (p) overlay.circle(`chosen ${i}`, view.pixel(p), 11, { fill: "none", stroke: accent, "stroke-width": 2, "stroke-dasharray": "4 3" });
  });
  const { sensors, drives, forces, closures } = drawing.lists();
  for (const { name, a, b, at, kind, to } of closures) {
    const [x, y, depth] = view.pixel(at), foot = y + 16;
    if (kind === "rod" && to) overlay.line(`rod ${name}`, [[x, y], view.pixel(to)], { stroke: ink, "stroke-width": 2.5 });
    else if ((a === "ground" || b === "ground") && depth > 0) overlay.line(`ground ${name}`, [[x, y], [x - 9, foot], [x + 9, foot], [x, y]], { stroke: ink, "stroke-width": 1.5 });
  }
  for (const each of sensors) {
    const p = drawing.anchor({ section: "sensors", name: each.name });
    if (p) overlay.circle(`sensor ${each.name}`, view.pixel(p), 4, { fill: paper, stroke: accent, "stroke-width": 2 });
  }
  for (const [section, list] of [["drives", drives], ["forces", forces.filter(each => !Array.isArray(each.a))]]) for (const each of list) {
    const p = drawing.anchor({ section, name: each.name });
    if (!p) continue;
    const [x, y] = view.pixel(p);
    overlay.line(`${section} ${each.name}`, Array.from({ length: 19 }, (_, i) => { const v = -0.6 + i * 0.29; return [x + 13 * Math.cos(v), y - 13 * Math.sin(v)]; }), { stroke: section === "drives" ? accent : soft, "stroke-width": 2 });
  }
}
