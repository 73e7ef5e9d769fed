// From strike to sample, measured: every part of the way has a stamp at both ends.
import { make } from "./common.js";

const PARTS = {
  tick: "tick of the run, which sees the strike and publishes it",
  hub: "until the hub has noticed and sent it",
  wire: "on the wire, until this page has it",
  audio: "page and audio buffer, until the sample leaves",
};
const KEPT = 40, PINGS = 6, AGAIN = 2000, SURE = 1.5, FORGET = 60000; // strikes, questions, ms

/** The server's clock as this page's: of some questions and answers the quickest tells best. */
export class Clocks {
  constructor(bench) {
    this.bench = bench;
    this.best = null;
    bench.on("open", () => this.ask());
    setInterval(() => this.ask(), AGAIN);
  }

  /** Asks until an answer came quickly, then once a minute: a page that is loading answers late. */
  async ask() {
    const now = performance.now();
    if (this.best && this.best.trip < SURE && now - this.best.at < FORGET) return;
    for (let i = 0; i < PINGS; i++) {
      const before = performance.now();
      const answer = await this.bench.send({ do: "clock" }).catch(() => null);
      const after = performance.now(), trip = after - before;
      const old = !this.best || after - this.best.at > FORGET;
      if (answer && (old || trip < this.best.trip)) this.best = { at: after, trip, offset: (before + after) / 2 - answer.ns / 1e6 };
    }
  }

  /** A stamp of the server [ns] on this page's clock [ms]. */
  here(ns) { return ns / 1e6 + this.best.offset; }
}

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export function mountLatency(element, clocks) {
  const kept = [];
  element.append(make("span", { class: "soft", text: "Turn sound on and play a note." }));
  const show = () => {
    const last = kept[kept.length - 1], most = Math.max(...Object.keys(PARTS).map(name => median(kept.map(each => each[name]))), 1);
    element.replaceChildren();
    for (const name of [...Object.keys(PARTS), "total"]) {
      const middle = median(kept.map(each => each[name])), bar = make("span", { class: "bar-of" });
      bar.style.width = name === "total" ? "0" : `${Math.max(0, 100 * middle / most)}%`;
      const kind = name === "total" ? "total" : "";
      element.append(make("span", { class: kind, text: name, title: PARTS[name] || "" }), bar,
        make("span", { class: `number ${kind}`, text: `${last[name].toFixed(1)} ms` }),
        make("span", { class: "number soft", text: `median ${middle.toFixed(1)}` }));
    }
    element.append(make("span", { class: "soft small", text: "" }), make("span"), make("span", { class: "number soft", text: `clocks ± ${(clocks.best.trip / 2).toFixed(1)}` }), make("span"));
  };
  return {
    kept,
    /** A strike was heard: `told` by the server, `received` and `out` on this page's clock. */
    heard({ told, received, out }) {
      if (!clocks.best) return null;
      const parts = { tick: 1000 * told.tick, hub: (told.sent - told.published) / 1e6, wire: received - clocks.here(told.sent), audio: out - received };
      parts.total = parts.tick + parts.hub + parts.wire + parts.audio;
      kept.push(parts);
      if (kept.length > KEPT) kept.shift();
      show();
      return parts;
    },
  };
}
