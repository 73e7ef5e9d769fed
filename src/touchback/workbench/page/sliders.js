// Every live parameter and input as a slider with its unit and range, a number field, a ramp; undo and redo, presets, A and B;
// controllers to choose. The run is what counts: what others change is seen here, and what it refuses goes back.
import { storage } from "./storage.js";
import { FAR } from "./fields.js";
import { make } from "./scope_parts.js";
import { Undo } from "./undo.js";
import { compare, presets } from "./presets.js";
import { RECORDED } from "./wire.js";

export function mount(element, bench) {
  const panel = new Sliders(element, bench);
  bench.sliders = panel;
  return panel;
}

class Sliders {
  constructor(element, bench) {
    this.bench = bench;
    this.rows = new Map();
    this.undo = new Undo(this);
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

  paint() {
    this.rows.clear();
    this.list.replaceChildren();
    const ramp = make("label", { className: "ramp small", textContent: "ramp " });
    this.ramp = make("input", { type: "number", min: "0", max: "60", step: "0.1", value: storage.getItem("touchback ramp") || "0", title: "Seconds that a change of a parameter takes; inputs change at once", ariaLabel: "Ramp [s]" });
    this.ramp.onchange = () => storage.setItem("touchback ramp", this.ramp.value);
    ramp.append(this.ramp, " s");
    this.bar.replaceChildren(...this.undo.buttons(), ...compare(this), ramp, presets(this));
    const { inputs = [], parameters = [], controls = [] } = this.found;
    for (const control of controls.filter(each => each.alternatives.length > 1)) this.list.append(this.choice(control));
    const hand = name => /^hand (grip|to [xyz]|at [xyz]|stiffness|damping|bound)$/.test(name); // dragging uses them
    for (const [title, kind, all] of [["Inputs", "input", inputs.filter(each => !hand(each.name))], ["Parameters", "parameter", parameters.filter(each => !hand(each.name))]]) {
      if (!all.length) continue;
      if (inputs.length && parameters.length) this.list.append(make("h3", { className: "small soft", textContent: title }));
      for (const each of all) { const row = new Row(this, each, kind); this.rows.set(each.name, row); this.list.append(row.element); }
    }
    this.bar.hidden = !this.rows.size;
    if (this.found.recorded) this.list.append(make("p", { className: "soft small", textContent: RECORDED }));
  }

  choice({ name, alternatives, chosen }) {
    const row = make("div", { className: "slider-row" }), field = make("select", { ariaLabel: `Controller ${name}` });
    for (const each of alternatives) field.append(new Option(each, each, false, each === chosen));
    field.onchange = () => this.undo.inTurn(async () => {
      const before = chosen, after = field.value;
      try {
        await this.bench.send({ do: "choose", control: name, alternative: after });
        this.undo.push({ control: name, before, after });
        chosen = after;
        this.say("");
      } catch (error) { field.value = chosen; this.say(error.message); }
    });
    this.choices ??= new Map();
    this.choices.set(name, value => { field.value = chosen = value; });
    row.append(make("label", { textContent: name }), field);
    return row;
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

/** Whether a number stands for none: the open end of a limit. */
const free = x => Math.abs(x) >= FAR;
const words = x => free(x) ? "free" : x;

/** One parameter or input. */
class Row {
  constructor(panel, fact, kind) {
    this.panel = panel;
    this.fact = fact;
    this.kind = kind;
    this.value = panel.bench.values[fact.name] ?? fact.value;
    this.element = make("div", { className: "slider-row" });
    this.element.dataset.name = fact.name;
    const id = `slider-${kind}-${fact.name.replace(/\W+/g, "-")}`;
    this.slider = make("input", { type: "range", id, step: "any", ariaLabel: `${fact.name}${fact.unit ? ` [${fact.unit}]` : ""}` });
    this.field = make("input", { type: "number", step: "any", ariaLabel: `${fact.name} as a number` });
    const back = make("button", { type: "button", className: "plain back", textContent: "↺", title: `Back to ${words(fact.default)}`, ariaLabel: `${fact.name} back to ${words(fact.default)}` });
    back.onclick = () => this.commit(fact.default);
    const label = make("label", { htmlFor: id, textContent: fact.name, title: fact.name });
    const number = make("span", { className: "slider-number" });
    number.append(this.field, make("span", { className: "soft unit", textContent: fact.unit || "" }), back);
    this.element.append(label, number, this.slider);
    this.range();
    this.listen();
    this.show(this.value, true);
  }

  /** The range that was declared, else one that holds the value well. */
  range() {
    const near = x => free(x) ? null : x, { default: usual } = this.fact, [min, max] = [near(this.fact.min), near(this.fact.max)];
    const size = Math.max(Math.abs(near(this.value) ?? 0), Math.abs(near(usual) ?? 0)) || 1;
    this.low = min ?? (max !== null && max !== undefined ? max - 4 * size : -2 * size);
    this.high = max ?? (min !== null && min !== undefined ? Math.max(min + 2 * size, 2 * size) : 2 * size);
    this.slider.min = this.low;
    this.slider.max = this.high;
  }

  listen() {
    this.slider.oninput = () => this.drag(this.slider.valueAsNumber);
    this.slider.onchange = () => { if (this.began !== undefined) this.settle(); };
    this.field.oninput = () => { this.typing = true; };
    this.field.onblur = () => { this.typing = false; };
    this.field.onchange = () => { this.typing = false; if (Number.isFinite(this.field.valueAsNumber)) this.commit(this.field.valueAsNumber); else if (free(this.fact.default)) this.commit(this.fact.default); else this.show(this.value, true); };
  }

  /** While it is dragged: the newest value as soon as the one before was taken; without a ramp, for the hand is one. */
  async drag(value) {
    if (this.began === undefined) this.began = this.value;
    this.value = this.wanted = value;
    this.paint(true);
    if (this.sending) return;
    this.sending = true;
    while (this.wanted !== undefined) {
      const next = this.wanted;
      this.wanted = undefined;
      this.refused = !(await this.panel.set(this.fact.name, next, 0));
    }
    this.sending = false;
    this.idle?.();
  }

  settle() {
    const before = this.began;
    this.began = undefined;
    return this.panel.undo.inTurn(async () => {
      if (this.sending) await new Promise(done => { this.idle = done; });
      if (!this.refused && this.value !== before) this.panel.undo.push({ before: { [this.fact.name]: before }, after: { [this.fact.name]: this.value } });
    });
  }

  commit(value) { return this.panel.change(() => ({ [this.fact.name]: value })); }

  /** What the run says; not while a hand is on it, nor over a number that is being typed. */
  show(value, force = false) {
    if (!force && (this.began !== undefined || this.sending)) return;
    this.value = value;
    if (!free(value) && (value < this.low || value > this.high)) this.range();
    this.paint(force);
  }

  paint(force) {
    this.slider.value = this.value;
    this.slider.setAttribute("aria-valuetext", free(this.value) ? "free" : `${+this.value.toPrecision(6)} ${this.fact.unit || ""}`);
    if (free(this.value)) this.field.placeholder = "free";
    if (!this.typing && (force || document.activeElement !== this.field)) this.field.value = free(this.value) ? "" : String(+this.value.toPrecision(7));
    this.element.classList.toggle("changed", Math.abs(this.value - this.fact.default) > 1e-12);
  }
}
