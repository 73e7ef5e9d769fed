// The action from the side: live, or the last stroke again, slower.
import { $, make, note as say } from "./play_page.js";

const SVG = "http://www.w3.org/2000/svg", INK = "#3d405b", SCALE = 2000;
const PACES = [["live", "live"], ["1", "last stroke"], ["0.1", "10 × slower"], ["0.02", "50 × slower"]];

function shape({ points, material, radius }, colours, place) {
  const element = document.createElementNS(SVG, radius === null ? "polygon" : "circle");
  if (radius === null) element.setAttribute("points", points.map(point => place(point).join(",")).join(" "));
  else {
    const [x, y] = place(points[0]);
    element.setAttribute("cx", x);
    element.setAttribute("cy", y);
    element.setAttribute("r", SCALE * radius);
  }
  for (const [name, value] of Object.entries({ fill: colours[material], stroke: INK, "stroke-width": 1.2, "stroke-linejoin": "round" })) element.setAttribute(name, value);
  return element;
}

export class Action {
  constructor(bench, drawing, columns) {
    Object.assign(this, { bench, drawing, columns });
    this.groups = {};
    this.pace = "live";
    this.draw($("action-picture"));
    this.controls();
    this.stroke = null;
  }

  draw(element) {
    const { bounds: [left, right, bottom, top], shapes, bodies, behind, before, colours } = this.drawing;
    this.place = ([x, z]) => [SCALE * (x - left), SCALE * (top - z)];
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${SCALE * (right - left)} ${SCALE * (top - bottom)}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Piano action: key, whippen, jack, repetition lever, hammer and damper");
    for (const each of shapes.ground) svg.append(shape(each, colours, this.place));
    const group = body => {
      const g = this.groups[body] = document.createElementNS(SVG, "g");
      if (behind[body]) g.append(group(behind[body]));
      for (const each of shapes[body]) g.append(shape(each, colours, this.place));
      if (before[body]) g.append(group(before[body]));
      return g;
    };
    for (const body of bodies) svg.append(group(body));
    element.replaceChildren(svg);
  }

  /** A pose from the angles [rad] in the drawing's order. */
  pose(angles) {
    this.drawing.angles.forEach((name, i) => {
      const [x, y] = this.place(this.drawing.hinges[name]), sense = this.drawing.falling.includes(name) ? 1 : -1;
      const turn = `rotate(${(sense * angles[i] * 180 / Math.PI).toFixed(2)} ${x.toFixed(2)} ${y.toFixed(2)})`;
      if (this.groups[name].getAttribute("transform") === turn) return;
      this.groups[name].setAttribute("transform", turn);
      if (name === "damper") {
        const lift = -SCALE * this.drawing["damper head"] * Math.sin(angles[i]);
        this.groups["damper head"].setAttribute("transform", `translate(0 ${lift.toFixed(3)})`);
      }
    });
    this.angles = angles;
  }

  controls() {
    for (const [pace, name] of PACES) {
      const chip = make("button", { text: name, role: "radio", "aria-checked": String(pace === "live") });
      chip.onclick = () => this.choose(pace);
      chip.dataset.pace = pace;
      $("pace").append(chip);
    }
    $("scrub").oninput = () => { this.held = true; this.at = Number($("scrub").value) * this.length; this.again(); };
  }

  async choose(pace) {
    if (pace !== "live") {
      const last = await this.bench.send({ do: "last" }).catch(error => { say(error.message, "bad"); return null; });
      if (!last) return;
      this.take(last);
    }
    this.pace = pace;
    this.held = false;
    for (const chip of $("pace").children) chip.setAttribute("aria-checked", String(chip.dataset.pace === pace));
    $("scrub").hidden = pace === "live";
    this.began = performance.now();
    if (pace !== "live") requestAnimationFrame(() => this.play());
    else $("action-told").textContent = "";
  }

  /** A stroke as the server recorded it. */
  take(last) {
    this.stroke = last;
    this.length = last.rows[last.rows.length - 1][0] - last.rows[0][0];
    this.at = 0;
  }

  play() {
    if (this.pace === "live") return;
    if (!this.held) {
      const passed = (performance.now() - this.began) / 1000 * Number(this.pace);
      this.at = passed % (this.length + 0.5 * Number(this.pace));
      $("scrub").value = Math.min(this.at / this.length, 1);
    }
    this.again();
    requestAnimationFrame(() => this.play());
  }

  /** Shows the recorded stroke at its instant, between two rows by their shares. */
  again() {
    const { rows, strike, speed } = this.stroke, t = rows[0][0] + Math.min(this.at, this.length);
    let low = 0, high = rows.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (rows[middle][0] <= t) low = middle; else high = middle; }
    const share = Math.min(Math.max((t - rows[low][0]) / (rows[high][0] - rows[low][0] || 1), 0), 1);
    this.pose(rows[low].slice(3).map((x, i) => x + share * (rows[high][i + 3] - x)));
    $("action-told").textContent = `${(1000 * (t - strike)).toFixed(1)} ms from the strike at ${speed.toFixed(2)} m/s`;
  }

  live(angles) { if (this.pace === "live") this.pose(angles); }
}
