// Play, pause, step, slow motion, reset, record; in a recording also rewind, scrub, jump to events, fork.
import { short } from "./dom.js";
import { make } from "./scope_widgets.js";
import { recordings, share } from "./recordings_menu.js";
import { haltReason } from "./server_connection.js";

const SPEEDS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];
const ICONS = {
  go: '<path class="full" d="M6 4l10 6-10 6z"/>', pause: '<path class="full" d="M5 4h3.5v12H5zM11.5 4H15v12h-3.5z"/>',
  step: '<path class="full" d="M4 4l7 6-7 6z"/><path d="M14.5 4.5v11"/>', reset: '<path d="M5 10a5.5 5.5 0 1 0 2-4.2M7 2.5v3.6h3.6"/>',
  record: '<circle class="full" cx="10" cy="10" r="5"/>', stop: '<path class="full" d="M6.5 2.5h7l4 4v7l-4 4h-7l-4-4v-7z"/>',
  before: '<path class="full" d="M15 4L8 10l7 6z"/><path d="M5.5 4.5v11"/>', after: '<path class="full" d="M5 4l7 6-7 6z"/><path d="M14.5 4.5v11"/>',
  share: '<path d="M10 12.5V3M6.5 6.2L10 2.7l3.5 3.5M5 9.5H3.5v7.5h13V9.5H15"/>',
  fork: '<path d="M10 17v-5M10 12L5 7V3M10 12l5-5V3M3 5l2-2 2 2M13 5l2-2 2 2"/>',
};

const megabytes = bytes => `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 1 : 0)} MiB`;
const sizes = size => size ? ` (${megabytes(size.bytes)}, room for ${megabytes(size.room)})` : "";

function button(name, title, does) {
  const made = make("button", { type: "button", className: "plain", title, ariaLabel: title });
  const icon = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" aria-hidden="true">${ICONS[name]}</svg>`, "image/svg+xml");
  made.append(document.importNode(icon.documentElement, true));
  made.onclick = e => {
    does(e);
    if (e.detail) made.blur(); // a click by a pointer leaves the space bar to play and pause
  };
  made.dataset.name = name;
  return made;
}

export function mount(element, bench) {
  const transport = new Transport(element, bench);
  bench.transport = transport;
  return transport;
}

class Transport {
  constructor(element, bench) {
    this.element = element;
    this.bench = bench;
    this.events = [];
    this.exposed = true; // until the run says which words it takes
    const send = message => bench.try(message);
    this.play = button("pause", "Pause (space)", () => this.toggle());
    this.step = button("step", "One tick (.)", e => send({ do: "step", ticks: e.shiftKey ? 10 : 1 }));
    this.reset = button("reset", "Back to the start", () => send({ do: "reset" }));
    this.halt = button("stop", "Emergency stop", () => send({ do: haltReason(this.bench.status) ? "resume" : "stop" }));
    this.halt.classList.add("halt");
    this.speed = make("select", { ariaLabel: "Speed", title: "Speed: 1 is real time" });
    for (const each of SPEEDS) this.speed.append(new Option(`× ${each}`, each, false, each === 1));
    this.speed.onchange = () => send({ do: "speed", value: +this.speed.value });
    this.record = button("record", "Record", () => this.toggleRecord());
    this.record.classList.add("record");
    this.size = make("span", { className: "size", hidden: true });
    this.before = button("before", "To the event before", () => this.jump(-1));
    this.after = button("after", "To the next event", () => this.jump(1));
    this.fork = button("fork", "Go on live from here", () => this.forkHere());
    this.scrub = make("input", { type: "range", min: 0, max: 1, step: "any", className: "scrub", ariaLabel: "Instant of the recording [s]" });
    this.scrub.oninput = () => this.seek(this.scrub.valueAsNumber);
    this.marks = make("span", { className: "marks", ariaLabel: "Events" });
    this.rail = make("span", { className: "rail" });
    this.rail.append(this.marks, this.scrub);
    element.append(this.reset, this.before, this.play, this.step, this.after, this.speed, this.rail, this.fork, this.record, this.size, recordings(bench), button("share", "Share as one file", () => share(bench)), this.halt);
    for (const each of [this.rail, this.before, this.after, this.fork]) each.hidden = true;
    bench.on("status", status => this.status(status));
    bench.on("scene", scene => { if (scene.structure !== this.structure) { this.whole(); this.learn(); } this.structure = scene.structure; });
    addEventListener("keydown", e => this.key(e));
  }

  get recorded() { return Boolean(this.bench.status.playback); }
  get paused() { return Boolean(this.bench.status.paused); }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, button, summary, dialog")) return;
    const does = { " ": () => this.toggle(), ".": () => this.takes("step") && this.step.click() }[e.key];
    if (does) { e.preventDefault(); does(); }
  }

  /** Whether the run lets a page do this: "go", "pause", "step", … */
  takes(word) { return this.exposed === true || this.exposed !== false && this.exposed.includes(word); }

  async learn() {
    const answer = await this.bench.send({ do: "what" }).catch(() => null);
    this.exposed = answer?.transport ?? true;
    this.status(this.bench.status);
  }

  /** Plays or pauses, where the run takes it: whoever drives is no stranger to the space bar. */
  toggle() {
    const word = this.paused ? "go" : "pause";
    return this.takes(word) && this.bench.try({ do: word });
  }

  async toggleRecord() {
    const answer = await this.bench.try({ do: "record", on: !this.bench.status.recording_to });
    if (answer) this.bench.note?.(answer.on ? `Recording into ${answer.name}` : `Recorded ${answer.name}: ${answer.ticks} ticks`, "good");
    if (answer) this.bench.tell("recordings", answer);
  }

  // ---- in a recording ----
  /** Its events, once for each recording that is shown. */
  async whole() {
    const answer = this.recorded ? await this.bench.send({ do: "events" }).catch(() => null) : null;
    this.events = answer?.events || [];
    this.paintMarks();
  }

  paintMarks() {
    const { start = 0, end = 1 } = this.bench.status.playback || {};
    this.marks.replaceChildren(...this.events.slice(0, 500).map(({ time, name, kind }) => {
      const mark = make("i", { title: `${name}, ${time.toFixed(4)} s`, className: kind });
      mark.style.left = `${100 * (time - start) / (end - start || 1)}%`;
      return mark;
    }));
  }

  seek(time) {
    this.wanted = time;
    return this.seeking ??= this.seekOn().finally(() => { this.seeking = null; });
  }

  async seekOn() {
    while (this.wanted !== null) {
      const next = this.wanted;
      this.wanted = null;
      await this.bench.try({ do: "seek", time: next });
    }
  }

  /** To the event before or after the instant that is seen. */
  jump(way) {
    const now = this.scrub.valueAsNumber;
    const next = way > 0 ? this.events.find(({ time }) => time > now + 1e-6) : this.events.findLast(({ time }) => time < now - 1e-6);
    if (next === undefined) { this.bench.note?.(`There is no event ${way > 0 ? "after" : "before"} this instant.`); return; }
    this.scrub.value = next.time;
    this.bench.note?.(`${next.name}, ${next.time.toFixed(4)} s`);
    return this.seek(next.time);
  }

  async forkHere() {
    await this.seeking;  // then from what is shown, which is a tick: the scrubber stands between two, or behind
    const answer = await this.bench.try({ do: "fork" });
    if (!answer) return;
    this.bench.note?.(answer.same ? `Goes on live from ${answer.time.toFixed(4)} s: the same bits as recorded over ${answer.compared} ticks.` : answer.why, answer.same ? "good" : "bad");
  }

  // ---- what is seen of it ----
  status(status) {
    const recorded = this.recorded;
    if (recorded !== this.was) { this.was = recorded; this.whole(); }
    for (const each of [this.rail, this.before, this.after]) each.hidden = !recorded || !this.takes("seek");
    this.fork.hidden = !recorded || !this.takes("fork");
    this.halt.hidden = recorded;
    this.record.hidden = recorded || !this.takes("record");
    for (const word of ["step", "reset", "speed"]) this[word].hidden = !this.takes(word);
    const name = this.paused ? "go" : "pause";
    if (this.play.dataset.name !== name) {
      const fresh = button(name, name === "go" ? "Play (space)" : "Pause (space)", () => this.toggle());
      this.play.replaceWith(fresh);
      this.play = fresh;
    }
    this.play.hidden = !this.takes(name);
    if (document.activeElement !== this.speed && status.speed) {
      if (![...this.speed.options].some(each => +each.value === status.speed)) this.speed.append(new Option(`× ${short(status.speed)}`, status.speed));
      this.speed.value = status.speed;
    }
    this.record.setAttribute("aria-pressed", String(Boolean(status.recording_to)));
    this.record.title = status.recording_to ? `Recording into ${status.recording_to}${sizes(status.recording_size)}` : "Record";
    this.size.textContent = status.recording_size ? megabytes(status.recording_size.bytes) : "";
    this.size.hidden = !this.size.textContent;
    this.size.title = this.record.title;
    this.warnOfRoom(status.recording_to, status.recording_size);
    const why = haltReason(status);
    this.halt.setAttribute("aria-pressed", String(Boolean(why)));
    this.halt.title = why ? `Resume (${why})` : "Emergency stop";
    this.halt.setAttribute("aria-label", this.halt.title);
    if (recorded) this.playback(status.playback);
  }

  /** Once for each recording, when nine tenths of what it may have are written. */
  warnOfRoom(name, size) {
    if (!name || !size || this.warned === name || size.room > 0.1 * (size.bytes + size.room)) return;
    this.warned = name;
    this.bench.note?.(`${name} has ${megabytes(size.bytes)} and ends by itself in ${megabytes(size.room)}: stop it and record again`, "bad");
  }

  playback({ start, end, at }) {
    if (+this.scrub.min !== start || +this.scrub.max !== end) { this.scrub.min = start; this.scrub.max = end; this.paintMarks(); }
    if (!this.seeking && !this.scrub.matches(":active")) this.scrub.value = at;
    this.scrub.setAttribute("aria-valuetext", `${at.toFixed(4)} s`);
  }
}
