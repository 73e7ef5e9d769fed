// Rows of the panel of sliders: one parameter or input each, or a controller to choose. A row takes new facts of what it
// shows and stays the element that it is.
import { FAR } from "./number_fields.js";
import { make } from "./scope_widgets.js";

/** A controller among alternatives. */
export class Choice {
  constructor(panel, fact, kind) {
    this.kind = kind;
    this.fact = fact;
    this.chosen = fact.chosen;
    this.element = make("div", { className: "slider-row" });
    this.field = make("select", { ariaLabel: `Controller ${fact.name}` });
    for (const each of fact.alternatives) this.field.append(new Option(each, each, false, each === fact.chosen));
    this.field.onchange = () => panel.undo.inTurn(() => this.choose(panel, this.field.value));
    this.element.append(make("label", { textContent: fact.name }), this.field);
  }

  async choose(panel, after) {
    const before = this.chosen;
    try {
      await panel.bench.send({ do: "choose", control: this.fact.name, alternative: after });
      panel.undo.push({ control: this.fact.name, before, after });
      this.show(after);
      panel.say("");
    } catch (error) { this.show(before); panel.say(error.message); }
  }

  show(value) { this.field.value = this.chosen = value; }

  /** Takes newer facts, if this row can tell them. */
  renew(fact) {
    if (String(fact.alternatives) !== String(this.fact.alternatives)) return false;
    this.fact = fact;
    this.show(fact.chosen);
    return true;
  }
}

/** Whether a number stands for none: the open end of a limit. */
const free = x => Math.abs(x) >= FAR;
const words = x => free(x) ? "free" : x;

/** One parameter or input. */
export class Row {
  constructor(panel, fact, kind) {
    this.panel = panel;
    this.fact = fact;
    this.kind = kind;
    this.value = panel.bench.values[fact.name] ?? fact.value;
    this.element = make("div", { className: fact.label ? "slider-row joint" : "slider-row" });
    this.element.dataset.name = fact.name;
    const id = `slider-${kind}-${fact.name.replace(/\W+/g, "-")}`;
    this.slider = make("input", { type: "range", id, step: "any", ariaLabel: `${fact.label || fact.name}${fact.unit ? ` [${fact.unit}]` : ""}` });
    this.field = make("input", { type: "number", step: "any", ariaLabel: `${fact.label || fact.name} as a number` });
    this.back = make("button", { type: "button", className: "plain back", textContent: "↺" });
    this.back.onclick = () => this.commit(this.fact.default);
    const label = make("label", { htmlFor: id, textContent: fact.label || fact.name, title: fact.name });
    const number = make("span", { className: "slider-number" });
    number.append(this.field, make("span", { className: "soft unit", textContent: fact.unit || "" }), this.back);
    this.element.append(label, number, this.slider);
    this.facts();
    this.listen();
    this.show(this.value, true);
  }

  /** Takes newer facts, if this row can tell them. */
  renew(fact) {
    if (fact.unit !== this.fact.unit) return false;
    const { value: _, ...old } = this.fact, { value, ...now } = fact, same = JSON.stringify(old) === JSON.stringify(now);
    this.fact = fact;
    if (!same) this.facts();
    this.show(this.panel.bench.values[fact.name] ?? value);
    return true;
  }

  facts() {
    const usual = words(this.fact.default);
    this.back.title = `Back to ${usual}`;
    this.back.setAttribute("aria-label", `${this.fact.name} back to ${usual}`);
    this.range();
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

  /** What a number shows: of a joint's command no more than a millionth of its range, which is a pose's rounding. */
  shown(value) {
    if (!this.fact.label) return +value.toPrecision(6);
    const grain = 1e-6 * (this.high - this.low);
    return Math.abs(value) < grain ? 0 : +value.toPrecision(4);
  }

  paint(force) {
    this.slider.value = this.value;
    this.slider.setAttribute("aria-valuetext", free(this.value) ? "free" : `${this.shown(this.value)} ${this.fact.unit || ""}`);
    if (free(this.value)) this.field.placeholder = "free";
    if (!this.typing && (force || document.activeElement !== this.field)) this.field.value = free(this.value) ? "" : String(this.shown(this.value));
    this.element.classList.toggle("changed", Math.abs(this.value - this.fact.default) > (this.fact.label ? 1e-6 * (this.high - this.low) : 1e-12));
  }
}
