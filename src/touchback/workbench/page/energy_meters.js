// Energy, constraint error and faults at a glance, each with its last minute.
import { colour, curve } from "./canvas_plot.js";
import { short } from "./dom.js";
import { make } from "./scope_widgets.js";

const KEPT = 240; // of 4 a second

export function mount(element, bench) {
  const meters = [
    new Meter("energy", "J", status => status.energy, curve, 0),
    new Meter("constraint error", "m, rad", status => status["constraint error"], curve, 1, true),
    new Meter("late ticks", "%", status => status.ticks && status.late !== undefined ? 100 * status.late / status.ticks : null, curve, 4),
  ];
  const faults = make("div", { className: "meter-faults bad small", role: "status" });
  element.append(...meters.map(meter => meter.element), faults);
  bench.on("status", status => {
    for (const meter of meters) meter.add(meter.of(status), status.time);
    const said = [...(status.faults || []), ...(status.said || [])];
    faults.textContent = said.join("\n");
    faults.hidden = !said.length;
  });
  addEventListener("themechange", () => meters.forEach(meter => meter.draw()));
  return meters;
}

class Meter {
  constructor(name, unit, of, stroke, place, log = false) {
    Object.assign(this, { name, unit, of, stroke, place, log, values: [] });
    this.element = make("div", { className: "meter" });
    this.element.dataset.name = name;
    this.output = make("output", { className: "number", ariaLabel: name });
    this.canvas = make("canvas", { width: 120, height: 28 });
    this.canvas.setAttribute("aria-hidden", "true");
    const head = make("div", { className: "meter-head" });
    head.append(make("span", { className: "soft small", textContent: name }), this.output);
    this.element.append(head, this.canvas);
    this.element.hidden = true;
  }

  add(value, time) {
    if (value === null || value === undefined) { this.element.hidden = true; return; }
    this.element.hidden = false;
    if (time < this.last) this.values = [];
    if (time !== this.last) this.values.push(value);
    this.last = time;
    if (this.values.length > KEPT) this.values.shift();
    this.output.textContent = `${short(value, 5)} ${this.unit}`;
    this.output.dataset.value = value;
    this.draw();
  }

  draw() {
    const { canvas } = this, ratio = devicePixelRatio || 1, w = canvas.clientWidth || 120, h = canvas.clientHeight || 28;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    const g = canvas.getContext("2d"), scaled = this.values.map(x => this.log ? Math.log10(Math.max(Math.abs(x), 1e-18)) : x);
    g.scale(ratio, ratio);
    const low = Math.min(...scaled), high = Math.max(...scaled), room = (high - low) || Math.abs(high) || 1;
    g.strokeStyle = colour("--line");
    g.beginPath();
    g.moveTo(0, h - .5);
    g.lineTo(w, h - .5);
    g.stroke();
    g.strokeStyle = this.stroke(this.place);
    g.lineWidth = 1.4;
    g.beginPath();
    scaled.forEach((x, i) => g.lineTo(w - (scaled.length - 1 - i) / KEPT * w, 3 + (h - 6) * (high === low ? .5 : (high - x) / room)));
    g.stroke();
  }
}
