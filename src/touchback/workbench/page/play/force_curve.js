// Force over depth: the curve of a slow press with the screws as they are, and what the finger feels now.
import { $, canvasOf, colour, label, make } from "./play_page.js";

const DEEP = 11.5, LOST = 0.01; // mm that are always shown; s between rows over which no line is drawn: some are missing
const UP = 0.05, MOST = 30000; // mm above which a key is down; rows in all
const UNIT = 32; // px at the end of the axis that its unit needs for itself
const PAD = { left: 30, right: 8, top: 8, bottom: 22 };

export class Force {
  /** `kept`: how many seconds of what was felt stay. */
  constructor(element, kept = 1.6) {
    this.kept = kept;
    this.trail = [];
    this.curve = this.usual = null;
    this.top = 4;
    this.deep = DEEP;
    this.ask = canvasOf(element, (context, width, height) => this.draw(context, width, height));
  }

  /** Rows of the key in focus, its `note`: [time s, depth m, force N, …]. */
  feel(rows, note = 0) {
    if (note !== this.note) { this.note = note; this.trail = []; }
    for (const row of rows) this.trail.push([row[0], 1000 * row[1], row[2]]);
    const now = rows[rows.length - 1][0];
    for (const row of rows) if (1000 * row[1] < UP) this.begun = row[0]; // a stroke stays whole, however long it takes
    const since = Math.min(now - this.kept, this.begun ?? now), old = this.trail.findIndex(each => each[0] >= since);
    this.trail.splice(0, Math.max(old, this.trail.length - MOST));
    const last = rows[rows.length - 1];
    if (this.still && Math.abs(last[1] - this.still[1]) < 1e-6 && Math.abs(last[2] - this.still[2]) < 1e-3 && this.quiet++ > 60 * this.kept) return;
    if (!this.still || Math.abs(last[1] - this.still[1]) >= 1e-6 || Math.abs(last[2] - this.still[2]) >= 1e-3) this.quiet = 0;
    this.still = last;
    $("force-told").textContent = `${rows[rows.length - 1][2].toFixed(2)} N at ${Math.max(0, 1000 * rows[rows.length - 1][1]).toFixed(1)} mm`;
    this.ask();
  }

  clear() { this.trail = []; this.ask(); }

  setCurve(curve) {
    if (!curve) return;
    this.setLegend(curve);
    this.usual = curve.usual?.down ? curve.usual : null;
    this.curve = curve.error ? null : curve;
    const told = $("curve-told");
    if (curve.error) told.textContent = curve.error;
    else {
      const piano = !curve.instrument || curve.instrument === "piano"; // of the others nothing but the curve is told
      const peak = !piano ? `${curve.instrument}, a slow press` : curve["let-off"] ? `let-off ${curve["let-off"][1].toFixed(2)} N at ${(1000 * curve["let-off"][0]).toFixed(1)} mm` : "no let-off";
      const weights = curve.weights ? `, down weight ${(1000 * curve.weights[0]).toFixed(0)} g, up weight ${(1000 * curve.weights[1]).toFixed(0)} g` : "";
      told.textContent = `${curve.key ? `${curve.key}: ` : ""}${peak}${weights}`;
    }
    this.ask();
  }

  /** Which line is what, and what begins at the letters, where a page has room for it. */
  setLegend(curve) {
    const box = $("curve-legend");
    if (!box || curve.error) return;
    const entry = (kind, text) => make("li", {}, make("i", { class: kind }), text);
    const lines = [["felt", "what your finger feels"], ["down", "a slow press, 20 mm/s, on the way down"], ["up", "the same on the way up"], ["usual", "as regulated, where screws were turned"]];
    const first = !box.querySelector("ul");
    if (first) box.open = matchMedia("(min-height: 1000px)").matches; // else there is little room
    else box.querySelector("ul").remove();
    box.append(make("ul", {}, ...lines.map(([kind, text]) => entry(kind, text)), ...Object.entries(curve.legend || {}).map(([letter, text]) => make("li", {}, make("b", { text: letter }), text))));
  }

  draw(context, width, height) {
    const strongest = Math.max(3.2, ...this.trail.map(each => each[2]));
    this.top += (1.15 * strongest - this.top) * 0.2;
    this.deep = Math.max(DEEP, ...this.trail.map(each => each[1] + 0.4)); // a fast press sinks into the felt
    const x = mm => PAD.left + (width - PAD.left - PAD.right) * mm / this.deep;
    const y = force => height - PAD.bottom - (height - PAD.top - PAD.bottom) * force / this.top;
    context.font = "11px system-ui";
    context.strokeStyle = colour("--line");
    context.fillStyle = colour("--soft");
    context.lineWidth = 1;
    for (let mm = 0; mm < this.deep; mm += 2) { line(context, [[x(mm), y(0)], [x(mm), PAD.top]]); if (x(mm) < width - PAD.right - UNIT) context.fillText(`${mm}`, x(mm) - 3, height - 7); }
    context.fillText("mm", width - PAD.right - 18, height - 7);
    const step = this.top > 12 ? 5 : this.top > 5 ? 2 : 1;
    for (let force = 0; force < this.top; force += step) { line(context, [[x(0), y(force)], [width - PAD.right, y(force)]]); context.fillText(force ? `${force} N` : "0", 4, y(force) + 4); }
    context.save();
    context.beginPath();
    context.rect(PAD.left, PAD.top, width - PAD.left - PAD.right, height - PAD.top - PAD.bottom + 1);
    context.clip();
    const changed = this.curve && this.usual && this.curve.down[1].some((f, i) => f !== this.usual.down[1][i]);
    context.globalAlpha = this.curve?.note === this.note ? 1 : 0.3; // still that of another key
    if (changed) this.sides(context, this.usual, x, y, "--soft", [3, 3]);
    if (this.curve) this.sides(context, this.curve, x, y, "--curve-1", []);
    context.globalAlpha = 1;
    context.strokeStyle = colour("--accent");
    context.lineWidth = 2;
    line(context, this.trail.map(each => [x(each[1]), y(each[2])]), i => this.trail[i][0] - this.trail[i - 1][0] > LOST);
    context.restore();
    if (this.curve) for (const [name, at] of Object.entries(this.curve.stages)) label(context, name, x(1000 * at) + 2, PAD.top + 10);
    const last = this.trail[this.trail.length - 1];
    if (last) { context.fillStyle = colour("--accent"); context.beginPath(); context.arc(x(last[1]), Math.max(y(last[2]), PAD.top), 4, 0, 7); context.fill(); }
    if (Math.abs(1.15 * strongest - this.top) > 0.02) this.ask?.();
  }

  sides(context, curve, x, y, name, dashes) {
    context.strokeStyle = colour(name);
    context.lineWidth = 1.5;
    for (const side of ["down", "up"]) {
      context.setLineDash(side === "up" ? [2, 4] : dashes);
      line(context, curve[side][0].map((depth, i) => [x(1000 * depth), y(curve[side][1][i])]));
    }
    context.setLineDash([]);
  }
}

/** A line through points, interrupted before those that `parted` names. */
function line(context, points, parted = () => false) {
  context.beginPath();
  points.forEach(([a, b], i) => i && !parted(i) ? context.lineTo(a, b) : context.moveTo(a, b));
  context.stroke();
}
