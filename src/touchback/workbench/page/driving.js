// Driving a car: keys, the wheel of the dash (dragged), or a gamepad turn the steering wheel and press the pedals. Messages are those of sliders.
import { fixed, h } from "./dom.js";
import { norm, sub } from "./draw/vectors.js";

const KEYS = { ArrowLeft: "left", a: "left", ArrowRight: "right", d: "right", ArrowUp: "throttle", w: "throttle", ArrowDown: "brake", s: "brake" };
const OUT = 1.6, BACK = 3, QUICK = 10, FOOT = 3; // of their way in a second: keys turn the wheel, it comes back, hands at a stick turn it, feet press
const GRIP = 280, LEAST = 0.06; // rad m²/s²: v² times the angle that a car's tyres bear; of the whole way, however fast it is
const IDLE = 0.08, EVERY = 1 / 40, SMOOTH = 0.12, FULL = 8; // of a stick that rests; s between messages; s of the speed; N m of a whole bar
const BUTTONS = { throttle: 7, brake: 6 }, RUMBLE = 0.25; // of a standard gamepad; s between pushes

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const towards = (x, goal, step) => x + clamp(goal - x, -step, step);

export class Driving {
  constructor(element, bench) {
    Object.assign(this, { element, bench, held: new Set(), at: { steer: 0, throttle: 0, brake: 0 }, sent: {}, waiting: new Set(), drag: null, speed: 0, used: false });
    this.wheel = h("svg", { viewBox: "-60 -60 120 120", class: "rim", tabindex: 0, role: "slider", "aria-label": "Steering wheel: drag to the side to turn, up and down for pedals",
      "aria-valuemin": -1, "aria-valuemax": 1, "aria-valuenow": 0 },
      this.turned = h("g", {}, h("circle", { r: 52, class: "ring" }), h("path", { class: "spokes", d: "M-50 4Q0 -12 50 4M0 -2V50" }), h("circle", { r: 13, class: "hub" }), h("path", { class: "mark", d: "M0 -57V-47" })));
    this.digits = h("b", {}, "0");
    this.bar = h("i", {});
    this.torque = h("span", { class: "torque", title: "Torque that the wheel gives to the hands" }, h("small", {}, "torque"), h("span", { class: "bar" }, this.bar), this.newtons = h("span", {}, "–"));
    this.pedals = Object.fromEntries(["brake", "throttle"].map(name => [name, h("span", { class: `pedal ${name}`, title: name }, h("i", {}))]));
    this.hint = h("p", { class: "keys" });
    element.append(h("span", { class: "speed" }, this.digits, h("small", {}, "km/h")), this.wheel, h("span", { class: "feet" }, ...Object.values(this.pedals)), this.torque, this.hint);
    bench.on("scene", scene => this.take(scene));
    bench.on("recorded", () => this.take(bench.scene));
    bench.on("poses", () => this.measure());
    bench.on("status", status => this.feel(status.felt));
    addEventListener("keydown", e => this.key(e, true), true);
    addEventListener("keyup", e => this.key(e, false), true);
    addEventListener("blur", () => this.held.clear());
    this.listen();
  }

  take(scene) {
    this.seat = scene && !this.bench.recorded && scene.seat || null;
    this.element.hidden = !this.seat;
    if (!this.seat) return;
    for (const [name, pedal] of Object.entries(this.pedals)) pedal.hidden = !this.seat[name];
    this.torque.hidden = !this.seat.torque;
    this.hint.textContent = `← → steer${this.seat.throttle ? " · ↑ ↓ pedals" : ""} · drag the wheel · gamepad`;
    if (!this.running) { this.running = true; this.before = performance.now(); requestAnimationFrame(now => this.step(now)); }
  }

  key(e, down) {
    const what = KEYS[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!what) return;
    if (!down) { this.held.delete(what); return; }
    const elsewhere = e.target.closest?.("input, textarea, select") || e.key.startsWith("Arrow") && e.target.closest?.("#left, #right, #bottom, header");
    if (!this.seat || elsewhere || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    this.held.add(what);
    this.used = true;
  }

  listen() {
    const end = () => { this.drag = null; };
    this.wheel.addEventListener("pointerdown", e => { e.stopPropagation(); this.wheel.setPointerCapture(e.pointerId); this.drag = { x: e.clientX, y: e.clientY, steer: this.at.steer, pedal: 0 }; this.used = true; });
    this.wheel.addEventListener("pointermove", e => {
      if (!this.drag) return;
      const reach = 1.2 * this.wheel.clientWidth;
      this.drag.steer = clamp((this.drag.x - e.clientX) / reach, -1, 1);
      this.drag.pedal = clamp((this.drag.y - e.clientY) / reach, -1, 1);
    });
    this.wheel.addEventListener("pointerup", end);
    this.wheel.addEventListener("pointercancel", end);
  }

  /** What a gamepad wants; nothing while nobody touches it. */
  pad() {
    const pad = [...navigator.getGamepads?.() ?? []].find(Boolean);
    if (!pad) return null;
    const steer = Math.abs(pad.axes[0]) > IDLE ? -pad.axes[0] : 0, feet = Object.entries(BUTTONS).map(([name, i]) => [name, pad.buttons[i]?.value || 0]);
    const found = { steer, ...Object.fromEntries(feet), pad };
    return steer || feet.some(([, x]) => x > IDLE) || this.padded ? found : null;
  }

  step(now) {
    const { seat, at, held, drag } = this, dt = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    if (!seat) { this.running = false; return; }
    this.element.classList.toggle("seated", this.bench.view?.follow.seat?.name === "driver");
    const pad = this.pad();
    if (pad) { this.padded = this.used = true; this.gamepad = pad.pad; }
    const steer = drag ? drag.steer : pad && pad.steer ? pad.steer : held.has("left") - held.has("right");
    at.steer = towards(at.steer, steer, dt * (drag || pad?.steer ? QUICK : steer && Math.sign(steer) !== -Math.sign(at.steer) ? OUT : BACK));
    for (const name of ["throttle", "brake"]) {
      const side = name === "throttle" ? 1 : -1, pressed = Math.max(held.has(name) ? 1 : 0, pad?.[name] || 0, drag ? side * drag.pedal : 0);
      at[name] = towards(at[name], pressed, dt * FOOT);
      this.pedals[name].firstChild.style.height = `${(100 * at[name]).toFixed(0)}%`;
    }
    const most = seat.steer.most * clamp(GRIP / Math.max(this.speed, 1) ** 2 / Math.min(seat.steer.most, 9), LEAST, 1);
    if (this.used) {
      this.set(seat.steer, at.steer * most, now);
      for (const name of ["throttle", "brake"]) if (seat[name]) this.set(seat[name], at[name] * seat[name].most, now);
    }
    const angle = this.used ? at.steer * most : this.bench.values[seat.steer.input] || 0;
    this.turned.setAttribute("transform", `rotate(${(-angle * 180 / Math.PI).toFixed(1)})`);
    this.wheel.setAttribute("aria-valuenow", (angle / seat.steer.most).toFixed(2));
    requestAnimationFrame(next => this.step(next));
  }

  /** Sends a value that is another one, one message at a time. */
  set({ input, most }, value, now) {
    const last = this.sent[input];
    if (this.waiting.has(input) || last && (now - last.at < 1000 * EVERY || Math.abs(value - last.value) < 1e-4 * most)) return;
    this.sent[input] = { at: now, value };
    this.waiting.add(input);
    this.bench.send({ do: "set", name: input, value }).catch(error => {
      if (!this.told) this.bench.note(error.message, "bad");
      this.told = true;
    }).finally(() => this.waiting.delete(input));
  }

  /** The speed, from where the car is drawn. */
  measure() {
    const { world } = this.bench;
    if (!this.seat || !world?.ready) return;
    const p = world.run(world.pose(this.seat.body).p), t = world.time, last = this.last;
    if (last && t > last.t && t - last.t < 1) {
      const now = norm(sub(p, last.p)) / (t - last.t);
      this.speed += (now - this.speed) * Math.min(1, (t - last.t) / SMOOTH);
    }
    if (!last || t !== last.t) this.last = { p, t };
    this.digits.textContent = (3.6 * this.speed).toFixed(0);
  }

  feel(torque) {
    if (!Number.isFinite(torque)) return;
    const share = clamp(torque / FULL, -1, 1);
    Object.assign(this.bar.style, { width: `${50 * Math.abs(share)}%`, left: share > 0 ? `${50 - 50 * share}%` : "50%" });
    this.newtons.textContent = `${fixed(torque, 1)} N m`;
    if (this.gamepad && Math.abs(share) > 0.1) this.gamepad.vibrationActuator?.playEffect?.("dual-rumble", { duration: 1000 * RUMBLE, strongMagnitude: Math.abs(share) })?.catch?.(() => {});
  }
}

export function mount(element, bench) { bench.driving = new Driving(element, bench); }
