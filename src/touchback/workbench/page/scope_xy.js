// One trace against another, tick by tick: force over key depth, a phase portrait. Of a recording the seconds before its playhead.
import { decodeNumbers } from "./signal_buckets.js";
import { Plot, colour, curve } from "./canvas_plot.js";
import { short } from "./dom.js";
import { halfTick, make, overlayChoice, playhead } from "./scope_widgets.js";

const TRAILS = [0.5, 1, 2, 5, 10, 30, 60]; // seconds

export class XYScope {
  constructor(pane) {
    this.pane = pane;
    this.bench = pane.bench;
    [this.x, this.y] = pane.drawn;
    this.trail = pane.layout.trail || 5;
    this.plot = new Plot(pane.body, this.y ? `${this.y} over ${this.x}` : "Two signals against each other");
    this.points = this.over = null;
    this.dirty = true;
    this.timer = setInterval(() => this.ask(), 100);
    this.ask();
    if (pane.layout.overlay) this.overlay();
  }

  async ask() {
    if (!this.y || this.busy) return;
    const at = playhead(this.bench);
    if (at !== null && at === this.shown) return; // it stands
    this.busy = true;
    try {
      const now = at ?? Math.max(this.bench.status.time ?? 0, this.known?.end ?? -Infinity), later = at === null ? 2 : halfTick(this.bench);
      const answer = await this.bench.send({ do: "pairs", x: this.x, y: this.y, start: now - this.trail, end: now + later, most: 2000 });
      this.shown = at;
      this.known = answer;
      this.points = decodeNumbers(answer.rows);
      const n = this.points.length;
      if (n) this.pane.values([short(this.points[n - 2], 6), short(this.points[n - 1], 6)]);
      this.dirty = true;
    } catch (error) { this.pane.foot.replaceChildren(make("span", { className: "bad", textContent: error.message })); }
    this.busy = false;
  }

  async overlay() {
    const answer = await this.bench.send({ do: "pairs", recording: this.pane.layout.overlay, x: this.x, y: this.y, start: -1e9, end: 1e9, most: 4000 }).catch(error => { this.bench.note?.(error.message, "bad"); return null; });
    this.over = answer && decodeNumbers(answer.rows);
    this.dirty = true;
  }

  tools() {
    const trail = make("select", { ariaLabel: "Seconds that are shown", title: "Seconds that are shown" });
    for (const each of TRAILS) trail.append(new Option(`${each} s`, each, false, each === this.trail));
    trail.onchange = () => this.pane.change({ trail: +trail.value });
    const swap = make("button", { type: "button", className: "plain", textContent: "⇄", title: "Exchange X and Y", ariaLabel: "Exchange X and Y" });
    swap.onclick = () => this.pane.change({ signals: [this.y, this.x].filter(Boolean) });
    return [trail, swap, overlayChoice(this.bench, this.pane.layout.overlay, name => this.pane.change({ overlay: name || undefined }))];
  }

  end() { clearInterval(this.timer); }
  frame() { if (this.dirty) { this.dirty = false; this.draw(); } }

  draw() {
    const plot = this.plot, all = [this.points, this.over].filter(Boolean);
    plot.x = plot.fit(all.map(rows => extent(rows, 1)), plot.x);
    plot.y = plot.fit(all.map(rows => extent(rows, 2)), plot.y);
    const g = plot.begin(), units = this.pane.units;
    plot.axes(this.x ? `${this.x} [${units[this.x] || "–"}]` : "", units[this.y] || "");
    if (!this.y) {
      const { x, y, w, h } = plot.inner;
      Object.assign(g, { fillStyle: colour("--soft"), textAlign: "center", textBaseline: "middle", font: "13px system-ui, sans-serif" });
      g.fillText(this.x ? "Add the signal that goes upwards with +" : "Add two signals with +", x + w / 2, y + h / 2);
    }
    plot.clip();
    if (this.over) this.line(this.over, curve(0), [5, 4]);
    if (this.points) this.line(this.points, curve(1), []);
    const n = this.points?.length;
    if (n) { g.fillStyle = curve(1); g.beginPath(); g.arc(plot.px(this.points[n - 2]), plot.py(this.points[n - 1]), 4, 0, 7); g.fill(); }
    g.restore();
  }

  line(rows, stroke, dash) {
    const { g } = this.plot;
    g.strokeStyle = stroke;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    g.setLineDash(dash);
    g.beginPath();
    let drawn = false;
    for (let i = 0; i + 2 < rows.length; i += 3) {
      const [x, y] = [rows[i + 1], rows[i + 2]];
      if (!(Number.isFinite(x) && Number.isFinite(y))) { drawn = false; continue; }
      if (drawn) g.lineTo(this.plot.px(x), this.plot.py(y)); else g.moveTo(this.plot.px(x), this.plot.py(y));
      drawn = true;
    }
    g.stroke();
    g.setLineDash([]);
  }
}

function extent(rows, column) {
  let low = Infinity, high = -Infinity;
  for (let i = column; i < rows.length; i += 3) { if (rows[i] < low) low = rows[i]; if (rows[i] > high) high = rows[i]; }
  return [low, high];
}
