// The drawing as the server told it last, what of it is chosen, and the one way to change it: a message. Nothing of it is kept here.
import { add, norm, scaled, sub } from "../draw/vectors.js";

export const SECTIONS = { body: "bodies", joint: "joints", loop: "closures", force: "forces", sensor: "sensors", drive: "drives", parameter: "parameters", contact: "contacts" };
const KINDS = Object.fromEntries(Object.entries(SECTIONS).map(([kind, section]) => [section, kind]));
const EMPTY = { bodies: [], joints: [], forces: [], sensors: [], drives: [], parameters: [], traces: [], parts: [], verify: { problems: [], redundant: [] } };

/** What is said where something acts on what is chosen, and nothing is. */
export const CHOOSE_FIRST = "Choose first what it is to act on: click it, with Shift also others.";
export const sameItem = (a, b) => a?.section === b?.section && a?.name === b?.name;
/** What the inspector and the tree call an item of the document, and back. */
export const asPart = ({ section, name }) => ({ kind: KINDS[section] || section, name });
export const asItem = ({ kind, name }) => ({ section: SECTIONS[kind] || kind, name });

export class DrawingDocument {
  constructor(bench) {
    this.bench = bench;
    this.told = null; // the last {tell: "drawing"}
    this.chosen = []; // items {section, name}, the last one in the inspector
    this.copied = [];
    this.last = Promise.resolve();
    this.changed = new Set();
    bench.on("drawing", told => this.take(told));
    bench.on("selected", what => this.follow(what));
  }

  take(told) {
    this.told = { ...EMPTY, ...told };
    this.chosen = this.chosen.filter(each => this.find(each));
    const { selected } = this.bench;
    if (selected && this.resting && SECTIONS[selected.kind] && !this.find(asItem(selected))) this.bench.select(this.chosen.length ? asPart(this.chosen.at(-1)) : null);
    for (const fn of this.changed) fn();
  }

  /** Whether it rests: it is drawn and doesn't run. */
  get resting() { return Boolean(this.told) && !this.told.playing; }
  get planar() { return !this.told?.space; }

  /** Sends a change, after those before it were answered; gives the answer, or null after it was refused, which a note says. */
  send(change, fields = {}) { return this.ask(change, fields).catch(error => { this.bench.note(error.message, "bad"); return null; }); }

  /** The same for who shows the refusal. */
  ask(change, fields = {}) {
    const sent = this.last.then(() => this.bench.send({ do: "draw", change, ...fields }));
    this.last = sent.catch(() => null);
    return sent;
  }

  /** A change whose result is chosen. */
  async make(change, fields) {
    const answer = await this.send(change, fields);
    const made = (answer?.made || []).filter(each => each.section in KINDS), bodies = made.filter(each => each.section === "bodies");
    if (made.length) this.choose(bodies.length ? bodies : made); // of bodies that were copied with their joints, the bodies
    return answer;
  }

  // ---- what is chosen ----
  choose(items) {
    this.chosen = [...items];
    this.bench.select(items.length ? asPart(items.at(-1)) : null);
  }

  /** One more, or one less. */
  toggle(item) { this.choose(this.chosen.some(each => sameItem(each, item)) ? this.chosen.filter(each => !sameItem(each, item)) : [...this.chosen, item]); }

  follow(what) {
    if (!what) this.chosen = [];
    else if (!this.chosen.some(each => sameItem(each, asItem(what)))) this.chosen = SECTIONS[what.kind] ? [asItem(what)] : [];
  }

  // ---- what there is ----
  /** The lists of the drawing by section. */
  lists() {
    const { bodies, forces, sensors, drives, parameters } = this.told || EMPTY, { joints } = this;
    return { bodies, joints: joints.filter(each => !each.closure), closures: joints.filter(each => each.closure), forces, sensors, drives, parameters };
  }

  find({ section, name }) {
    const all = this.lists();
    return (all[section] || []).find(each => each.name === name) || Object.values(all).flat().find(each => each.section === section && each.name === name) || null;
  }

  /** Joints and closures, without those by which loose bodies hang on the ground. */
  get joints() { return (this.told || EMPTY).joints.filter(each => !each.loose); }

  body(name) { return this.told?.bodies.find(each => each.name === name); }

  /** A place that stands for an item: where it is dragged by and marked [m]. */
  anchor(item) {
    const found = this.find(item);
    if (!found) return null;
    if (Array.isArray(found.at)) return found.at;
    if (Array.isArray(found.a) && Array.isArray(found.b)) return scaled(add(found.a, found.b), 0.5);
    return this.body(found.body || found.on)?.at || this.joints.find(each => each.name === (found.joint || found.on))?.at || null;
  }

  /** What points snap to: {point, words}, joints before the ends that lie with them; `corner`: it is only a corner of an outline. */
  targets() {
    const found = [], seen = new Set();
    const offer = (point, words, corner = false) => {
      const key = point.map(x => x.toFixed(7)).join();
      if (seen.has(key)) return;
      seen.add(key);
      found.push({ point, words, corner });
    };
    const { bodies, forces, sensors } = this.told || EMPTY;
    for (const each of this.joints) if (each.at) offer(each.at, each.name);
    const outlines = ({ points = [], corners = 0 }) => points.length - corners; // the first of them
    for (const each of bodies) for (const point of (each.points || []).slice(0, outlines(each))) offer(point, each.name);
    for (const each of bodies) offer(each.at, `middle of ${each.name}`);
    for (const each of forces) for (const end of [each.a, each.b]) if (Array.isArray(end)) offer(end, each.name);
    for (const each of sensors) if (Array.isArray(each.at)) offer(each.at, each.name);
    for (const each of bodies) for (const point of (each.points || []).slice(outlines(each))) offer(point, each.name, true);
    offer([0, 0, 0], "origin");
    return found;
  }

  /** Axes of joints in space, along which points snap: {point, way, words}. */
  axes() {
    if (this.planar) return [];
    return this.joints.filter(each => each.at && each.axis).map(each => ({ point: each.at, way: each.axis, words: `axis of ${each.name}` }));
  }

  /** The largest distance of what is drawn from its middle [m], at least 0.1. */
  size() {
    const all = this.targets().map(each => each.point);
    return Math.max(0.1, ...all.map(p => norm(sub(p, all[0]))));
  }
}
