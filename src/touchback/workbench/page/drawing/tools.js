// The tools of the drawing as data: how many points each takes, what it shows while they are chosen, what it tells the server then.
import { add, dot, norm, scaled, sub } from "../draw/vectors.js";

const JOINTS = { revolute: "revolute", prismatic: "slider", fixed: "weld", spherical: "ball", universal: "universal", cylindrical: "cylindrical", planar: "planar", screw: "screw", free: "free" };
const SENSORS = { position: "position", velocity: "velocity", acceleration: "acceleration", "angular-velocity": "angular velocity", angle: "angle of a joint", speed: "speed of a joint", force: "force in a joint", effort: "effort of a joint", energy: "energy" };
const POINTED = ["position", "velocity", "acceleration", "angular-velocity"];
const METRE = { unit: "m" };
const NO_JOINT = "There is no joint here: press on one, or choose it first.";
const OF = { value: "", text: "the first" }; // which coordinate of a joint, as turn
/** A coordinate of a joint by its name; of none the joint's. */
const coordinateOf = (joint, { coordinate }) => coordinate ? `${joint}.${coordinate}` : joint;
const half = (a, b) => scaled(add(a, b), 0.5);
/** Extents of a box between two corners: along the axes of the plane as drawn, across it by its depth. */
const extents = (a, b, plane, depth) => sub(b, a).map((x, i) => { const size = Math.abs(x); return size > 1e-9 && Math.abs(plane.normal[i]) < 0.5 ? size : depth; });

/** points: how many (0: as many as are drawn until Enter). `ends`: its points lie on bodies. `hint`: for each point. `does(points, options, context)`: {change, …} or a text that says why not. */
export const TOOLS = {
  select: { label: "Choose and move", key: "V", icon: "M5 3l10 7-4.5.8L8 16z", points: -1 },
  bar: { label: "Bar", key: "B", icon: "M4.5 13.5l9-9a1.4 1.4 0 0 1 2 2l-9 9a1.4 1.4 0 0 1-2-2zM6 14h.01M14 6h.01", points: 2, shape: "bar", hint: ["One end", "The other end"],
    options: { width: { value: 0.03, ...METRE }, depth: { value: 0.01, ...METRE } },
    does: ([from, to], { width, depth }) => ({ change: "bar", from, to, width, depth }) },
  box: { label: "Box", key: "K", icon: "M3.5 6h13v9h-13z", points: 2, shape: "rectangle", hint: ["One corner", "The opposite corner"], options: { depth: { value: 0.02, ...METRE } },
    does: ([a, b], { depth }, { plane }) => ({ change: "box", at: half(a, b), size: extents(a, b, plane, depth) }) },
  disc: { label: "Disc", key: "D", icon: "M10 3.5a6.5 6.5 0 1 0 .01 0M10 10h.01", points: 2, shape: "circle", hint: ["The centre", "A point of the rim"], options: { thickness: { value: 0.02, ...METRE } },
    does: ([at, rim], { thickness }, { plane }) => ({ change: "disc", at, radius: norm(sub(rim, at)), thickness, axis: plane.normal }) },
  ball: { label: "Ball", key: "L", icon: "M10 3.5a6.5 6.5 0 1 0 .01 0M3.5 10c3.6 2.6 9.4 2.6 13 0", points: 2, shape: "circle", hint: ["The centre", "A point of the surface"],
    does: ([at, rim]) => ({ change: "sphere", at, radius: norm(sub(rim, at)) }) },
  outline: { label: "Outline", key: "O", icon: "M3.5 15l2-9 6 3 5-4-1 10z", points: 0, least: 3, shape: "polygon", hint: ["The first corner", "The next corner", "The next corner; Enter closes the outline"], options: { depth: { value: 0.02, ...METRE } },
    does: (points, { depth }) => ({ change: "outline", points, depth }) },
  mesh: { label: "Solid of a mesh", key: "⇧K", icon: "M10 2.5l7 12.5H3zM10 2.5l-2.5 8.5L3 15M8 11l9 4", points: 1, hint: ["Where the mesh's origin is to be"], options: { file: { value: "", text: "STL, OBJ" } },
    does: ([at], { file }) => file ? { change: "mesh", at, file } : "Type the name of a mesh in the drawing's folder." },
  joint: { label: "Joint", key: "J", icon: "M10 7a3 3 0 1 0 .01 0M3 17l5-5M17 3l-5 5", points: 1, axis: true, hint: ["Where bodies lie over each other: joins two; on one body: to the ground"],
    options: { kind: { value: "revolute", choices: JOINTS } }, connects: "pair" },
  ground: { label: "Ground", key: "G", icon: "M10 3v7M3 10h14M5 10l-2 4M9 10l-2 4M13 10l-2 4M17 10l-2 4", points: 1, axis: true, hint: ["A point of a body: joins it to the ground there"],
    options: { kind: { value: "revolute", choices: JOINTS } }, connects: "ground" },
  rod: { label: "Rod without mass", key: "R", icon: "M4 16L16 4M4 14.5a1.5 1.5 0 1 0 .01 0M16 2.5a1.5 1.5 0 1 0 .01 0", points: 2, ends: true, hint: ["A point of a body or of the ground", "A point of another"],
    does: (_, options, { a, b }) => ({ change: "rod", a, b }) },
  spring: { label: "Spring", key: "N", icon: "M3 17l2-2-1.5-3.5L9 13 7 8l5.5 1.5L11 5l4 1.5L17 3", points: 2, ends: true, shape: "coil", hint: ["A point of a body or of the ground", "A point of another"],
    options: { stiffness: { value: 200, unit: "N/m" }, damping: { value: 2, unit: "N s/m" } }, does: (_, { stiffness, damping }, { a, b }) => ({ change: "spring", a, b, stiffness, damping }) },
  damper: { label: "Damper", key: "H", icon: "M3 10h5M8 6h7M8 14h7M8 6v8M11.5 7.5v5M11.5 10H18", points: 2, ends: true, hint: ["A point of a body or of the ground", "A point of another"],
    options: { damping: { value: 10, unit: "N s/m" } }, does: (_, { damping }, { a, b }) => ({ change: "damper", a, b, damping }) },
  torsion: { label: "Torsion spring", key: "Q", icon: "M10 10a1.5 1.5 0 1 1 1.5 1.5A3.5 3.5 0 1 1 13.5 8M13.5 8A5.5 5.5 0 1 0 10 15.5H17", points: 1, on: "joint", hint: ["A joint"],
    options: { stiffness: { value: 5, unit: "N m/rad" }, damping: { value: 0.05, unit: "N m s/rad" }, coordinate: OF }, does: (_, { stiffness, damping, ...own }, { joint }) => joint ? { change: "torsion", joint: coordinateOf(joint, own), stiffness, damping } : NO_JOINT },
  motor: { label: "Motor", key: "M", icon: "M10 3.5a6.5 6.5 0 1 0 .01 0M7 12.5v-5l3 3.5 3-3.5v5", points: 1, on: "joint", hint: ["A joint: an input drives it by a torque or a force"], options: { coordinate: OF }, does: (_, options, { joint }) => joint ? { change: "motor", joint: coordinateOf(joint, options) } : NO_JOINT },
  drive: { label: "Drive at a rate", key: "W", icon: "M15.5 12.5A6.5 6.5 0 1 1 14 5.200M14.600 1.600L14.400 5.600L10.400 5.400M10 10h.01", points: 1, on: "joint", hint: ["A joint: it moves at this rate, or by a law of time"],
    options: { rate: { value: 3.14, unit: "rad/s" }, law: { value: "", text: "of time" }, coordinate: OF },
    does: (_, { rate, law, ...own }, { joint }) => !joint ? NO_JOINT : { change: "drive", joint: coordinateOf(joint, own), ...(law ? { law } : { rate }) } },
  sensor: { label: "Sensor", key: "E", icon: "M3 13a7 7 0 0 1 14 0M10 13l3-4.5M3 15.5h14", points: 1, on: "any", hint: ["A point of a body, or a joint"], options: { kind: { value: "position", choices: SENSORS }, coordinate: OF },
    does: ([at], { kind, ...own }, { joint, body }) => { const on = POINTED.includes(kind) ? body : joint && coordinateOf(joint, kind === "force" ? {} : own); return on || kind === "energy" ? { change: "sensor", kind, on: on || "ground", at } : `There is no ${POINTED.includes(kind) ? "body" : "joint"} here.`; } },
  trace: { label: "Trace of a point", key: "T", icon: "M3 15c2-9 6-12 8-8s-1 8 2 8 3-4 4-8M17 6h.01", points: 1, on: "body", hint: ["A point of a body, whose path is drawn"], does: ([at], options, { body }) => body ? { change: "trace", body, at } : "There is no body here." },
  contact: { label: "Contact", key: "I", icon: "M7 6a4 4 0 1 0 .01 0M2.5 15.5h15M14 6l3 3M14 9l3-3", points: 2, on: "body", pair: true, hint: ["A body, or the ground", "What it may touch"], does: (_, options, { a, b }) => ({ change: "contact", a: a.body, b: b.body }) },
  mirror: { label: "Mirror what is chosen", key: "⇧M", icon: "M10 2v16M7.5 6L3 14h4.5zM12.5 6L17 14h-4.5z", points: 2, chosen: true, hint: ["A point of the mirror line", "Another point of it"],
    does: ([a, b], options, { plane, items }) => ({ change: "mirror", items, point: a, normal: acrossLine(sub(b, a), plane) }) },
  array: { label: "Repeat what is chosen", key: "⇧A", icon: "M3 4h4v4H3zM8.5 4h4v4h-4zM14 4h3.5v4H14M3 12h4v4H3zM8.5 12h4v4h-4zM14 12h3.5v4H14", points: 2, chosen: true, hint: ["A point", "Where that is in the next copy (around a centre: the second point is the centre)"],
    options: { count: { value: 3, unit: "" }, angle: { value: 0, unit: "°" } },
    does: ([a, b], { count, angle }, { plane, items }) => angle ? { change: "array", items, about: b, axis: seen(plane), angle: angle * Math.PI / 180, count: Math.round(count) } : { change: "array", items, by: sub(b, a), count: Math.round(count) } },
  turn: { label: "Turn what is chosen", key: "⇧R", icon: "M15.5 10a5.5 5.5 0 1 1-2-4.200M13.5 2.5v3.600H9.900", points: 3, chosen: true, hint: ["The centre", "A direction", "The direction after"],
    does: ([about, from, to], options, { plane, items }) => ({ change: "turn", items, about, axis: seen(plane), angle: plane.polar(about, to)[1] - plane.polar(about, from)[1] }) },
};

/** The axis about which angles of the plane count right-handed. */
const seen = ({ axes: [u, w] }) => [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
function acrossLine(way, { axes: [u, w] }) {
  const [x, y] = [dot(way, u), dot(way, w)], n = Math.hypot(x, y) || 1;
  return add(scaled(u, -y / n), scaled(w, x / n));
}
