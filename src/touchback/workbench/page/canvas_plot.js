// A canvas with axes: numbers to pixels and back, ticks, curves of least and greatest values.

const colours = new Map(); // asking the browser each time would make it lay out the page each time
addEventListener("themechange", () => colours.clear());

/** The colour that a variable of the page's style has now. */
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}
export const curve = place => colour(`--curve-${place % 6 + 1}`);

/** Round numbers between two, about so many. */
export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough * 0.999) || rough;
  const found = [], first = Math.ceil(low / step - 1e-9);
  for (let k = 0; k <= 4 * count + 4 && (first + k) * step <= high + 1e-9 * step; k++) found.push((first + k) * step);
  return { step, at: found };
}

/** A number with as many digits as a step needs. */
export function digits(value, step) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0 && step < 1e-4) return "0";
  if (value !== 0 && (Math.abs(value) >= 1e5 || step < 1e-4)) return value.toExponential(Math.max(0, Math.min(6, Math.ceil(Math.log10(Math.abs(value) / step)))));
  return value.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
}

/** A plot on a canvas that fills its element: `x` and `y` are the spans shown. */
export class Plot {
  constructor(element, label) {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    this.canvas.className = "plot";
    element.append(this.canvas);
    this.x = [0, 1];
    this.y = [-1, 1];
    this.log = false; // of y
    this.margin = { left: 54, right: 10, top: 8, bottom: 24 };
  }

  /** Makes the canvas as sharp as the screen; gives its drawing context. */
  begin() {
    const { clientWidth: w, clientHeight: h } = this.canvas, ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    this.w = w; this.h = h;
    const g = this.g = this.canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colour("--panel");
    g.fillRect(0, 0, w, h);
    return g;
  }

  get inner() {
    const { left, right, top, bottom } = this.margin;
    return { x: left, y: top, w: Math.max(this.w - left - right, 1), h: Math.max(this.h - top - bottom, 1) };
  }

  px(x) { const { x: a, w } = this.inner; return a + (x - this.x[0]) / (this.x[1] - this.x[0]) * w; }
  py(y) {
    const { y: a, h } = this.inner, [low, high] = this.y;
    if (this.log) return a + h - Math.log(Math.max(y, low) / low) / Math.log(high / low) * h;
    return a + h - (y - low) / (high - low) * h;
  }
  at(px) { const { x: a, w } = this.inner; return this.x[0] + (px - a) / w * (this.x[1] - this.x[0]); }
  aty(py) { const { y: a, h } = this.inner; return this.y[0] + (a + h - py) / h * (this.y[1] - this.y[0]); }

  /** Grid, numbers and units of both axes. */
  axes(xUnit, yUnit) {
    const g = this.g, { x, y, w, h } = this.inner, across = ticks(...this.x, w / 60);
    const up = this.log ? { at: decades(...this.y, h / 18) } : ticks(...this.y, h / 34);
    g.strokeStyle = colour("--line");
    g.fillStyle = colour("--soft");
    g.lineWidth = 1;
    g.font = "11px system-ui, sans-serif";
    g.beginPath();
    for (const each of across.at) { const p = Math.round(this.px(each)) + .5; g.moveTo(p, y); g.lineTo(p, y + h); }
    for (const each of up.at) { const p = Math.round(this.py(each)) + .5; g.moveTo(x, p); g.lineTo(x + w, p); }
    g.stroke();
    g.textBaseline = "top";
    g.textAlign = "center";
    const unitWide = xUnit ? g.measureText(xUnit).width + 8 : 0;
    for (const each of across.at) if (this.px(each) < x + w - unitWide - 14) g.fillText(digits(each, across.step), this.px(each), y + h + 6);
    g.textAlign = "right";
    if (xUnit) g.fillText(xUnit, x + w, y + h + 6);
    g.textBaseline = "middle";
    for (const each of up.at) {
      const p = this.py(each);
      if (p > y + (yUnit ? 14 : 4)) g.fillText(this.log ? each.toExponential(0) : digits(each, up.step), x - 6, p);
    }
    if (yUnit) { g.textBaseline = "top"; g.fillText(yUnit, x - 6, y); }
  }

  /** A line at an instant. */
  upright(x, stroke) {
    const { y, h } = this.inner, p = this.px(x);
    Object.assign(this.g, { strokeStyle: stroke, lineWidth: 1.6 });
    this.g.beginPath();
    this.g.moveTo(p, y);
    this.g.lineTo(p, y + h);
    this.g.stroke();
  }

  clip() {
    const { x, y, w, h } = this.inner;
    this.g.save();
    this.g.beginPath();
    this.g.rect(x, y, w, h);
    this.g.clip();
  }

  /** The k-th trace of buckets {time, low, high, count, traces}: up and down within each, so that nothing that stuck out is lost. */
  buckets(data, k, stroke, dash = []) {
    const g = this.g, { time, low, high, count, traces } = data;
    g.strokeStyle = stroke;
    g.lineWidth = dash.length ? 1.2 : 1.5;
    g.lineJoin = "round";
    g.setLineDash(dash);
    g.beginPath();
    let drawn = false, from = 0;
    while (from + 1 < count && time[from + 1] < this.x[0]) from++;
    for (let i = from; i < count; i++) {
      const a = low[i * traces + k], b = high[i * traces + k];
      if (!(Number.isFinite(a) && Number.isFinite(b))) { drawn = false; continue; }
      const x = this.px(time[i]);
      if (drawn) g.lineTo(x, this.py(a)); else g.moveTo(x, this.py(a));
      if (a !== b) g.lineTo(x, this.py(b));
      else if (!drawn) g.lineTo(x + .01, this.py(a));
      drawn = true;
      if (time[i] > this.x[1]) break;
    }
    g.stroke();
    g.setLineDash([]);
  }

  /** Sees to it that spans hold all values: `spans` is a list of [low, high]. */
  fit(spans, keep = null) {
    let low = Infinity, high = -Infinity;
    for (const [a, b] of spans) { if (a < low) low = a; if (b > high) high = b; }
    if (!(low <= high)) return keep || [-1, 1];
    // what is the same to nine digits is drawn as the same: numbers have only sixteen
    const size = Math.max(Math.abs(low), Math.abs(high)), room = high - low > 1e-9 * size ? 0.08 * (high - low) : 0.1 * size || 1;
    const wanted = [low - room, high + room];
    // a span that fits well enough stays, so that the picture doesn't tremble
    if (keep && keep[0] <= low && keep[1] >= high && keep[1] - keep[0] < 1.6 * (wanted[1] - wanted[0])) return keep;
    return wanted;
  }
}

function decades(low, high, most) {
  const found = [];
  const step = Math.max(1, Math.ceil(Math.log10(high / low) / Math.max(most, 1))); // as many as have room
  for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high) + 1e-9; e += step) found.push(10 ** e);
  return found.length ? found : [low, high];
}
