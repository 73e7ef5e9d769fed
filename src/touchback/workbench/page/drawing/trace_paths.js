// Coupler curves: the paths of traced points while the drawing plays, which stay until it is changed.
import { norm, sub } from "../draw/vectors.js";

const MOST = 1500; // points of a path

export class TracePaths {
  constructor({ view, drawing }) {
    Object.assign(this, { view, drawing, paths: new Map(), points: new Map(), drawn: "" });
    drawing.changed.add(() => this.take());
    view.world.changed.add(kind => { if (kind === "poses") this.follow(); else if (kind === "origin") this.paths.clear(); });
    view.overlay.painters.add(overlay => this.paint(overlay));
  }

  /** Where traced points sit on their bodies; another drawing, or another play, begins new paths. */
  take() {
    const { told, resting } = this.drawing, playing = !resting, drawn = JSON.stringify([told.bodies, told.joints, told.sensors]);
    if (drawn !== this.drawn || playing && !this.playing) this.paths.clear();
    Object.assign(this, { drawn, playing });
    this.points = new Map(told.sensors.filter(each => told.traces.includes(each.name) && each.local && this.drawing.body(each.on))
      .map(({ name, on, local }) => [name, { body: on, local }]));
  }

  follow() {
    const { world } = this.view;
    if (!this.playing || !world.ready) return;
    for (const [name, { body, local }] of this.points) {
      if (!world.index.has(body)) continue;
      const p = world.at(body, local), path = this.paths.get(name) || [];
      if (path.length && norm(sub(p, path.at(-1))) < 2e-3 * world.radius) continue;
      path.push(p);
      if (path.length > MOST) path.shift();
      this.paths.set(name, path);
    }
  }

  paint(overlay) {
    const { view } = this;
    if (!view.colours) return;
    for (const [name, path] of this.paths) if (path.length > 1) overlay.line(`path ${name}`, path.map(p => view.pixel(p)), { stroke: view.colours.accent, "stroke-width": 2, "stroke-opacity": 0.85 });
  }
}
