// The hand of the person: a press on a body drags it (by a spring while it runs, kinematically when it is
// paused), a press with another tool places what that tool makes, a press without moving chooses.
import { sendNewest, newtons } from "./dom.js";
import { add, meets, norm, sub } from "./draw/vectors.js";
import { pickBody, pickJoint } from "./body_picking.js";

const STILL = 4; // px: less is a click
const OFTEN = 6; // ms between pulls that go out before their picture is due
const PATIENCE = 50; // ms that a picture waits for the answer to a pull

export class Hand {
  constructor(view) {
    this.view = view;
    this.bench = view.bench;
    this.drag = null;
    this.taken = null; // the tick before which the last pull came
    this.sent = null; // when the pull went out that no picture shows yet, and whether it was answered
    this.answered = false;
    this.last = -Infinity; // when a pull last went out early
    this.pull = sendNewest(message => {
      this.sent ??= performance.now();
      return this.bench.send(message).then(({ tick }) => { this.taken = tick; this.answered = true; }).catch(error => this.failed(error));
    });
    view.overlay.painters.add(overlay => this.paint(overlay));
    addEventListener("pointermove", e => this.move(e));
    addEventListener("pointerrawupdate", e => this.early(e)); // as soon as it is known: "pointermove" waits for the next picture
    addEventListener("pointerup", e => this.end(e));
    addEventListener("pointercancel", e => this.end(e));
    addEventListener("blur", () => this.drag && this.end({ pointerId: this.drag.pointer }));
  }

  /** What is under a pointer: {body, point, local} or null. */
  under(e) {
    const { world, eye, canvas } = this.view;
    return world.ready ? pickBody(world, eye, ...this.view.place(e), canvas.clientHeight) : null;
  }

  jointUnder(e, reach) {
    const { world, eye, canvas } = this.view;
    return world.ready ? pickJoint(world, eye, ...this.view.place(e), canvas.clientWidth, canvas.clientHeight, reach) : null;
  }

  get paused() { return this.bench.status.paused || this.bench.status.state === "paused"; }

  /** A press on the view; true when it is taken, else it is the camera's. */
  press(e) {
    if (e.button !== 0 || e.shiftKey || !this.view.world.ready) return false;
    if (this.drag) return true;
    const begun = { pointer: e.pointerId, start: [e.clientX, e.clientY], tool: this.view.tool };
    if (begun.tool === "motion") {
      const joint = this.jointUnder(e, 24);
      if (joint?.kind === "joint") { this.view.icons.create("motion", joint.name); return true; }
      return false;
    }
    const found = this.under(e);
    if (!found || this.bench.onlyLooks) { this.chooseLater(e); return false; }
    this.view.canvas.setPointerCapture(e.pointerId);
    const facing = (this.view.eye.last || this.view.eye.shot(1)).away;
    this.drag = { ...begun, ...found, facing, to: found.point, moved: false };
    this.view.element.dataset.dragging = "yes";
    return true;
  }

  /** A press that the camera takes may still mean a joint, a body or nothing at all; unless the camera moves. */
  chooseLater(e) {
    const start = [e.clientX, e.clientY];
    addEventListener("pointerup", up => {
      if (Math.hypot(up.clientX - start[0], up.clientY - start[1]) >= STILL) return;
      const found = this.under(up);
      this.bench.select(this.jointUnder(up, 14) || (found && { kind: "body", name: found.body, at: found.local }));
    }, { once: true });
  }

  /** Whether a frame that came should wait to be drawn: it is older than the answer to a pull, whose picture it would delay. */
  expects() {
    if (!this.answered && this.sent !== null && performance.now() - this.sent < PATIENCE) return true;
    Object.assign(this, { sent: null, answered: false });
    return false;
  }

  /** Pulls without waiting for a picture; the same place comes again with the next one. */
  early(e) {
    const now = performance.now();
    if (this.drag?.held !== "pull" || now - this.last < OFTEN) return;
    this.last = now;
    this.move(e);
  }

  move(e) {
    const drag = this.drag;
    if (!drag || e.pointerId !== drag.pointer) return;
    if (!drag.moved && Math.hypot(e.clientX - drag.start[0], e.clientY - drag.start[1]) < STILL) return;
    const to = meets(this.view.eye.ray(...this.view.place(e)), drag.point, drag.facing);
    if (!to) return;
    drag.to = to;
    if (!drag.moved) { drag.moved = true; this.begin(drag); }
    if (drag.held === "pull") {
      if (norm(sub(to, drag.asked || [Infinity, 0, 0])) > 0) this.pull({ do: "pull", hand: "hand", to: this.view.world.run(to) });
      drag.asked = to;
      this.view.drawOver();
      return;
    }
    if (drag.held === "pose") this.pull({ do: "pose", body: drag.body, point: drag.local, to: this.view.world.run(to) });
    else if (drag.ghost) this.view.icons.stretch(drag.ghost, drag.point, to);
    this.view.draw();
  }

  async begin(drag) {
    if (this.bench.untouchable) {
      this.drag = null;
      delete this.view.element.dataset.dragging;
      this.bench.note(this.bench.untouchable);
      return;
    }
    if (drag.tool === "force" || drag.tool === "torque") { drag.ghost = this.view.icons.ghost(drag.tool, drag.body, drag.local); return; }
    if (drag.tool === "tie") return;
    if (this.paused) { drag.held = "pose"; return; }
    try {
      drag.grab = await this.bench.send({ do: "grab", hand: "hand", body: drag.body, point: drag.local });
      if (this.drag !== drag) { this.letGo(); return; }
      drag.held = "pull";
      this.pull({ do: "pull", hand: "hand", to: this.view.world.run(drag.to) });
    } catch (error) { this.failed(error); }
  }

  end(e) {
    const drag = this.drag;
    if (!drag || e.pointerId !== drag.pointer) return;
    this.drag = null;
    delete this.view.element.dataset.dragging;
    if (drag.held === "pull") this.letGo();
    if (drag.tool === "tie" && drag.moved && e.clientX !== undefined) this.tie(drag, e);
    else if (drag.tool === "force" || drag.tool === "torque") {
      if (drag.ghost) this.view.icons.finish(drag.ghost);
      else this.view.icons.create(drag.tool, drag.body, drag.local);
    } else if (!drag.moved) this.bench.select((e.clientX !== undefined && this.jointUnder(e, 10)) || { kind: "body", name: drag.body, at: drag.local });
    this.view.draw();
  }

  /** Points are from another origin. */
  shift(by) { if (this.drag) for (const name of ["point", "to"]) this.drag[name] = add(this.drag[name], by); }

  letGo() { this.pull({ do: "release", hand: "hand" }); }

  /** A drawn line from one body to another asks what should tie them. */
  tie(drag, e) {
    const other = this.under(e);
    const b = other && other.body !== drag.body ? { body: other.body, at: other.local } : { body: "ground", at: this.view.world.run(drag.to) };
    this.bench.select({ kind: "tie", name: "new loop", a: { body: drag.body, at: drag.local }, b });
  }

  failed(error) {
    if (this.drag?.told === error.message) return;
    if (this.drag) this.drag.told = error.message;
    this.bench.note(error.message, "bad");
  }

  /** The force that hands pull with now [N], as the run computed it. */
  get force() {
    const { world } = this.view;
    return world.scene.arrows.reduce((sum, name, i) => name === "hand" || name.startsWith("hand on ") ? sum + norm(world.arrow(i)[1]) : sum, 0);
  }

  /** The rubber band: from the point that is held to the pointer, with its newtons. */
  paint(overlay) {
    const drag = this.drag;
    if (!drag || !drag.moved || drag.ghost) return;
    const { view } = this, colour = view.colours.accent, a = view.pixel(view.world.at(drag.body, drag.local)), b = view.pixel(drag.to);
    const tie = drag.tool === "tie";
    overlay.line("band", tie ? [a, b] : coil(a, b), { stroke: colour, "stroke-width": tie ? 2.5 : 2, "stroke-dasharray": tie ? "6 6" : null });
    overlay.circle("band from", a, 4.5, { fill: colour });
    overlay.circle("band to", b, 7, { fill: "none", stroke: colour, "stroke-width": 2.5 });
    if (drag.held === "pull") overlay.text("band force", [b[0] + 14, b[1] - 10], newtons(this.force));
    else if (drag.held === "pose") overlay.text("band force", [b[0] + 14, b[1] - 10], `${(1000 * norm(sub(drag.to, view.world.at(drag.body, drag.local)))).toFixed(1)} mm to go`);
  }
}

/** A spring on the screen; a straight line when it is short. */
function coil(a, b) {
  const way = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...way);
  if (length < 24) return [a, b];
  const count = Math.min(24, Math.round(length / 9)), aside = [-way[1] / length * 5, way[0] / length * 5], points = [a];
  for (let i = 1; i < count; i++) {
    const s = i / count, side = i % 2 ? 1 : -1;
    points.push([a[0] + s * way[0] + side * aside[0], a[1] + s * way[1] + side * aside[1]]);
  }
  return [...points, b];
}
