// The spectrum of traces: which frequencies they have, with their amplitudes (computed by the server from every tick); of a
// recording from the seconds before its playhead.
import { decodeNumbers } from "./signal_buckets.js";
import { Plot, colour, curve } from "./canvas_plot.js";
import { short } from "./dom.js";
import { halfTick, make, playhead } from "./scope_widgets.js";

const SPANS = [0.25, 0.5, 1, 2, 5, 10, 20, 60], WINDOWS = { hann: "Hann", flat: "flat top", none: "no window" };

export class SpectrumScope {
  constructor(pane) {
    this.pane = pane;
    this.bench = pane.bench;
    this.texts = pane.drawn;
    this.seconds = pane.layout.seconds || 2;
    this.window = pane.layout.window || "hann";
    this.log = pane.layout.log ?? true;
    this.plot = new Plot(pane.body, `Spectrum of ${this.texts.join(", ") || "nothing yet"}`);
    this.dirty = true;
    this.timer = setInterval(() => this.ask(), 400);
    this.plot.canvas.addEventListener("pointermove", e => { this.pointer = e.offsetX; this.dirty = true; });
    this.plot.canvas.addEventListener("pointerleave", () => { this.pointer = null; this.dirty = true; });
    this.plot.canvas.addEventListener("wheel", e => {
      e.preventDefault();
      this.most = Math.min(this.top, Math.max(this.top / 500, (this.most || this.top) * Math.exp(e.deltaY / 400)));
      this.dirty = true;
    }, { passive: false });
    this.ask();
  }

  async ask() {
    if (!this.texts.length || this.busy) return;
    const at = playhead(this.bench);
    if (at !== null && at === this.shown) return; // it stands
    this.busy = true;
    this.shown = at;
    try {
      const end = at ?? (await this.bench.send({ do: "signals" })).end;
      const answer = await this.bench.send({ do: "spectra", signals: this.texts, start: end - this.seconds, end: end + (at === null ? 1e-6 : halfTick(this.bench)), window: this.window });
      this.rows = decodeNumbers(answer.rows);
      this.told = answer;
      this.peaks();
    } catch (error) {
      this.rows = null; // nothing of another instant
      this.pane.values(this.texts.map(() => ""));
      this.pane.foot.replaceChildren(make("span", { className: "soft", textContent: error.message }));
    }
    this.busy = false;
    this.dirty = true;
  }

  get width() { return 1 + this.texts.length; }
  get top() { return this.rows?.length ? this.rows[this.rows.length - this.width] : 500; }

  /** The highest line of each trace, in words. */
  peaks() {
    const found = this.texts.map((text, k) => {
      let best = this.width; // not the mean
      for (let i = this.width; i < this.rows.length; i += this.width) if (this.rows[i + 1 + k] > this.rows[best + 1 + k]) best = i;
      return { text, frequency: this.rows[best], amplitude: this.rows[best + 1 + k] };
    });
    this.pane.values(found.map(({ amplitude }) => short(amplitude, 6)));
    this.pane.foot.replaceChildren(...found.map(({ text, frequency, amplitude }) => {
      const line = make("div", { className: "number peak", textContent: `${text}: ${short(amplitude, 6)} ${this.pane.units[text] || ""} at ${short(frequency, 6)} Hz` });
      line.dataset.frequency = frequency;
      line.dataset.amplitude = amplitude;
      return line;
    }), make("div", { className: "soft", textContent: `lines ${short(this.told.step, 6)} Hz apart` }));
  }

  tools() {
    const seconds = make("select", { ariaLabel: "Seconds that it is computed from", title: "Seconds that it is computed from" });
    for (const each of SPANS) seconds.append(new Option(`${each} s`, each, false, each === this.seconds));
    seconds.onchange = () => this.pane.change({ seconds: +seconds.value });
    const window_ = make("select", { ariaLabel: "Window", title: "Window: Hann for frequencies, flat top for amplitudes" });
    for (const [value, text] of Object.entries(WINDOWS)) window_.append(new Option(text, value, false, value === this.window));
    window_.onchange = () => this.pane.change({ window: window_.value });
    const log = make("button", { type: "button", className: "plain", textContent: "log", title: "Logarithmic amplitudes", ariaLabel: "Logarithmic amplitudes" });
    log.setAttribute("aria-pressed", String(this.log));
    log.onclick = () => this.pane.change({ log: !this.log });
    return [seconds, window_, log];
  }

  end() { clearInterval(this.timer); }
  frame() { if (this.dirty) { this.dirty = false; this.draw(); } }

  draw() {
    const plot = this.plot;
    let high = 0;
    for (let i = 0; i < (this.rows?.length || 0); i += this.width) for (let k = 1; k < this.width; k++) if (this.rows[i + k] > high) high = this.rows[i + k];
    plot.log = this.log && high > 0;
    plot.x = [0, this.most || this.top];
    plot.y = plot.log ? [high * 1e-6, high * 2] : [0, high * 1.08 || 1];
    const g = plot.begin(), unit = new Set(this.texts.map(text => this.pane.units[text]).filter(Boolean));
    plot.axes("Hz", unit.size === 1 ? [...unit][0] : "");
    if (!this.texts.length) {
      const { x, y, w, h } = plot.inner;
      Object.assign(g, { fillStyle: colour("--soft"), textAlign: "center", textBaseline: "middle", font: "13px system-ui, sans-serif" });
      g.fillText("Add a signal with +", x + w / 2, y + h / 2);
    }
    plot.clip();
    for (let k = 0; k < this.texts.length && this.rows; k++) {
      g.strokeStyle = curve(k);
      g.lineWidth = 1.3;
      g.beginPath();
      for (let i = 0; i < this.rows.length; i += this.width) g.lineTo(plot.px(this.rows[i]), plot.py(this.rows[i + 1 + k]));
      g.stroke();
    }
    if (this.pointer != null && this.rows?.length) this.point(g);
    g.restore();
  }

  /** The line under the pointer, with its numbers. */
  point(g) {
    const wanted = this.plot.at(this.pointer);
    let best = 0;
    for (let i = 0; i < this.rows.length; i += this.width) if (Math.abs(this.rows[i] - wanted) < Math.abs(this.rows[best] - wanted)) best = i;
    const x = this.plot.px(this.rows[best]), { y, h, w, x: left } = this.plot.inner;
    Object.assign(g, { strokeStyle: colour("--soft"), fillStyle: colour("--ink"), lineWidth: 1, textBaseline: "top", textAlign: x > left + w / 2 ? "right" : "left", font: "12px system-ui, sans-serif" });
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x, y + h);
    g.stroke();
    const words = [`${short(this.rows[best], 6)} Hz`, ...this.texts.map((_, k) => short(this.rows[best + 1 + k], 6))].join("  ");
    const at = x + (x > left + w / 2 ? -6 : 6);
    Object.assign(g, { strokeStyle: colour("--panel"), lineWidth: 4, lineJoin: "round" }); // no trace strikes it through
    g.strokeText(words, at, y + 4);
    g.fillText(words, at, y + 4);
  }
}
