// The eye goes along with a body: it rides on one where the model has put an eye, follows one that somebody chose, or what travels, once it is
// about to leave the picture.
import { add, composed, sub, turned } from "./draw/vectors.js";

const EDGE = 0.2; // of the picture, from its rim: what comes so near is leaving
const VIEWS = { chase: { back: 5.8, up: 1.5, down: 0.3, lag: 0.15 }, "from above": { back: 1, up: 24, down: Math.PI / 2, lag: 1 } }; // of cars: m from the driver's eye, rad
const FREE = ["Free", "Planar"], SLIDING = ["Prismatic", "Cylindrical"]; // joints on the ground by which bodies go away

/** The bodies that can go anywhere: free ones, and those that slide where neither limits nor loops hold them. */
export function travellers({ joints, loops }) {
  const slides = ({ kind, limits }) => SLIDING.includes(kind) && !loops.length && !limits.some(pair => pair.every(Number.isFinite));
  return joints.filter(each => each.parent.body === "ground" && (FREE.includes(each.kind) || slides(each))).map(each => each.child.body);
}

/** The eyes of a model, and views of the car in which one sits. */
export function eyesOf({ eyes = [] }) {
  return [...eyes, ...(eyes.length ? Object.keys(VIEWS) : []).map(name => ({ name, place: eyes[0].place, view: VIEWS[name] }))];
}

export class Follow {
  constructor(view) {
    this.view = view;
    this.body = null;
    this.seat = null; // the model's eye that it rides in
    this.stays = false; // somebody let a body go by itself: the eye doesn't go along unasked again
  }

  /** Another scene: what isn't there any more can't be followed. */
  take(scene, other) {
    this.able = travellers(scene);
    if (other) this.stays = false;
    if (this.body && !this.view.world.index.has(this.body)) this.set(null);
    const driven = scene.seat && !this.view.bench.recorded, eyes = eyesOf(scene), wanted = other ? driven && { name: "chase" } : this.seat;
    this.ride(eyes.find(each => each.name === wanted?.name));
  }

  /** Looks from an eye of the model, in space; nothing: from outside, as before. */
  ride(eye) {
    const { view } = this;
    if (!eye && !this.seat) return;
    this.seat = eye || null;
    this.yaw = null;
    view.eyeChooser.value = this.seat?.name || "";
    this.sit();
    if (!eye && this.body) this.set(this.body, true);
    view.arrange();
  }

  sit() { this.view.stages.space?.camera.ride(this.seat && this.view.world.ready ? this.pose() : null); }

  /** Where it rides now: a view of a car turns with that, and stays upright. */
  pose() {
    const { world } = this.view, { place, view } = this.seat, own = world.placed(place);
    if (!view) return own;
    const ahead = turned(world.pose(place.body).q, [1, 0, 0]), yaw = Math.atan2(ahead[1], ahead[0]), before = this.yaw ?? yaw;
    this.yaw = before + view.lag * Math.atan2(Math.sin(yaw - before), Math.cos(yaw - before));
    const half = this.yaw / 2, level = [0, 0, Math.sin(half), Math.cos(half)], tip = [0, Math.sin(view.down / 2), 0, Math.cos(view.down / 2)];
    return { p: add(own.p, turned(level, [-view.back, 0, view.up])), q: composed(level, tip) };
  }

  /** Follows a body from where it is seen, or brings it to the middle first; null ends it. */
  set(body, middle = false) {
    const { view } = this;
    this.body = body;
    this.before = body && view.world.pose(body).p;
    view.followButton.setAttribute("aria-pressed", String(Boolean(body)));
    if (body && middle) view.eye.middle = [...this.before];
    view.draw();
  }

  /** Points are from another origin. */
  shift(by) { if (this.body) this.before = add(this.before, by); }

  /** The button: follows what is chosen, or nothing any more. */
  toggle(chosen) {
    if (this.body) this.stays = true;
    this.set(this.body ? null : chosen, true);
  }

  /** Whether the eye looks from where it began: who moved it knows what they want to see. */
  untouched() {
    const { middle, distance, first } = this.view.eye;
    return distance === first.distance && middle.every((x, i) => x === first.centre[i]);
  }

  /** Whether a body is in the picture, so far from its rim. */
  seen(body, edge = 0) {
    const { eye, world } = this.view;
    return eye.project(world.pose(body).p).slice(0, 2).every(x => x >= edge && x <= 1 - edge);
  }

  /** New poses came. */
  moved() {
    const { view } = this, { world } = view;
    if (this.seat) return this.sit();
    if (view.bench.drawing?.resting) return; // who draws knows what they want to see
    if (!this.body && !this.stays && !view.hand.drag && this.untouched()) {
      const gone = this.able?.find(body => !this.seen(body, EDGE));
      if (gone) this.set(gone, !this.seen(gone));
    }
    if (!this.body) return;
    const now = world.pose(this.body).p;
    view.eye.middle = add(view.eye.middle, sub(now, this.before));
    this.before = now;
  }
}
