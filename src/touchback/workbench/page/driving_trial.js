// The sudden obstacle: choose a caster or a hidden order, start, drive; then the results, of every attempt: paths, angle, torque, numbers, a file.
import { digits, ticks } from "./canvas_plot.js";
import { fixed, h } from "./dom.js";

const SAID = { ready: "Ready", driving: "Drive straight on …", obstacle: "An obstacle! Steer round it" };
const SIZE = { wide: { w: 920, h: 170 }, half: { w: 452, h: 190 } }, MARGIN = { left: 40, right: 10, top: 22, bottom: 30 };
const SPAN = [-45, 70], LANE = 3.5; // m along the road that are shown, from the obstacle; m of the lane that the car begins in
const degrees = x => `${(x * 180 / Math.PI).toFixed(1)}°`;
const ended = ({ gap, beyond, "off road": off }) => `${gap <= 0 ? "Hit it" : beyond > 0 ? "Passed" : "Stopped before it"}${off ? ", left the road" : ""}`;
const COLUMNS = { time: "time since it appeared [s]", x: "x from the obstacle [m]", y: "y [m]", yaw: "yaw [rad]", "yaw rate": "yaw rate [rad/s]", lateral: "lateral acceleration [m/s²]",
  "device wheel": "wheel [rad]", "steering torque": "torque of the hands [N m]" };

export class Trial {
  constructor(element, bench) {
    Object.assign(this, { element, bench, phase: "", seen: 0 });
    this.caster = h("select", { "aria-label": "Caster" }, h("option", { value: "" }, "hidden order"));
    this.button = h("button", { type: "button", class: "go", onclick: () => this.start() }, "Start");
    this.end = h("button", { type: "button", onclick: () => bench.try({ do: "giveup" }) }, "Give up");
    this.show = h("button", { type: "button", onclick: () => this.open(true) }, "Results");
    this.words = h("b", { role: "status" });
    this.bar = h("div", { class: "start" }, h("span", {}, "Sudden obstacle"), h("label", {}, "caster ", this.caster), this.button, this.end, this.show, this.words);
    this.results = h("section", { class: "results", "aria-label": "Results", tabindex: -1, hidden: true });
    element.append(this.bar, this.results);
    bench.on("trial", facts => this.take(facts));
    addEventListener("keydown", e => this.key(e));
  }

  take(facts) {
    const { phase, attempts, casters } = facts, before = this.phase;
    Object.assign(this, { facts, phase });
    this.element.hidden = false;
    if (this.caster.options.length === 1) this.caster.append(...casters.map(each => h("option", { value: each }, degrees(each))));
    const under = phase === "driving" || phase === "obstacle";
    this.bar.dataset.phase = phase;
    this.words.textContent = phase === "over" ? ended(attempts.at(-1).figures) : SAID[phase];
    this.button.textContent = under ? "Restart" : attempts.length ? "Drive again" : "Start";
    this.end.hidden = !under;
    this.show.hidden = under || !attempts.length;
    if (under) this.open(false);
    else if (phase === "over" && before !== "over") this.open(true);
    else if (!this.results.hidden) this.paint();
  }

  start() {
    this.button.blur(); // keys steer from now on
    this.open(false);
    this.bench.try({ do: "attempt", caster: this.caster.value ? Number(this.caster.value) : null });
  }

  /** Enter starts, wherever no button or field has the focus; Escape closes the results. */
  key(e) {
    if (this.element.hidden || e.ctrlKey || e.metaKey || e.altKey) return;
    const under = this.phase === "driving" || this.phase === "obstacle";
    if (e.key === "Escape" && !this.results.hidden) { this.open(false); this.button.focus(); }
    else if (e.key === "Enter" && !under && !e.target.closest?.("button, a, input, select, textarea, summary")) { e.preventDefault(); this.start(); }
  }

  open(on) {
    this.results.hidden = !on;
    if (!on) return;
    this.paint();
    this.results.focus({ preventScroll: true });
  }

  colour({ caster }) { const k = this.facts.casters.indexOf(caster); return caster === null || caster === undefined ? "var(--soft)" : `var(--curve-${k + 1})`; }

  /** The results of all attempts. */
  paint() {
    const { attempts, hidden } = this.facts, heading = hidden ? `Results; casters are told after ${3 - hidden} more` : "Results";
    const again = h("button", { type: "button", class: "go", onclick: () => this.start() }, "Drive again");
    const save = h("button", { type: "button", onclick: () => this.save() }, "Save (CSV)"), close = h("button", { type: "button", onclick: () => this.open(false) }, "Close");
    const charts = h("div", { class: "charts" }, this.road(), this.chart("Angle of the wheel", "rad", "device wheel"), this.chart("Torque of the hands", "N m", "steering torque"));
    this.results.replaceChildren(h("header", {}, h("h2", {}, heading), again, save, close), charts, h("div", { class: "table" }, this.table(attempts)));
  }

  table(attempts) {
    const heads = ["attempt, caster", "clearance [m]", "first peak [N m]", "wheel then [rad]", "peak torque [N m]", "peak yaw rate [°/s]", "lateral [m/s²]", "aside [m]"];
    const rows = attempts.map(each => {
      const { gap, beyond, "first peak": first, "angle then": angle, torque, "yaw rate": yaw, lateral, aside, "off road": off } = each.figures;
      const swatch = h("span", { class: "swatch" }), name = h("td", {}, swatch, `${each.number}: ${each.caster === null ? "hidden" : degrees(each.caster)}`);
      swatch.style.background = this.colour(each); // the page's policy refuses style attributes
      const missed = h("td", { class: gap > 0 && beyond > 0 && !off ? "" : "bad" }, `${gap <= 0 ? "hit it" : beyond > 0 ? gap.toFixed(2) : "stopped before it"}${off ? ", left the road" : ""}`);
      const cells = [name, missed, ...[fixed(first, 2), fixed(angle, 2), fixed(torque, 2), fixed(yaw * 180 / Math.PI, 0), fixed(lateral, 1), fixed(aside, 2)].map(text => h("td", {}, text))];
      cells.forEach((cell, k) => { cell.dataset.head = heads[k]; }); // told beside it on phones
      return h("tr", {}, ...cells);
    });
    return h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(text => h("th", {}, text)))), h("tbody", {}, ...rows));
  }

  /** Paths over the ground, with the obstacle, the lane and the edges of the road; y is drawn larger than x. */
  road() {
    const { road, obstacle: [long, wide] } = this.facts, half = road / 2, most = Math.max(half, ...this.facts.attempts.map(({ curves }) => reach(curves)));
    const plot = axes(SIZE.wide, SPAN, [-Math.min(most, 3 * half), Math.min(most, 3 * half)], "Path over the ground", "x from the obstacle [m]", "y [m]");
    const line = (y, kind) => h("path", { class: kind, d: `M${plot.px(SPAN[0])} ${plot.py(y)}H${plot.px(SPAN[1])}` });
    plot.into.append(...[-half, half].map(y => line(y, "edge")), ...[-LANE / 2, LANE / 2].map(y => line(y, "lane")),
      h("rect", { class: "obstacle", x: plot.px(-long / 2), y: plot.py(wide / 2), width: plot.px(long / 2) - plot.px(-long / 2), height: plot.py(-wide / 2) - plot.py(wide / 2) }));
    this.curves(plot, "x", "y");
    return plot.svg;
  }

  chart(title, unit, name) {
    const all = this.facts.attempts.flatMap(({ curves }) => curves[name]), low = Math.min(0, ...all), high = Math.max(0, ...all), room = 0.08 * (high - low) || 1;
    const plot = axes(SIZE.half, [-0.5, 5], [low - room, high + room], title, "time since it appeared [s]", unit);
    this.curves(plot, "time", name);
    return plot.svg;
  }

  curves(plot, across, up) {
    const { attempts } = this.facts, last = new Map(attempts.map(each => [each.caster, each]));
    for (const each of attempts) {
      const x = each.curves[across], y = each.curves[up], points = x.map((value, i) => `${plot.px(value).toFixed(1)},${plot.py(y[i]).toFixed(1)}`);
      plot.into.append(h("polyline", { class: last.get(each.caster) === each ? "curve" : "curve earlier", points: points.join(" "), stroke: this.colour(each) }, h("title", {}, `attempt ${each.number}`)));
    }
  }

  /** All attempts as a file for spreadsheets. */
  save() {
    const lines = [["attempt", "caster [rad]", ...Object.values(COLUMNS)].join(",")];
    for (const { number, caster, curves } of this.facts.attempts) curves.time.forEach((_, i) => lines.push([number, caster ?? "", ...Object.keys(COLUMNS).map(name => curves[name][i])].join(",")));
    const link = h("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: "sudden-obstacle.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

const reach = ({ x, y }) => Math.max(...y.filter((_, i) => x[i] > SPAN[0] && x[i] < SPAN[1]).map(Math.abs), 0) + 1;
let plots = 0;

/** A frame with ticks; `into` takes what is drawn, and nothing of it is seen beside the frame. */
function axes({ w, h: high }, [x0, x1], [y0, y1], title, xUnit, yUnit) {
  const { left, right, top, bottom } = MARGIN, wide = w - left - right, tall = high - top - bottom, id = `trial-plot-${plots++}`;
  const px = x => left + (x - x0) / (x1 - x0) * wide, py = y => top + (y1 - y) / (y1 - y0) * tall, across = ticks(x0, x1, wide / 70), up = ticks(y0, y1, tall / 30);
  const clip = h("rect", { x: left, y: top, width: wide, height: tall }), into = h("g", { "clip-path": `url(#${id})` }), mask = document.createElementNS("http://www.w3.org/2000/svg", "clipPath");
  mask.id = id;
  mask.append(clip);
  const svg = h("svg", { viewBox: `0 0 ${w} ${high}`, role: "img", "aria-label": title }, mask,
    h("path", { class: "grid", d: across.at.map(x => `M${px(x)} ${top}v${tall}`).join("") + up.at.map(y => `M${left} ${py(y)}h${wide}`).join("") }),
    ...across.at.map(x => h("text", { x: px(x), y: high - bottom + 14, "text-anchor": "middle" }, digits(x, across.step))),
    ...up.at.map(y => h("text", { x: left - 5, y: py(y) + 4, "text-anchor": "end" }, digits(y, up.step))),
    h("text", { class: "title", x: left, y: 14 }, `${title} [${yUnit.replace(/^y \[|\]$/g, "")}]`), h("text", { x: w - right, y: high - 3, "text-anchor": "end" }, xUnit), into);
  return { svg, into, px, py };
}

export function mount(element, bench) { bench.obstacle = new Trial(element, bench); }
