// The mechanism in space: solids in soft light over a ground grid.
import { InstancedSolids } from "./instanced_solids.js";
import { Camera } from "./draw/camera.js";
import { Ground, SIGHT } from "./draw/ground.js";
import { Renderer } from "./draw/render.js";
import { sided } from "./draw/solids.js";
import { add, along, cross, dot, norm, placed, posed, scaled, sub, turned, unit } from "./draw/vectors.js";
import { rounded } from "./scene_state.js";

const ROLE = { body: 0.018, cross: 0.018, arm: 0.007 }; // of the radius: lines of stick figures
const PALE = "#9aa0b5", INK = "#3d405b", FORCE = "#e07a5f", CONTACT = "#2a9d8f", WATER = "#3a8fc4";
const FAR = 8; // times as wide is the ground of who rides and looks ahead
const OBLIQUE = { turn: -0.95, rise: 0.38 };

export class SolidView {
  constructor(canvas, world) {
    this.canvas = canvas;
    this.world = world;
    this.renderer = new Renderer(canvas);
    this.crowd = new InstancedSolids(this.renderer);
    this.ground = new Ground(this.renderer);
    this.camera = new Camera({ centre: [0, 0, 0], radius: 1, ...OBLIQUE });
    this.trails = new Map();
    this.meshes = new Map();
  }

  /** A new structure; the eye stays where it is by default. */
  take(scene, home) {
    if (!home) return;
    const look = { ...OBLIQUE };
    if (scene.flat) look.turn = Math.atan2(...across(scene.flat).slice(0, 2).reverse()) + 0.5;
    Object.assign(this.camera.first, { centre: this.world.centre, radius: this.world.radius, ...look });
    this.camera.home();
  }

  /** A mesh on the card, once its triangles are here. */
  solidOf(shape) {
    const triangles = this.world.meshes.get(shape.mesh);
    if (!triangles) return null;
    if (!this.meshes.has(shape.mesh)) this.meshes.set(shape.mesh, this.renderer.load(sided(triangles)));
    return this.meshes.get(shape.mesh);
  }

  /** Looks from where it does at everything, as it is now. */
  fit([low, high]) {
    const middle = scaled(add(low, high), 0.5), radius = Math.max(norm(sub(high, low)) / 2, 0.05 * this.world.radius);
    Object.assign(this.camera, { middle, distance: 2.6 * radius / this.camera.radius });
    this.camera.changed();
  }

  get eye() { return this.camera; }

  draw(show, selected, colours) {
    const { renderer, world } = this, R = world.radius, roads = show.ground ? this.roads() : [];
    this.camera.sight = roads.length ? SIGHT : 0;
    renderer.begin(this.camera, roads.length ? Ground.paper(colours.dark) : colours.paper);
    if (roads.length) this.ground.draw(roads, colours.dark);
    const { crowd } = this, floor = this.floor();
    crowd.clear();
    this.solids((solid, model, shape) => {
      crowd.add(solid, model, shape.colour || PALE, selected && selected.kind === "body" && selected.name === shape.body ? 0.16 : 0);
    });
    crowd.load();
    if (roads.length && this.level) crowd.shadow(floor + 1e-3 * R, colours.cast, colours.dark ? 0.5 : 0.3);
    else if (show.ground && !roads.length) {
      const step = rounded(R / 4) * (this.camera.seat ? FAR : 1), half = 12 * step, [x, y] = this.camera.middle, fade = [x, y, floor, half];
      const lines = 1.2 * step, middle = [Math.round(x / lines) * lines, Math.round(y / lines) * lines, floor]; // the ground has no end
      renderer.stroke(renderer.known.grid.rims, placed([lines, 0, 0], [0, lines, 0], [0, 0, 1], middle), colours.grid, 0.7, "LINES", fade);
      crowd.shadow(floor + 1e-3 * R, colours.cast, colours.dark ? 0.5 : 0.13);
    }
    crowd.paint();
    crowd.edges(colours.edge, 0.35);
    this.springs();
    if (show.joints) this.joints(selected);
    if (show.frames) this.frames();
    if (show.inertias) this.inertias();
    if (show.trails) this.drawTrails();
    if (!(this.camera.seat && world.scene.seat)) renderer.before(() => this.arrows(show)); // who drives sees the road
    this.walls(colours);
    this.waters();
  }

  /** Roads and what stands along them, whose meshes are here. */
  roads() {
    return this.world.scene.shapes.filter(s => s.kind === "ground" && this.solidOf(s)).map(shape => {
      const { p, q } = this.world.placed(shape), axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(v => turned(q, v));
      return { solid: this.solidOf(shape), p, axes, paint: shape.role, way: turned(q, shape.numbers) };
    });
  }

  /** Whether the road is level: else a shadow would lie beside it. */
  get level() { return this.world.scene.shapes.every(s => s.kind !== "ground" || s.numbers[2] === 0); }

  /** Where the ground is drawn: at a road or a floor of the model, right below a robot, else a little below everything. */
  floor() {
    const road = this.world.scene.shapes.find(s => s.kind === "ground" && s.role === "asphalt");
    if (road) return this.world.placed(road).p[2];
    const flat = this.world.scene.shapes.find(s => s.endless && s.kind === "plane" && Math.abs(turned(s.turn, [0, 0, 1])[2]) > 0.999);
    const { floor } = this.world.scene;
    return flat ? this.world.placed(flat).p[2] : Number.isFinite(floor) ? this.world.here([0, 0, floor])[2] - 0.002 * this.world.radius : this.world.low - 0.03 * this.world.radius;
  }

  /** Tells every solid with its matrix. */
  solids(tell) {
    const { world } = this, known = this.renderer.known, R = world.radius;
    for (const shape of world.scene.shapes) {
      if (shape.endless || shape.kind === "plane") continue;
      if (shape.kind === "line") { this.stick(shape, tell); continue; }
      const { p, q } = world.placed(shape), n = shape.numbers, deep = 0.02 * R;
      if (shape.kind === "box") tell(known.box, posed(p, q, n), shape);
      else if (shape.kind === "sphere" || shape.kind === "ellipsoid") tell(known.ball, posed(p, q, n.length === 1 ? [n[0], n[0], n[0]] : n), shape);
      else if (shape.kind === "cylinder") tell(known.tube, posed(add(p, turned(q, [0, 0, -n[1]])), q, [n[0], n[0], 2 * n[1]]), shape);
      else if (shape.kind === "capsule") {
        tell(known.pipe, posed(add(p, turned(q, [0, 0, -n[1]])), q, [n[0], n[0], 2 * n[1]]), shape);
        tell(known.dome, posed(add(p, turned(q, [0, 0, n[1]])), q, [n[0], n[0], n[0]]), shape);
        tell(known.dome, posed(add(p, turned(q, [0, 0, -n[1]])), q, [n[0], -n[0], -n[0]]), shape);
      } else if (shape.kind === "disc") {
        const ways = [[n[0], 0, 0], [0, 0, deep / 2], [0, n[0], 0]].map(v => turned(q, v));
        tell(this.renderer.bandOf(0, 2 * Math.PI), placed(...ways, p), shape);
      } else if (shape.kind === "arc") tell(this.renderer.bandOf(n[1], n[2]), posed(p, q, [n[0], deep, n[0]]), shape);
      else if (shape.kind === "face") tell(known.box, posed(add(p, turned(q, [n[0] / 2, 0, 0])), q, [n[0] / 2, deep, deep / 10]), shape);
      else if (shape.kind === "patch") tell(known.sheet, posed(p, q, [0.05 * R, 0.05 * R, 1]), shape);
      else if (shape.kind === "mesh" && this.solidOf(shape)) tell(this.solidOf(shape), posed(p, q), shape);
    }
  }

  stick(shape, tell) {
    const { world } = this, radius = (ROLE[shape.role] || 0.018) * world.radius;
    const [a, b] = [shape.numbers.slice(0, 3), shape.numbers.slice(3)].map(v => world.at(shape.body, v));
    const way = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], z = unit(way);
    const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)), y = cross(z, x), known = this.renderer.round(a, radius);
    tell(known.pipe, placed(scaled(x, radius), scaled(y, radius), way, a), shape);
    tell(known.dome, placed(scaled(x, radius), scaled(y, radius), scaled(z, radius), b), shape);
    tell(known.dome, placed(scaled(x, radius), scaled(y, -radius), scaled(z, -radius), a), shape);
  }

  walls(colours) {
    const { renderer, world } = this, half = 1.6 * world.radius;
    renderer.gl.depthMask(false);
    for (const shape of world.scene.shapes) if (shape.kind === "plane") {
      const { p, q } = world.placed(shape), size = shape.endless ? half : 0.06 * world.radius, n = turned(q, [0, 0, 1]);
      if (shape.endless && Math.abs(n[2]) > 0.999) continue;  // the ground's grid shows it
      const c = world.centre, down = (c[0] - p[0]) * n[0] + (c[1] - p[1]) * n[1] + (c[2] - p[2]) * n[2];
      const model = posed(shape.endless ? along(c, n, -down) : p, q, [size, size, 1]);
      renderer.paint(renderer.known.sheet, model, shape.endless ? colours.grid : shape.colour || PALE, 0.3);
      renderer.edges(renderer.known.sheet, model, colours.edge, 0.4);
    }
    renderer.gl.depthMask(true);
  }

  /** Free surfaces of fluids, around everything. */
  waters() {
    const { renderer, world } = this, half = 0.9 * world.radius;
    renderer.gl.depthMask(false);
    for (const shape of world.scene.shapes) if (shape.kind === "surface") {
      const { p, q } = world.placed(shape), n = turned(q, [0, 0, 1]), c = this.camera.middle;
      const model = posed(along(c, n, dot(sub(p, c), n)), q, [half, half, 1]);
      renderer.paint(renderer.known.sheet, model, WATER, 0.34);
      renderer.edges(renderer.known.sheet, model, WATER, 0.7);
    }
    renderer.gl.depthMask(true);
  }

  springs() {
    const { world } = this;
    world.scene.springs.forEach((_, i) => this.renderer.spring(...world.spring(i), 0.03 * world.radius, "#6b6f8d"));
  }

  joints(selected) {
    const { world, renderer } = this, r = 0.026 * world.radius;
    for (const { name, kind, loose } of world.scene.joints) {
      if (kind === "Free" || kind === "Weld" || loose) continue;
      const { p, axis, child } = world.joint(name), on = selected && selected.kind === "joint" && selected.name === name;
      const colour = on ? FORCE : INK, size = on ? 1.3 * r : r;
      if (norm(sub(child, p)) > 1e-3 * world.radius) renderer.bar(p, child, 0.007 * world.radius, PALE);
      if (axis && kind === "Revolute") renderer.ring(p, axis, size, 1.15 * size, colour);
      else renderer.dot(p, size, colour);
      if (on && axis) renderer.bar(along(p, axis, -6 * r), along(p, axis, 6 * r), 0.2 * r, FORCE);
    }
    for (const loop of world.scene.loops) {
      const on = selected && selected.kind === "loop" && selected.name === loop.name;
      renderer.dot(world.at(loop.a.body, loop.a.at), on ? 1.35 * r : r, on ? FORCE : "#7d5ba6");
    }
  }

  frames() {
    const { world } = this;
    for (const body of world.scene.bodies) {
      const { p, q } = world.pose(body);
      this.renderer.axes(p, ...[[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(v => turned(q, v)), (body === "ground" ? 0.25 : 0.16) * world.radius);
    }
  }

  /** Ellipsoids of inertia: a solid one of the same mass and moments. */
  inertias() {
    const { world, renderer } = this;
    renderer.gl.depthMask(false);
    for (const { body, halves, at, turn } of world.scene.inertias || []) {
      const { p, q } = world.placed({ body, at, turn: turn || [0, 0, 0, 1] });
      renderer.paint(renderer.known.ball, posed(p, q, halves.map(h => Math.max(h, 0.006 * world.radius))), "#b8860b", 0.42);
      renderer.dot(p, 0.014 * world.radius, "#b8860b");
    }
    renderer.gl.depthMask(true);
  }

  drawTrails() {
    const { world, renderer } = this;
    for (const [body, points] of world.trails) {
      const part = renderer.lines(new Float32Array(points), this.trails.get(body));
      this.trails.set(body, part);
      renderer.stroke(part, null, FORCE, 0.85, "LINE_STRIP");
    }
  }

  /** Forces as long as they are strong, contacts in their own colour; icons draw themselves. */
  arrows(show) {
    const { world, renderer } = this, R = world.radius, contacts = new Set(world.scene.contacts || []);
    world.scene.arrows.forEach((name, i) => {
      const touching = contacts.has(name);
      if (!(touching ? show.contacts : show.forces) || world.hidden(name)) return;
      const [p, force] = world.arrow(i), length = Math.min(norm(force) / world.metre, 1.2 * R);
      if (length > 0.01 * R) renderer.arrow(p, scaled(unit(force), length), 0.008 * R, touching ? CONTACT : FORCE, 0.06 * R);
    });
  }
}

const across = ([right, up]) => cross(right, up);
