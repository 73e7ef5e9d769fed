// What lies over the mechanism: names, the rubber band of a hand, icons with their handles. Drawn as SVG
// with its looks in attributes, so that a picture of the view holds it too.
import { h, set } from "./dom.js";

const HALO = { "paint-order": "stroke", "stroke-width": 4, "stroke-linejoin": "round" };

export class Overlay {
  constructor(svg, view) {
    this.svg = svg;
    this.view = view;
    this.parts = new Map();
    this.painters = new Set();
  }

  /** An element under a name, made once; what isn't asked for in a drawing goes. */
  part(name, tag, make = () => ({})) {
    let found = this.parts.get(name);
    if (!found) {
      found = { node: h(tag, make()) };
      this.svg.append(found.node);
      this.parts.set(name, found);
    }
    found.used = this.count;
    return found.node;
  }

  line(name, points, look) {
    const d = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    set(this.part(name, "path"), { d, fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round", ...look });
  }

  area(name, points, look) {
    set(this.part(name, "polygon"), { points: points.map(p => `${p[0].toFixed(1)},${p[1].toFixed(1)}`).join(" "), ...look });
  }

  circle(name, [x, y], r, look) { set(this.part(name, "circle"), { cx: x.toFixed(1), cy: y.toFixed(1), r, ...look }); }

  text(name, [x, y], words, look = {}) {
    const { ink, paper } = this.view.colours, node = this.part(name, "text");
    set(node, { x: x.toFixed(1), y: y.toFixed(1), fill: ink, stroke: paper, "font-size": 12.5, "font-family": "system-ui, sans-serif", "font-weight": 600, ...HALO, ...look });
    if (node.textContent !== words) node.textContent = words;
  }

  /** A line with a head. */
  arrow(name, a, b, colour, width = 3.2) {
    const way = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...way);
    if (length < 1) return;
    const head = Math.min(15, 0.6 * length), [x, y] = way.map(v => v / length);
    this.line(name, [a, [b[0] - 0.8 * head * x, b[1] - 0.8 * head * y]], { stroke: colour, "stroke-width": width });
    this.area(`${name} head`, [b, [b[0] - head * x - 0.42 * head * y, b[1] - head * y + 0.42 * head * x], [b[0] - head * x + 0.42 * head * y, b[1] - head * y - 0.42 * head * x]], { fill: colour });
  }

  /** Something to drag: a ring that can be reached by pointer, touch and keys. */
  handle(name, [x, y], label, colour, onpress, onnudge) {
    const node = this.part(name, "circle", () => ({
      class: "handle", tabindex: 0, role: "button", "aria-label": label, "data-handle": name,
      onpointerdown: e => { e.stopPropagation(); node.setPointerCapture(e.pointerId); onpress(e, node); },
      onkeydown: e => {
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
        if (way) { e.preventDefault(); e.stopPropagation(); onnudge(way.map(v => v * (e.shiftKey ? 20 : 4))); }
      },
    }));
    set(node, { cx: x.toFixed(1), cy: y.toFixed(1), r: 8, fill: this.view.colours.paper, "fill-opacity": 0.85, stroke: colour, "stroke-width": 2.4 });
    return node;
  }

  draw() {
    this.count = (this.count || 0) + 1;
    for (const paint of this.painters) paint(this);
    if (this.view.show.names) this.names();
    for (const [name, part] of this.parts) if (part.used !== this.count) { part.node.remove(); this.parts.delete(name); }
  }

  names() {
    const { world } = this.view, bodies = new Map();
    for (const shape of world.scene.shapes) {
      if (shape.body === "ground") continue;
      const n = shape.numbers, at = shape.kind === "line" ? [0, 1, 2].map(i => (n[i] + n[i + 3]) / 2) : shape.at;
      if (!bodies.has(shape.body)) bodies.set(shape.body, at);
    }
    for (const [body, at] of bodies) {
      const [x, y, depth] = this.view.pixel(world.at(body, at));
      if (depth > 0) this.text(`name ${body}`, [x + 8, y - 8], body, { "font-weight": 500, "font-size": 12 });
    }
  }
}
