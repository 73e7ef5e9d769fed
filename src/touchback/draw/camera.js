// An eye that goes around a point: by mouse (drag, shift-drag, wheel), touch (one and two fingers) and keys.
import { add, along, cross, dot, scaled, sub, times, turned, unit } from "./vectors.js";

const LENS = 1 / Math.tan(0.42);

export class Camera {
  /** @param {{centre: number[], radius: number, turn: number, rise: number}} first where it starts and returns to */
  constructor(first) {
    this.first = { distance: 2.6, ...first };
    this.changed = () => {};
    this.sight = 0; // m: it sees so far at least
    this.seat = null; // where it rides, looking along x with z upwards; else it goes around its middle
    this.home();
  }

  home() {
    const { centre, radius, turn, rise, distance } = this.first;
    Object.assign(this, { middle: [...centre], radius, turn, rise, distance, head: [0, 0] });
    this.changed();
  }

  /** Points are from another origin. */
  shift(by) {
    this.middle = add(this.middle, by);
    if (this.seat) this.seat.p = add(this.seat.p, by);
    this.first.centre = add(this.first.centre, by);
    if (this.last) this.last.from = add(this.last.from, by);
  }

  /** Rides at a pose {p, q} from now on, and then at wherever that goes; null ends it. */
  ride(pose) {
    if (!this.seat !== !pose) this.head = [0, 0];
    this.seat = pose;
    if (pose) this.middle = [...pose.p];
  }

  /** Place and axes of an eye that rides: its head may be turned. */
  seated() {
    const { p, q } = this.seat, [turn, rise] = this.head, c = Math.cos(rise);
    const away = turned(q, [-c * Math.cos(turn), -c * Math.sin(turn), Math.sin(rise)]);
    const right = turned(q, [Math.sin(turn), -Math.cos(turn), 0]);
    return { from: p, away, right, up: cross(away, right), d: this.radius };
  }

  /** Those of one that goes around its middle. */
  around(ratio) {
    const { turn, rise } = this, d = this.distance * this.radius * Math.max(1, 1 / ratio);
    const c = Math.cos(rise), away = [c * Math.cos(turn), c * Math.sin(turn), Math.sin(rise)];
    const right = [-Math.sin(turn), Math.cos(turn), 0];
    return { from: along(this.middle, away, d), away, right, up: cross(away, right), d };
  }

  /** Matrix, place and axes of the eye for a picture of this ratio of width to height. */
  shot(ratio) {
    const { radius } = this, { from, away, right, up, d } = this.seat ? this.seated() : this.around(ratio);
    const look = new Float32Array([right[0], up[0], away[0], 0, right[1], up[1], away[1], 0,
      right[2], up[2], away[2], 0, -dot(right, from), -dot(up, from), -dot(away, from), 1]);
    const near = d / 50, far = Math.max(d + 30 * radius, this.sight);
    const lens = new Float32Array([LENS / ratio, 0, 0, 0, 0, LENS, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
    this.last = { view: times(lens, look), from, away, right, up, ratio, distance: d };
    return this.last;
  }

  /** The ray through a place of the picture, 0…1 from the left and from the top. */
  ray(x, y) {
    const { from, away, right, up, ratio } = this.last || this.shot(1);
    const way = add(add(scaled(right, (2 * x - 1) * ratio / LENS), scaled(up, (1 - 2 * y) / LENS)), scaled(away, -1));
    return { from, way: unit(way) };
  }

  /** Where a point is in the picture, 0…1, and how far before the eye [m]. */
  project(p) {
    const { from, away, right, up, ratio } = this.last || this.shot(1), v = sub(p, from), depth = -dot(v, away);
    const s = LENS / Math.max(depth, 1e-9);
    return [0.5 + 0.5 * s * dot(v, right) / ratio, 0.5 - 0.5 * s * dot(v, up), depth];
  }

  /** How many metres a pixel is at a point, in a picture of this height. */
  perPixel(p, height) { return 2 * Math.max(this.project(p)[2], 1e-9) / LENS / height; }

  orbit(dx, dy) {
    if (this.seat) {
      this.head = [this.head[0] + dx, Math.max(-1.5, Math.min(1.5, this.head[1] + dy))];
      return this.changed();
    }
    this.turn -= dx;
    this.rise = Math.max(-1.57, Math.min(1.57, this.rise + dy));
    this.changed();
  }

  /** Moves by parts of the picture's height. */
  pan(dx, dy) {
    if (this.seat) return;
    const { right, up, distance } = this.last || this.shot(1), size = 2 * distance / LENS;
    this.middle = along(along(this.middle, right, -dx * size), up, dy * size);
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.max(0.15, Math.min(40, this.distance * factor));
    this.changed();
  }

  /** Lets a pointer move the eye. `free(event)` says whether a press is the camera's. */
  listen(canvas, free = () => true) {
    const held = new Map(), size = () => Math.min(canvas.clientWidth, canvas.clientHeight);
    canvas.addEventListener("pointerdown", e => {
      if (!free(e)) return;
      held.set(e.pointerId, [e.clientX, e.clientY]);
      canvas.setPointerCapture(e.pointerId);
    });
    const end = e => held.delete(e.pointerId);
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointermove", e => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const others = [...held].filter(([id]) => id !== e.pointerId), now = [e.clientX, e.clientY];
      const dx = (now[0] - before[0]) / size(), dy = (now[1] - before[1]) / size();
      held.set(e.pointerId, now);
      if (others.length) {  // two fingers: move by half of each, nearer as they part
        const other = others[0][1], far = p => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.pan(dx / 2, dy / 2);
        this.zoom(far(before) / far(now));
      } else if (e.shiftKey || e.buttons & 6) this.pan(dx, dy);
      else this.orbit(4 * dx, 4 * dy);
    });
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoom(Math.exp(e.deltaY / 700)); }, { passive: false });
    canvas.addEventListener("dblclick", () => this.home());
  }
}
