// Modes: the state graph with the present state lit, and a timeline of which mode was when.
import { Buckets, newestValues } from "./signal_buckets.js";
import { colour, curve, digits, ticks } from "./canvas_plot.js";
import { make } from "./scope_widgets.js";

const NUMBER = 200; // of the subscription
const SPAN = 10; // seconds of the timeline

export function mount(element, bench) {
  const graph = new Graph(element, bench);
  bench.graph = graph;
  return graph;
}

class Graph {
  constructor(element, bench) {
    this.element = element;
    this.bench = bench;
    this.picture = make("div", { className: "state-graph" });
    this.canvas = make("canvas", { className: "mode-line" });
    this.canvas.setAttribute("role", "img");
    this.groups = {};
    bench.on("scene", scene => { if (scene.structure !== this.structure) this.begin(); this.structure = scene.structure; });
    bench.on("open", () => { if (this.began) this.begin(); });
    bench.on("status", status => this.light(status.mode || {}));
    bench.on("rows", frame => this.rows(frame));
    addEventListener("themechange", () => { this.dirty = true; });
    setInterval(() => { if (this.dirty && this.canvas.checkVisibility()) { this.dirty = false; this.draw(); } }, 60);
  }

  /** The picture of this structure's modes, and a stream of their numbers. */
  async begin() {
    this.began = true;
    const answer = await this.bench.send({ do: "graph" }).catch(() => null);
    this.groups = answer?.groups || {};
    this.names = Object.keys(this.groups);
    if (!this.names.length) { this.element.replaceChildren(); return; }
    const drawn = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
    this.picture.replaceChildren(document.importNode(drawn, true));
    this.lit = null;
    this.element.replaceChildren(this.picture, this.canvas);
    this.canvas.height = 18 * this.names.length + 18;
    this.data = new Buckets(this.names.length);
    this.fresh = true;
    await this.bench.send({ do: "scope", number: NUMBER, signals: this.names, buckets: 60, past: 1000, since: (this.bench.status.time || 0) - SPAN }).catch(() => {});
    this.light(this.bench.status.mode || {});
  }

  light(modes) {
    this.modes = modes;
    const lit = new Set(Object.values(modes)), key = [...lit].join("\n");
    if (key === this.lit) return;
    this.lit = key;
    for (const each of this.picture.querySelectorAll("[data-mode]")) each.classList.toggle("lit", lit.has(each.dataset.mode));
    this.canvas.setAttribute("aria-label", `Modes over time; now ${[...lit].join(", ")}`);
  }

  rows(frame) {
    if (frame.subscription !== NUMBER || !this.data) return;
    if (this.fresh || frame.time < this.data.start) { this.data = new Buckets(this.names.length); this.fresh = false; }
    this.data.add(frame.time, frame.numbers);
    this.data.forget(this.data.end - 2 * SPAN);
    // the newest tick lights its state at once, not only with the next status
    const last = newestValues(frame, this.names.length), now = {};
    this.names.forEach((name, k) => { const mode = this.groups[name][Math.round(last[k])]; if (mode) now[name] = mode; });
    this.light({ ...this.modes, ...now });
    this.dirty = true;
  }

  draw() {
    if (!this.data?.count) return;
    const { canvas } = this, ratio = devicePixelRatio || 1, w = canvas.clientWidth || 260, h = 22 * this.names.length + 18;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    canvas.style.height = `${h}px`;
    const g = canvas.getContext("2d"), end = this.data.end, start = end - SPAN, px = time => (time - start) / SPAN * w;
    g.scale(ratio, ratio);
    g.font = "11px system-ui, sans-serif";
    this.names.forEach((name, k) => this.band(g, name, k, px, w));
    Object.assign(g, { fillStyle: colour("--soft"), textBaseline: "bottom", textAlign: "center" });
    const marks = ticks(start, end, 5);
    for (const each of marks.at) if (px(each) > 10 && px(each) < w - 14) g.fillText(digits(each, marks.step), px(each), h);
  }

  /** One group: a colour for each mode; a stretch within which it changed quicker than a bucket shows both. */
  band(g, name, k, px, w) {
    const { data } = this, n = this.names.length, top = 22 * k, modes = this.groups[name];
    let from = 0;
    for (let i = 1; i <= data.count; i++) {
      const a = data.low[from * n + k], b = data.high[from * n + k];
      if (i < data.count && data.low[i * n + k] === a && data.high[i * n + k] === b) continue;
      const x = Math.max(px(data.time[from]), 0), end = i < data.count ? px(data.time[i]) : w, wide = Math.max(end - x, 1);
      if (end > 0 && Number.isFinite(a)) {
        g.fillStyle = curve(Math.round(b));
        g.fillRect(x, top, wide, 18);
        if (a !== b) { g.fillStyle = curve(Math.round(a)); g.fillRect(x, top + 9, wide, 9); }
        else this.word(g, modes[Math.round(a)] || "", x, top, wide);
      }
      from = i;
    }
  }

  word(g, text, x, top, wide) {
    if (g.measureText(text).width + 8 > wide) return;
    Object.assign(g, { fillStyle: colour("--panel"), textBaseline: "middle", textAlign: "left" });
    g.fillText(text, x + 4, top + 9.5);
  }
}
