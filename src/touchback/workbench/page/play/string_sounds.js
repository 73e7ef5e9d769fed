// What is heard: strings of the server's tables, sounded by the worklet; and how long a strike takes to become sound.

const LATE = 2000, BLOCK = 128; // ms after which a strike is past; frames that a worklet computes at once

/** The modes of a table for a speed between those it was made for: magnitudes by equal ratios, phases of the nearest. */
export function modesAt(table, speed) {
  const { speeds } = table, last = speeds.length - 1;
  if (last === 0) return { cosine: table.cosine[0], sine: table.sine[0] };
  const at = Math.max(speed, 1e-3);
  let i = 0;
  while (i < last - 1 && speeds[i + 1] < at) i++;
  const share = Math.log(at / speeds[i]) / Math.log(speeds[i + 1] / speeds[i]);
  const near = share < 0.5 ? i : i + 1, cosine = [], sine = [];
  for (let k = 0; k < table.pulsation.length; k++) {
    const size = j => Math.hypot(table.cosine[j][k], table.sine[j][k]) + 1e-12;
    const wanted = size(i) ** (1 - share) * size(i + 1) ** share / size(near);
    cosine.push(table.cosine[near][k] * wanted);
    sine.push(table.sine[near][k] * wanted);
  }
  return { cosine, sine };
}

export class Sound {
  constructor(bench) {
    this.bench = bench;
    this.tables = new Map();
    this.context = null;
    this.begun = new Map(); // strikes that wait to be heard, by id
    this.damped = new Map(); // when a note was last damped [ms], and with which share of its damper
    this.starting = null; // what turns it on, while that takes
    this.number = 0;
    this.onHeard = () => {};
  }

  get on() { return Boolean(this.node) && this.context.state === "running"; }

  /** Must follow a gesture of the person; browsers keep pages silent until then. */
  start(context = new AudioContext({ latencyHint: "interactive" })) {
    if (this.node) return this.context.resume();
    this.starting = this.begin(context).finally(() => { this.starting = null; });
    return this.starting;
  }

  async begin(context) {
    this.context = context;
    await context.audioWorklet.addModule("/play/strings.worklet.js");
    this.node = new AudioWorkletNode(context, "touchback-strings", { numberOfInputs: 0, outputChannelCount: [2] });
    this.analyser = new AnalyserNode(context, { fftSize: 8192 });
    this.node.connect(this.analyser).connect(context.destination);
    this.node.port.onmessage = ({ data }) => this.heard(data);
    if (context instanceof AudioContext) await context.resume();
  }

  stop() { this.node?.port.postMessage({ do: "silence" }); return this.context?.suspend(); }

  /** Fetches the tables of some notes, those that are played first in front. */
  async prepare(notes, kind) {
    for (const note of notes) await this.table(note, kind).catch(() => {});
  }

  table(note, kind) {
    const key = `${kind} ${note}`;
    if (!this.tables.has(key)) {
      const found = this.bench.send({ do: "strings", note, kind });
      this.tables.set(key, found);
      found.then(table => { found.ready = table; }).catch(() => this.tables.delete(key));
    }
    return this.tables.get(key);
  }

  /** Lets a strike sound at once; one whose string isn't there yet sounds when it is, as does that of the touch which turned the
   * sound on: their way from strike to sample is told with what they waited for. */
  async strike(told, received) {
    const first = this.starting;
    if (first) await first.catch(() => {});
    if (!this.on || performance.now() - received > LATE) return;
    const waiting = this.table(told.note, told.string), late = !waiting.ready, table = waiting.ready || await waiting;
    const id = ++this.number, waited = first ? "sound" : late ? "string" : "";
    this.begun.set(id, { told, received, waited, posted: performance.now() });
    this.post(table, told, id);
    const damped = this.damped.get(told.note);
    if (first && damped?.at > received) this.damp(told.note, damped.share);
  }

  /** A strike on its way to the worklet. */
  post({ pulsation, decay, damper, attack, ...table }, { note, loudness }, id) {
    this.node.port.postMessage({ do: "strike", id, note, pulsation, decay, damper, attack, ...modesAt({ pulsation, ...table }, loudness) });
  }

  damp(note, share) { this.damped.set(note, { at: performance.now(), share }); this.node?.port.postMessage({ do: "damp", note, share }); }

  /** The worklet has computed the first sample: when it leaves the loudspeaker, on the page's clock [ms]. What the browser says of its output
   * can be of before it stalled, and would have the sample leave before it was asked for: then the latency that it says is taken instead. */
  heard({ begun, frame }) {
    const strike = this.begun.get(begun);
    this.begun.delete(begun);
    if (!strike) return;
    this.onHeard({ ...strike, out: outputTime(this.context, frame, strike.posted), frame });
  }
}

/** When a frame of a context leaves the browser [ms], as it says of its output, unless that is before it was asked for. */
export function outputTime(context, frame, asked) {
  const at = frame / context.sampleRate, now = context.getOutputTimestamp?.();
  const said = now && now.performanceTime > 0 && now.contextTime > 0 ? now.performanceTime + 1000 * (at - now.contextTime) : -Infinity;
  return said > asked ? said : asked + 1000 * (BLOCK / context.sampleRate + (context.baseLatency || 0) + (context.outputLatency || 0));
}
