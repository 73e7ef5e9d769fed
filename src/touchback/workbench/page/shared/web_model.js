// The model itself, compiled to WebAssembly: its state, inputs and parameters are arrays in the module's memory.
import { Traces } from "./traces.js";

const EVERY = 2e-3, BUDGET = 12; // s between two rows of signals; ms of computing for a picture

export class WebModel {
  constructor(exports, about) {
    Object.assign(this, { exports, about });
    this.traces = new Traces(about.signals);
    this.every = Math.max(1, Math.round(EVERY / about.step));
    this.places = new Map([...about.inputs.map((each, i) => [each.name, ["inputs", i]]), ...about.parameters.map((each, i) => [each.name, ["parameters", i]])]);
    exports.begin();
    for (const { name, value } of [...about.inputs, ...about.parameters]) this.array(this.places.get(name)[0])[this.places.get(name)[1]] = value;
    exports.use_parameters();
    this.restart();
  }

  static async of(code, about) {
    const { instance } = await WebAssembly.instantiate(code, {});
    return new WebModel(instance.exports, about);
  }

  /** An array of doubles of the module; never kept, for its memory may move. */
  array(name) { return new Float64Array(this.exports.memory.buffer, this.exports[name](), this.about.sizes[name]); }

  get time() { return this.exports.time(); }
  get values() { return Object.fromEntries([...this.places].map(([name, [kind, i]]) => [name, this.array(kind)[i]])); }

  set(name, value) {
    const found = this.places.get(name), fact = found && this.about[found[0]][found[1]];
    if (!found) throw new Error(`The model has no input or parameter '${name}'.`);
    if (!Number.isFinite(value) || value < (fact.min ?? -Infinity) || value > (fact.max ?? Infinity)) throw new Error(`'${name}' is ${value}; it goes from ${fact.min ?? "-∞"} to ${fact.max ?? "∞"} ${fact.unit}.`);
    this.array(found[0])[found[1]] = value;
    if (found[0] === "parameters") this.exports.use_parameters();
  }

  /** From the initial state at time 0; inputs and parameters stay as they are. */
  restart() {
    const { inputs, parameters } = this.about.sizes, kept = [this.array("inputs").slice(0, inputs), this.array("parameters").slice(0, parameters)];
    this.exports.begin();
    this.array("inputs").set(kept[0]);
    this.array("parameters").set(kept[1]);
    this.exports.use_parameters();
    this.begun(this.exports.start(0));
  }

  /** From a state at a time, with inputs. */
  start(time, state, inputs) {
    this.array("state").set(state);
    this.array("inputs").set(inputs);
    this.begun(this.exports.start(time));
  }

  begun(refused) {
    this.stopped = refused ? "The constraints can't be met from this state with these parameters." : "";
    this.traces.clear();
    this.debt = 0;
    this.look();
  }

  look() {
    this.exports.look();
    this.traces.add(this.time, [...this.array("state"), ...this.array("outputs").subarray(0, this.about.outputs)]);
  }

  /** So many steps, with rows of signals on the way; fewer once the time for a picture is used up. */
  steps(count, budget = Infinity) {
    const until = performance.now() + budget;
    for (let left = count; left > 0 && !this.stopped; left -= this.every) {
      const bad = this.exports.step(Math.min(left, this.every));
      if (bad) this.stopped = `${Object.keys(this.about.signals)[bad - 1]} stopped being finite.`;
      this.look();
      if (performance.now() > until) { this.debt = 0; return; }
    }
  }

  /** Goes on by so many seconds, as far as the browser keeps up. */
  go(seconds) {
    this.debt += seconds / this.about.step;
    const count = Math.floor(this.debt);
    this.debt -= count;
    if (count) this.steps(count, BUDGET);
  }

  /** The scene with the parameters as they are: its numbers change with theirs in proportion. */
  get scene() {
    const scene = structuredClone(this.about.scene), { values } = this;
    for (const { name, value } of this.about.parameters) {
      for (const [path, slope] of this.about.slopes[name] || []) {
        const last = path.at(-1), owner = path.slice(0, -1).reduce((each, key) => each[key], scene);
        owner[last] += slope * (values[name] - value);
      }
    }
    return scene;
  }

  /** What is drawn: 7 numbers a body, then those of springs and arrows, as in frames of the wire. */
  get poses() {
    const seen = this.array("seen"), { bodies } = this.about, rest = seen.subarray(12 * bodies), numbers = new Float32Array(7 * bodies + rest.length);
    for (let i = 0; i < bodies; i++) numbers.set([...seen.subarray(12 * i, 12 * i + 3), ...quaternion(seen.subarray(12 * i + 3, 12 * i + 12))], 7 * i);
    numbers.set(rest, 7 * bodies);
    return numbers;
  }
}

/** (x, y, z, w) of a rotation matrix by rows, by the largest of the four. */
function quaternion([a, b, c, d, e, f, g, h, i]) {
  const squares = [1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i], k = squares.indexOf(Math.max(...squares));
  const [x, y, z, w] = [[squares[0], b + d, c + g, h - f], [b + d, squares[1], f + h, c - g], [c + g, f + h, squares[2], d - b], [h - f, c - g, d - b, squares[3]]][k];
  const length = Math.hypot(x, y, z, w) * (w < 0 ? -1 : 1);
  return [x / length, y / length, z / length, w / length];
}
