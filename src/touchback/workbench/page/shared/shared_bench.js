// What the server is to the page, within one file: it answers the page's messages from the recording that the file holds, or
// from the model itself, which the file may hold too.
import { Bench } from "../server_connection.js";
import { encodeNumbers, Traces } from "./traces.js";

const OFTEN = 250, LONGEST = 100; // ms between two states told; ms of a picture that came late

export class SharedBench extends Bench {
  /** @param about the file's header @param part gives its binary parts by name @param model a `WebModel`, or null */
  constructor(about, part, model) {
    super("");
    Object.assign(this, { about, part, model, frames: part("frames"), times: new Float64Array(part("times")), running: false, paused: true, speed: 1, at: 0, streams: new Map(), seen: -1, onlyLooks: true });
    const time = new Float64Array(part("signal times")), count = time.length, numbers = new Float32Array(part("signals"));
    this.recording = new Traces(about.signals, time, Object.keys(about.signals).map((_, k) => numbers.subarray(k * count, (k + 1) * count)), count);
    this.places = []; // of each picture: its structure, where its frame is
    let offset = 0;
    for (const { structure, count: frames, bytes } of about.segments) for (let i = 0; i < frames; i++, offset += bytes) this.places.push([structure, offset, bytes]);
    this.at = this.start;
    this.meshes = about.meshes;
  }

  get start() { return this.times[0]; }
  get end() { return this.times[this.times.length - 1]; }
  get traces() { return this.running ? this.model.traces : this.recording; }
  get untouchable() { return this.running ? "Sliders change the model in this file; nothing is dragged here." : this.model ? "This is a recording: run the model first, then it can be changed." : "This is a recording."; }
  /** The picture that is shown: the last at or before the instant. */
  get place() {
    let low = 0, high = this.times.length;
    while (low < high) { const middle = (low + high) >> 1; if (this.times[middle] <= this.at + 1e-9) low = middle + 1; else high = middle; }
    return Math.max(low - 1, 0);
  }

  async mesh(number) { return this.part(`mesh ${number}`); }

  open() {
    this.tell("open");
    this.turn(false);
    this.paused = false;
    let before = performance.now(), told = 0;
    const tick = now => {
      const seconds = Math.min(now - before, LONGEST) / 1000;
      before = now;
      if (!this.paused) this.advance(seconds * this.speed);
      this.show();
      if (now - told > OFTEN) { told = now; this.report(); }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    return this;
  }

  advance(seconds) {
    if (this.running) {
      this.model.go(seconds);
      if (this.model.stopped) this.halt();
      this.stream();
      return;
    }
    this.at = Math.min(this.at + seconds, this.end);
    if (this.at >= this.end) { this.paused = true; this.report(); }
  }

  halt() {
    this.paused = true;
    this.note?.(`${this.model.stopped} Back to the start, or other values, let it run again.`, "bad");
    this.report();
  }

  /** Shows the recording, or the model. */
  turn(running) {
    this.running = running;
    this.streams.clear();
    this.seen = -1;
    this._text({ tell: "scene", ...(running ? this.model.scene : this.about.scenes[this.places[this.place][0]]) });
    if (running) this._text({ tell: "values", values: this.model.values });
    this.report();
    this.show();
  }

  /** The picture of now, where it is another one. */
  show() {
    if (this.running) {
      const { structure } = this.about.model;
      if (this.model.time !== this.seen) this.tell("poses", { structure, count: this.about.model.bodies, time: this.seen = this.model.time, origin: [0, 0, 0], numbers: this.model.poses });
      return;
    }
    const place = this.place, [structure, offset, bytes] = this.places[place];
    if (place === this.seen) return;
    this.seen = place;
    if (structure !== this.scene.structure) this._text({ tell: "scene", ...this.about.scenes[structure] });
    this._frame(this.frames.slice(offset, offset + bytes));
  }

  report() {
    const { paused, speed } = this, time = this.running ? this.model.time : this.times[this.place];
    const playback = this.running ? undefined : { start: this.start, end: this.end, at: this.at, name: this.about.title };
    const rate = this.running ? 1 / this.about.model.step : this.about.rate;
    this._text({ tell: "status", time, tick: this.place, paused, speed, rate, state: paused ? "paused" : "running", playback });
  }

  /** To each scope what came since its last rows. */
  stream() {
    for (const [subscription, stream] of this.streams) {
      const { traces } = this, first = traces.row(stream.after + 1e-12);
      if (first >= traces.count) continue;
      const { since, count, numbers } = traces.buckets(stream.signals, first, traces.count, Math.max(2, Math.ceil(stream.buckets * (traces.span[1] - traces.time[first]))));
      stream.after = traces.span[1];
      this.tell("rows", { subscription, count, time: since, numbers: Float32Array.from([...numbers, ...traces.newest(stream.signals)]) });
    }
  }

  async send(message) {
    await null; // who asks gets rows and answers later, as from a server
    const answer = ANSWERS[message.do];
    if (!answer) throw new Error(`'${message.do}' needs a run on the workbench; this is a file.`);
    return answer(this, message) ?? {};
  }

  known() { const [start, end] = this.traces.span; return { start, end, full: start }; }
}

const settled = bench => { bench.show(); bench.report(); return { time: bench.running ? bench.model.time : bench.at, state: bench.paused ? "paused" : "running" }; };

const ANSWERS = {
  watch: () => ({}),
  what: ({ about, model, running }) => running ? { inputs: facts(about.model.inputs, model), parameters: facts(about.model.parameters.filter(each => !about.model.controls.some(({ parameter }) => parameter === each.name)), model), controls: about.model.controls.map(each => ({ ...each, chosen: each.alternatives[Math.round(model.values[each.parameter])] })) } : { recorded: true, inputs: [], parameters: [], controls: [] },
  signals: bench => { const [start, end] = bench.traces.span; return { signals: bench.traces.units, start, end }; },
  events: ({ about }) => ({ events: about.events }),
  recordings: () => ({ recordings: [], kinds: [] }),
  graph: () => ({ svg: "", groups: {} }),
  go(bench) {
    if (!bench.running && bench.at >= bench.end) bench.at = bench.start;
    if (bench.running && bench.model.stopped) throw new Error(bench.model.stopped);
    bench.paused = false;
    return settled(bench);
  },
  pause(bench) { bench.paused = true; return settled(bench); },
  stop(bench) { bench.paused = true; return settled(bench); },
  step(bench, { ticks = 1 }) {
    bench.paused = true;
    if (bench.running) { bench.model.steps(ticks); if (bench.model.stopped) bench.halt(); bench.stream(); }
    else bench.at = bench.times[Math.min(bench.place + ticks, bench.times.length - 1)];
    return settled(bench);
  },
  speed(bench, { value }) { bench.speed = value; return settled(bench); },
  seek(bench, { time }) { bench.at = Math.min(Math.max(time, bench.start), bench.end); return settled(bench); },
  reset(bench) {
    if (!bench.running) bench.at = bench.start;
    else {
      bench.model.restart();
      for (const { scope } of bench.scopes?.panes || []) scope?.connect?.(); // from the start of another past
    }
    return settled(bench);
  },
  /** Goes on from the picture that is shown with the model itself. */
  fork(bench) {
    const { model, about, place } = bench;
    if (!model) throw new Error(about.no_model);
    const { first, count, sizes } = about.model, row = place - first, width = sizes.state + sizes.inputs;
    if (row < 0 || row >= count) throw new Error("The model is that of another part of the recording, whose structure changed; go to an instant of it.");
    const numbers = new Float64Array(bench.part("states")).subarray(row * width, (row + 1) * width);
    model.start(bench.times[place], numbers.subarray(0, sizes.state), numbers.subarray(sizes.state));
    bench.paused = false;
    bench.turn(true);
    return { time: model.time };
  },
  back(bench) { bench.turn(false); return settled(bench); },
  set(bench, { name, value }) {
    if (!bench.running) throw new Error(bench.untouchable);
    bench.model.set(name, value);
    bench._text({ tell: "values", values: { [name]: value } });
    if (bench.about.model.slopes[name]) { bench._text({ tell: "scene", ...bench.model.scene }); bench.seen = -1; }
    return {};
  },
  choose(bench, { control, alternative }) {
    const found = bench.running && bench.about.model.controls.find(each => each.name === control), place = found ? found.alternatives.indexOf(alternative) : -1;
    if (place < 0) throw new Error(`There is no '${alternative}' of '${control}' to choose here.`);
    return ANSWERS.set(bench, { name: found.parameter, value: place });
  },
  scope(bench, { number, signals, buckets = 60, past = 1000, since = -Infinity }) {
    bench.streams.delete(number);
    if (!signals.length) return { number };
    const { traces } = bench, found = traces.buckets(signals, traces.row(since), traces.count, past);
    if (bench.running) bench.streams.set(number, { signals, buckets, after: traces.span[1] });
    bench.tell("rows", { subscription: number, count: found.count, time: found.since, numbers: Float32Array.from([...found.numbers, ...traces.newest(signals)]) });
    return { number, units: signals.map(each => traces.units[each]), ...bench.known() };
  },
  past(bench, { signals, start, end, buckets = 1000 }) {
    const { traces } = bench, found = traces.buckets(signals, traces.row(start), traces.row(end + 1e-12), buckets);
    return { since: found.since, rows: encodeNumbers(found.numbers), ...bench.known() };
  },
  pairs(bench, { x, y, start, end, most = 2000 }) {
    const { traces } = bench, first = traces.row(start), last = traces.row(end + 1e-12), every = Math.max(1, Math.ceil((last - first) / most));
    traces.check([x, y]);
    const [a, b] = [x, y].map(name => traces.columns.get(name)), since = first < last ? traces.time[first] : start, rows = [];
    for (let row = first; row < last; row += every) rows.push(traces.time[row] - since, a[row], b[row]);
    return { since, rows: encodeNumbers(rows), ...bench.known() };
  },
};

const facts = (list, model) => list.map(each => ({ ...each, value: model.values[each.name] }));
