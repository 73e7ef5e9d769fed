// A scope over time. While it follows the run, a stream brings buckets as fine as the zoom needs; looking at the past, it asks
// for buckets of just what is seen. Cursors read exact values from the server where it has every tick. A recording is shown at
// its whole length instead, with a playhead.
import { Buckets, newestValues, decodeNumbers } from "./signal_buckets.js";
import { Plot, colour, curve } from "./canvas_plot.js";
import { short } from "./dom.js";
import { Cursors } from "./scope_cursors.js";
import { halfTick, make, overlayChoice, overlayShift, playhead, throttled } from "./scope_widgets.js";
import { gestures } from "./scope_gestures.js";

const LONGEST = 3600 * 24 * 7, SHORTEST = 1e-4;

export class TimeScope {
  constructor(pane) {
    this.pane = pane;
    this.bench = pane.bench;
    this.texts = pane.drawn;
    this.subscription = pane.scopes.subscribe();
    this.span = pane.layout.span || 10; // seconds that are seen
    this.end_ = null; // the last instant that is seen; null: follows the run, or sees all of a recording
    this.plot = new Plot(pane.body, `Scope of ${this.texts.join(", ") || "nothing yet"}`);
    this.data = new Buckets(this.texts.length);
    this.detail = this.over = null;
    this.known = { start: 0, end: 0 };
    this.cursors = new Cursors(this);
    this.askPast = throttled(() => this.past(), 80);
    this.askStream = throttled(() => this.connect(), 250);
    this.askInstant = throttled(() => this.instant(), 150);
    this.dirty = true;
    gestures(this.plot, this);
    this.connect();
  }

  get follows() { return this.end_ === null; }
  get last() { return Math.max(this.data.end, this.known.end); }
  get playhead() { return playhead(this.bench); }
  get view() {
    const { playback } = this.bench.status;
    if (this.follows && playback?.end > playback?.start) return [playback.start, playback.end];
    const end = this.follows ? (Number.isFinite(this.last) ? Math.max(this.last, this.known.start + this.span * 0.02) : this.span) : this.end_;
    return [end - this.span, end];
  }

  // ---- what comes ----
  /** Begins the stream (again): as fine as the zoom needs, after what there was. */
  async connect() {
    if (!this.texts.length || this.ended) return;
    const [start, end] = this.view, span = end - start;
    const pixels = Math.max(this.plot.canvas.clientWidth, 300), buckets = Math.min(1000, Math.max(2, pixels / span));
    this.fresh = true; // the next frame is the past, which begins everything anew
    try {
      const answer = await this.bench.send({ do: "scope", number: this.subscription, signals: this.texts, buckets, past: Math.min(4000, Math.ceil(pixels)), since: start - 0.2 * span });
      this.pane.foot.querySelector(".bad")?.remove();
      this.known = answer;
      this.units = answer.units;
      this.step = 1 / buckets;
    } catch (error) { this.say(error.message); }
    if (this.end_ !== null) this.past();
    this.overlay();
    this.dirty = true;
  }

  rows(frame) {
    if (this.fresh) { this.data = new Buckets(this.texts.length); this.fresh = false; }
    else if (frame.count && this.data.count && frame.time < this.data.start) this.data = new Buckets(this.texts.length); // the run began again
    const hole = this.data.count && frame.time > this.data.end + 10 * Math.max(this.step || 0, 0.002);
    this.data.add(frame.time, frame.numbers);
    if (hole) this.askStream(); // frames were dropped on their way: the past has them
    if (this.follows) this.data.forget(this.view[0] - this.span);
    if (this.bench.recorded) this.askInstant();
    else this.pane.values([...newestValues(frame, this.texts.length)].map(value => Number.isFinite(value) ? short(value, 6) : "gone"));
    if (this.follows && this.pane.layout.overlay) this.askOver ??= throttled(() => this.overlay(), 500), this.askOver();
    this.dirty = true;
  }

  /** What the traces are at the instant of a recording that is shown, beside their names. */
  async instant() {
    const time = this.playhead, half = halfTick(this.bench);
    if (time === null || !this.texts.length || this.ended) return;
    const answer = await this.bench.send({ do: "past", signals: this.texts, start: time - half, end: time + half, buckets: 1 }).catch(() => null);
    const rows = answer ? decodeNumbers(answer.rows) : [];
    if (rows.length) this.pane.values(this.texts.map((_, k) => Number.isFinite(rows[2 + 2 * k]) ? short(rows[2 + 2 * k], 6) : "gone"));
  }

  /** Buckets of what is seen of the past. */
  async past() {
    if (this.follows || !this.texts.length || this.ended) return;
    const [start, end] = this.view, room = 0.25 * (end - start), count = Math.min(4000, Math.ceil(1.5 * Math.max(this.plot.canvas.clientWidth, 300)));
    try {
      const answer = await this.bench.send({ do: "past", signals: this.texts, start: start - room, end: end + room, buckets: count });
      this.known = { ...this.known, start: answer.start, end: answer.end, full: answer.full };
      this.detail = new Buckets(this.texts.length).add(answer.since, decodeNumbers(answer.rows));
    } catch (error) { this.say(error.message); }
    this.overlay();
    this.dirty = true;
  }

  /** The same traces of a recording, over what is seen. */
  async overlay() {
    const { overlay, shift = 0 } = this.pane.layout;
    if (!overlay) { this.over = null; return; }
    const [start, end] = this.view;
    try {
      const answer = await this.bench.send({ do: "past", recording: overlay, signals: this.texts, start: start - shift, end: end - shift, buckets: 1500 });
      this.over = new Buckets(this.texts.length).add(answer.since + shift, decodeNumbers(answer.rows));
    } catch (error) { this.over = null; this.say(error.message); }
    this.dirty = true;
  }

  say(text) { this.pane.foot.replaceChildren(make("span", { className: "bad", textContent: text })); }

  // ---- what a person does ----
  /** Shows so many seconds, about an instant that stays where it is. */
  zoom(factor, at) {
    const [start, end] = this.view, span = Math.min(LONGEST, Math.max(SHORTEST, (end - start) * factor));
    if (!this.follows || this.bench.recorded) this.end_ = at + (end - at) * span / (end - start);
    this.span = span;
    this.moved();
  }

  pan(seconds) {
    const [start, end] = this.view;
    this.span = end - start;
    this.end_ = end + seconds;
    if (seconds > 0 && this.end_ >= this.last) this.end_ = null;
    this.moved();
  }

  /** Looks at a span; without one follows the run again. */
  look(start, end) {
    if (start === undefined) this.end_ = null;
    else { this.span = Math.max(end - start, SHORTEST); this.end_ = end; }
    this.moved();
  }

  all() { this.look(Math.min(this.known.start, this.last), this.last); this.end_ = null; this.moved(); }

  moved() {
    if (!this.bench.recorded) this.pane.layout.span = this.span; // a recording's length says nothing of what a run should show
    this.pane.scopes.keep();
    if (this.follows) { this.detail = null; this.askStream(); } else this.askPast();
    if (this.followButton) this.followButton.setAttribute("aria-pressed", String(this.follows));
    this.dirty = true;
  }

  tools() {
    this.followButton = make("button", { type: "button", className: "plain", textContent: "now", title: "Follow the run (double click)", ariaLabel: "Follow the run" });
    this.followButton.setAttribute("aria-pressed", String(this.follows));
    this.followButton.onclick = () => this.look();
    const all = make("button", { type: "button", className: "plain", textContent: "all", title: "Everything since the start", ariaLabel: "Everything since the start" });
    all.onclick = () => this.all();
    const cursors = make("button", { type: "button", className: "plain", textContent: "A|B", title: "Cursors: Δt and Δy", ariaLabel: "Cursors" });
    cursors.setAttribute("aria-pressed", String(this.cursors.shown));
    cursors.onclick = () => { this.cursors.toggle(); cursors.setAttribute("aria-pressed", String(this.cursors.shown)); };
    const over = overlayChoice(this.bench, this.pane.layout.overlay, name => this.pane.change({ overlay: name || undefined, shift: undefined }));
    const { overlay, shift = 0 } = this.pane.layout;
    const later = overlay ? overlayShift(this.bench, overlay, shift, () => this.view, seconds => this.shifted(seconds)) : [];
    return [this.followButton, all, cursors, over, ...later];
  }

  /** Lays the recording that lies over the run elsewhere; what is seen stays. */
  shifted(seconds) {
    this.pane.layout.shift = seconds;
    this.pane.scopes.keep();
    this.pane.paintBar();
    this.overlay();
  }

  end() {
    this.ended = true;
    this.bench.send({ do: "scope", number: this.subscription, signals: [] }).catch(() => {});
  }

  // ---- the picture ----
  frame() {
    const now = this.playhead;
    if (now !== this.stood) { this.stood = now; this.dirty = true; if (now !== null) this.askInstant(); }
    this.paint();
  }

  paint() { if (this.dirty) { this.dirty = false; this.draw(); } }

  draw() {
    const plot = this.plot, [start, end] = plot.x = this.view, shown = this.follows || !this.detail ? this.data : this.detail;
    plot.y = plot.fit([...shown.spans(start, end), ...(this.over ? this.over.spans(start, end) : [])], plot.y);
    plot.begin();
    const unit = new Set((this.units || []).filter(Boolean));
    plot.axes("s", unit.size === 1 ? [...unit][0] : unit.size ? "mixed" : "");
    if (!this.texts.length) this.hint("Add a signal with +");
    plot.clip();
    this.texts.forEach((_, k) => {
      if (this.over) plot.buckets(this.over, k, curve(k), [5, 4]);
      plot.buckets(shown, k, curve(k));
    });
    if (this.stood !== null) plot.upright(this.stood, colour("--accent"));
    this.cursors.draw();
    plot.g.restore();
  }

  hint(text) {
    const { x, y, w, h } = this.plot.inner, g = this.plot.g;
    Object.assign(g, { fillStyle: colour("--soft"), textAlign: "center", textBaseline: "middle", font: "13px system-ui, sans-serif" });
    g.fillText(text, x + w / 2, y + h / 2);
  }
}
