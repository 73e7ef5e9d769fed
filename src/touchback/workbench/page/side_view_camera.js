// An eye that looks straight at a plane: moves and comes nearer, but doesn't go around.
import { Camera } from "./draw/camera.js";
import { add, along, cross, dot, scaled, sub } from "./draw/vectors.js";

export class SideViewCamera extends Camera {
  constructor(first, axes) {
    super({ turn: 0, rise: 0, distance: 1.45, ...first }); // tools lie over the edges
    this.flat = true;
    [this.right, this.up] = axes;
    this.away = cross(this.right, this.up);
  }

  /** Half of the height of what is seen [m]: all of the mechanism, with a margin. */
  half(ratio) {
    const [wide, high] = this.first.spans || [this.radius, this.radius];
    return this.distance * Math.max(high, wide / ratio, 0.2 * this.radius);
  }

  shot(ratio) {
    const { right, up, away } = this, half = this.half(ratio);
    this.last = { right, up, away, ratio, half, from: along(this.middle, away, 100 * this.radius) };
    return this.last;
  }

  ray(x, y) {
    const { from, ratio, half } = this.last || this.shot(1);
    const aside = add(scaled(this.right, (2 * x - 1) * ratio * half), scaled(this.up, (1 - 2 * y) * half));
    return { from: add(from, aside), way: scaled(this.away, -1) };
  }

  project(p) {
    const { ratio, half } = this.last || this.shot(1), v = sub(p, this.middle);
    return [0.5 + 0.5 * dot(v, this.right) / half / ratio, 0.5 - 0.5 * dot(v, this.up) / half, 1];
  }

  perPixel(p, height) { return 2 * (this.last || this.shot(1)).half / height; }
  orbit(dx, dy) { this.pan(dx / 4, dy / 4); }

  pan(dx, dy) {
    const { half, ratio } = this.last || this.shot(1), size = 2 * half * Math.min(1, ratio);
    this.middle = along(along(this.middle, this.right, -dx * size), this.up, dy * size);
    this.changed();
  }
}
