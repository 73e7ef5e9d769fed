// Every live parameter and input as a slider with its unit and range, a number field, a ramp; undo and redo, presets, A and B;
// controllers to choose. The run is what counts: what others change is seen here, and what it refuses goes back.
import { storage } from "./browser_storage.js";
import { arrange } from "./dom.js";
import { make } from "./scope_widgets.js";
import { commands, isHeld, isLimit, RobotPose } from "./robot_pose.js";
import { Choice, Row } from "./slider_rows.js";
import { Undo } from "./undo_buttons.js";
import { compare, presets } from "./slider_presets.js";

export function mount(element, bench) {
  const panel = new Sliders(element, bench);
  bench.sliders = panel;
  return panel;
}

class Sliders {
  constructor(element, bench) {
    this.bench = bench;
    this.rows = new Map();
    this.choices = new Map();
    this.undo = new Undo(this);
    this.pose = new RobotPose(bench);
    this.limits = make("details", { className: "limits" });
    this.limits.append(make("summary", { className: "small soft", textContent: "Limits of joints" }));
    this.bar = make("div", { className: "row slider-bar" });
    this.list = make("div", { className: "sliders" });
    this.wrong = make("div", { className: "bad small", role: "alert" });
    element.append(this.bar, this.wrong, this.list);
    bench.on("scene", scene => this.begin(scene));
    bench.on("open", () => { if (this.title !== undefined) this.ask(); });
    bench.on("values", values => this.values(values));
    addEventListener("keydown", e => {
      if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== "z" || e.target.closest("textarea, input:not([type=range], [type=number])")) return;
      e.preventDefault();
      if (e.shiftKey) this.undo.redo(); else this.undo.undo();
    });
  }

  get key() { return `touchback ${this.title}`; }

  begin(scene) {
    if (scene.title !== this.title) { this.title = scene.title; this.undo.load(); }
    this.scene = scene;
    if (scene.structure !== this.structure) this.ask();
    this.structure = scene.structure;
  }

  /** Asks what can be set, and draws it if it is something else than before. */
  async ask() {
    const found = await this.bench.send({ do: "what" }).catch(() => null);
    if (!found) return;
    this.found = found;
    const told = JSON.stringify([found.inputs, found.parameters, found.controls, found.recorded ? [{ recorded: true }] : []].map(list => (list || []).map(({ value, ...rest }) => rest)));
    if (told !== this.told) { this.told = told; this.paint(); }
  }

  /** Rows that are still there stay the elements they are: one may be dragged just now, or have the keyboard. */
  paint() {
    this.header();
    const { inputs = [], parameters = [], controls = [] } = this.found, shown = [];
    const renewed = (old, fact, kind, Kind) => old?.kind === kind && old.renew(fact) ? old : new Kind(this, fact, kind);
    const listed = (old, facts, kind, Kind) => facts.map(fact => [fact.name, renewed(old.get(fact.name), fact, kind, Kind)]);
    const robot = isHeld(this.scene) && !this.found.recorded, joints = commands(this.scene);
    this.choices = new Map(listed(this.choices, controls.filter(each => each.alternatives.length > 1 && !(robot && each.name === "hold")), "control", Choice));
    const hand = ({ name }) => /^hand (grip|to [xyz]|at [xyz]|stiffness|damping|bound)$/.test(name); // dragging uses them
    const limit = ({ name }) => isLimit(this.scene, name), mine = ({ name }) => joints.has(name);
    const [inside, folded] = [false, true].map(wanted => parameters.filter(each => limit(each) === wanted));
    const sets = [["Joints", "input", inputs.filter(mine).map(fact => ({ ...fact, label: joints.get(fact.name) }))],
      [robot ? "Motors of the file (when free)" : "Inputs", "input", inputs.filter(each => !mine(each))], ["Parameters", "parameter", inside], ["", "parameter", folded]];
    const groups = sets.map(([title, kind, all]) => [title, listed(this.rows, all.filter(each => !hand(each)), kind, Row)]).filter(([, rows]) => rows.length);
    this.rows = new Map(groups.flatMap(([, rows]) => rows));
    const elements = rows => rows.map(([, row]) => row.element), named = groups.filter(([title]) => title);
    if (robot) { this.pose.renew(this.scene, controls); shown.push(this.pose.element); }
    for (const [title, rows] of named) {
      if (named.length > 1) shown.push(make("h3", { className: "small soft", textContent: title }));
      shown.push(...elements(rows));
    }
    if (folded.length) {
      arrange(this.limits, [this.limits.firstChild, ...elements(groups.at(-1)[1])]);
      shown.push(this.limits);
    }
    if (this.found.recorded) shown.push(make("p", { className: "soft small", textContent: this.bench.untouchable }));
    arrange(this.list, [...elements([...this.choices]), ...shown]);
    this.bar.hidden = !this.rows.size;
  }

  /** The bar above, anew with the mechanism: what is kept goes by its title. */
  header() {
    if (this.headed === this.key) return;
    this.headed = this.key;
    const ramp = make("label", { className: "ramp small", textContent: "ramp " });
    this.ramp = make("input", { type: "number", min: "0", max: "60", step: "0.1", value: storage.getItem("touchback ramp") || "0", title: "Seconds that a change of a parameter takes; inputs change at once", ariaLabel: "Ramp [s]" });
    this.ramp.onchange = () => storage.setItem("touchback ramp", this.ramp.value);
    ramp.append(this.ramp, " s");
    this.bar.replaceChildren(...this.undo.buttons(), ...compare(this), ramp, presets(this));
  }

  values(values) {
    for (const [name, value] of Object.entries(values)) this.rows.get(name)?.show(value);
  }

  say(text) { this.wrong.textContent = text; }

  /** Sets a value in the run; what it refuses is said and goes back. */
  async set(name, value, ramp = this.seconds) {
    const message = { do: "set", name, value };
    if (ramp > 0 && this.rows.get(name)?.kind !== "input") message.ramp = ramp; // inputs follow whoever writes them
    try {
      await this.bench.send(message);
      this.say("");
      return true;
    } catch (error) {
      this.say(error.message);
      const row = this.rows.get(name);
      if (row) row.show(this.bench.values[name] ?? row.fact.value, true);
      return false;
    }
  }

  get seconds() { return Math.max(0, this.ramp?.valueAsNumber || 0); }

  /** Everything that can be set, as it is now. */
  all() { return Object.fromEntries([...this.rows].map(([name, row]) => [name, row.value])); }

  /** Sets many at once, those that differ, as one thing to undo. */
  setAll(values) {
    return this.change(() => Object.fromEntries(Object.entries(values).filter(([name, value]) => this.rows.get(name)?.value !== value)));
  }

  /** Sets what `wanted` gives once changes before it are answered, as one thing to undo. */
  change(wanted) {
    return this.undo.inTurn(async () => {
      const change = await this.setEach(wanted());
      if (Object.keys(change.after).length) this.undo.push(change);
    });
  }

  async setEach(values) {
    const before = {}, after = {};
    for (const [name, value] of Object.entries(values)) {
      const row = this.rows.get(name);
      if (!row) continue;
      const was = row.value;
      if (await this.set(name, value)) { before[name] = was; after[name] = value; row.show(value, true); }
    }
    return { before, after };
  }
}
