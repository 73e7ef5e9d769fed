// Two cursors on a scope over time: where they stand, what the traces are there, and the differences.
import { decodeNumbers } from "./signal_buckets.js";
import { colour } from "./canvas_plot.js";
import { short } from "./dom.js";
import { make, throttled } from "./scope_widgets.js";

export class Cursors {
  constructor(scope) {
    this.scope = scope;
    this.at = scope.pane.layout.cursors || null; // {a, b}: times
    this.values = { a: null, b: null };
    this.ask = throttled(() => this.read(), 120);
    if (this.at) queueMicrotask(() => { this.panel(); this.ask(); });
  }

  get shown() { return this.at !== null; }

  toggle() {
    if (this.shown) { this.at = null; this.scope.pane.foot.replaceChildren(); }
    else {
      const [start, end] = this.scope.view;
      this.at = { a: start + 0.35 * (end - start), b: start + 0.65 * (end - start) };
      this.panel();
      this.ask();
    }
    this.keep();
  }

  keep() {
    this.scope.pane.layout.cursors = this.at || undefined;
    this.scope.pane.scopes.keep();
    this.scope.dirty = true;
  }

  near(px) {
    if (!this.shown) return null;
    return ["a", "b"].find(each => Math.abs(this.scope.plot.px(this.at[each]) - px) < 14) || null;
  }

  grab(px) { return this.near(px); }

  move(which, time) {
    this.at[which] = time;
    this.fields?.[which] && (this.fields[which].value = time.toFixed(4));
    this.keep();
    this.ask();
  }

  /** What the traces are at both: the tick nearest to each. */
  async read() {
    if (!this.shown || !this.scope.texts.length) return;
    for (const which of ["a", "b"]) {
      const time = this.at[which], half = 0.5 / (this.scope.bench.status.rate || 1000);
      const answer = await this.scope.bench.send({ do: "past", signals: this.scope.texts, start: time - 1.02 * half, end: time + 1.02 * half, buckets: 1 }).catch(() => null);
      const rows = answer ? decodeNumbers(answer.rows) : [];
      this.values[which] = this.scope.texts.map((_, k) => rows.length ? [rows[1 + 2 * k], rows[2 + 2 * k]] : [NaN, NaN]);
    }
    this.table();
  }

  /** Fields for the two times, and a table of what is read there. */
  panel() {
    this.fields = {};
    const row = make("div", { className: "row cursor-row" });
    for (const which of ["a", "b"]) {
      const field = this.fields[which] = make("input", { type: "number", step: "0.001", value: this.at[which].toFixed(4), ariaLabel: `Cursor ${which.toUpperCase()} at [s]` });
      field.onchange = () => { if (Number.isFinite(field.valueAsNumber)) this.move(which, field.valueAsNumber); };
      row.append(make("label", { textContent: which.toUpperCase() }), field);
    }
    this.difference = make("span", { className: "number" });
    row.append(this.difference);
    this.reading = make("table", { className: "readings number" });
    this.scope.pane.foot.replaceChildren(row, this.reading);
  }

  table() {
    if (!this.reading) return;
    const dt = this.at.b - this.at.a;
    this.difference.textContent = `Δt = ${short(dt, 6)} s   1/Δt = ${short(1 / Math.abs(dt), 6)} Hz`;
    this.difference.dataset.dt = dt;
    this.reading.replaceChildren(...this.scope.texts.map((text, k) => {
      const [a, b] = [this.values.a?.[k], this.values.b?.[k]], row = make("tr");
      const middle = pair => pair ? (pair[0] + pair[1]) / 2 : NaN;
      const cells = [text, span(a), span(b), `Δy = ${short(middle(b) - middle(a), 6)}`];
      row.append(...cells.map((each, i) => make(i ? "td" : "th", { textContent: each })));
      row.dataset.a = middle(a); row.dataset.b = middle(b);
      return row;
    }));
  }

  draw() {
    if (!this.shown) return;
    const { g, inner } = this.scope.plot;
    for (const which of ["a", "b"]) {
      const x = Math.round(this.scope.plot.px(this.at[which])) + .5;
      Object.assign(g, { strokeStyle: colour("--ink"), fillStyle: colour("--ink"), lineWidth: 1, textAlign: "center", textBaseline: "top", font: "600 11px system-ui, sans-serif" });
      g.beginPath();
      g.moveTo(x, inner.y);
      g.lineTo(x, inner.y + inner.h);
      g.stroke();
      g.fillRect(x - 8, inner.y, 16, 15);
      g.fillStyle = colour("--panel");
      g.fillText(which.toUpperCase(), x, inner.y + 2);
    }
  }
}

/** A value, or from the least to the greatest where single ticks aren't known any more. */
const span = pair => !pair || !Number.isFinite(pair[0]) ? "–" : pair[0] === pair[1] ? short(pair[0], 6) : `${short(pair[0], 6)} … ${short(pair[1], 6)}`;
