// What is behind the key, from the side: live, or the last stroke again, slower. The piano's action is drawn as it is, the others by their own pictures.
import { $, make, note as say } from "./play_page.js";
import { part, pictureOf } from "./instrument_pictures.js";

const SVG = "http://www.w3.org/2000/svg", INK = "#3d405b", SCALE = 2000;
const PACES = [["live", "live"], ["1", "last stroke"], ["0.1", "10 × slower"], ["0.02", "50 × slower"]];

// Parts of the piano's action as they are called, and what they do.
const PARTS = {
  key: ["key", "A lever on its balance pin; at its other end it lifts whippen and damper."],
  whippen: ["whippen", "Lifted by the key's capstan; it carries jack and repetition lever."],
  jack: ["jack", "Pushes the hammer up by its knuckle, until its toe meets the let-off button and it slips out."],
  lever: ["repetition lever", "Holds the hammer up after a blow, so that the jack can return for the next."],
  hammer: ["hammer", "Flies freely over the last millimetre, and is caught by the backcheck on its way back."],
  damper: ["damper lever", "The key's end lifts it halfway down."],
  "damper head": ["damper", "Lies on the string until the key is down, and again when it is up."],
  ground: ["frame", "Rails, string, let-off button and drop screw, which don't move."],
};

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
    this.piano = this.draw();
    this.controls();
    this.stroke = null;
    const picture = $("action-picture"), told = $("part-told");
    for (const kind of ["pointerover", "pointerdown"]) picture.addEventListener(kind, event => {
      const found = event.target.closest?.("[data-part]");
      told.replaceChildren(...(found ? [make("b", { text: found.dataset.part }), ` ${found.dataset.about}`] : [this.hint]));
      this.pointed?.classList.remove("pointed");
      this.pointed = found;
      found?.classList.add("pointed");
    });
    picture.addEventListener("pointerleave", () => { told.textContent = this.hint; this.pointed?.classList.remove("pointed"); });
  }

  /** Shows what is behind the keys of an instrument; `numbers(name)` gives its live numbers. */
  showInstrument(name, numbers, table) {
    this.other = name === "piano" ? null : pictureOf(name, numbers, table);
    this.hint = `Point at a part to see what it is.${this.other ? ` ${this.other.note}` : ""}`;
    $("part-told").textContent = this.hint;
    $("action-title").textContent = this.other ? this.other.title : "Action";
    $("action-picture").replaceChildren(this.other ? this.other.svg : this.piano);
    this.choose("live");
    if (this.row) this.show(this.row);
  }

  draw() {
    const { bounds: [left, right, bottom, top], shapes, bodies, behind, before, colours } = this.drawing;
    this.place = ([x, z]) => [SCALE * (x - left), SCALE * (top - z)];
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${SCALE * (right - left)} ${SCALE * (top - bottom)}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Piano action: key, whippen, jack, repetition lever, hammer and damper");
    svg.append(part(...PARTS.ground, ...shapes.ground.map(each => shape(each, colours, this.place))));
    const group = body => {
      const g = this.groups[body] = part(...PARTS[body]);
      if (behind[body]) g.append(group(behind[body]));
      for (const each of shapes[body]) g.append(shape(each, colours, this.place));
      if (before[body]) g.append(group(before[body]));
      return g;
    };
    for (const body of bodies) svg.append(group(body));
    return svg;
  }

  /** A row of the key in focus, in the order of the board's columns. */
  show(row) {
    this.row = row;
    if (this.other) this.other.pose(Object.fromEntries(this.columns.map((name, i) => [name, row[i]])));
    else this.pose(row.slice(3, 3 + this.drawing.angles.length));
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
    this.show(rows[low].map((x, i) => x + share * (rows[high][i] - x)));
    $("action-told").textContent = `${(1000 * (t - strike)).toFixed(1)} ms from the strike at ${speed.toFixed(2)} m/s`;
  }

  live(row) { if (this.pace === "live") this.show(row); }
}
