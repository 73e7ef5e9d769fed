// The server's clock on this page's, between bounds: a question and its answer enclose the server's stamp, and whatever arrives was sent before.
const PINGS = 4, AGAIN = 2000, KEPT = 60; // questions, ms between them, bounds that are remembered
const DRIFT = 1e-4; // of one clock against another: twice what a quartz may be off
const GRAIN = 0.1; // ms to which browsers round their clock

/** The [low, high] on which all bounds `{ at, low, high }` agree at an instant [ms]: each loosens as clocks drift. Bounds that contradict
 * later ones are of another clock, and forgotten. */
export function intersectBounds(bounds, instant) {
  let low = -Infinity, high = Infinity;
  for (let i = bounds.length - 1; i >= 0; i--) {
    const each = bounds[i], loose = GRAIN + DRIFT * Math.abs(instant - each.at);
    if (each.low - loose > high || each.high + loose < low) { bounds.splice(0, i + 1); break; }
    low = Math.max(low, each.low - loose);
    high = Math.min(high, each.high + loose);
  }
  return [low, high];
}

export class Clocks {
  constructor(bench) {
    this.bench = bench;
    this.begin();
    bench.on("open", () => { this.begin(); this.ask(); });
    setInterval(() => this.ask(), AGAIN);
  }

  begin() {
    this.bounds = []; // of this page's clock less the server's [ms]
    this.known = new Promise(done => { this.answered = done; });
  }

  async ask() {
    for (let i = 0; i < PINGS; i++) {
      const before = performance.now();
      const answer = await this.bench.send({ do: "clock" }).catch(() => null);
      if (answer) this.learn(answer.ns, before, performance.now());
    }
  }

  /** The server's clock showed `ns` between two instants of this page [ms]. */
  learn(ns, from, to) {
    this.bounds.push({ at: to, low: from - ns / 1e6, high: to - ns / 1e6 });
    if (this.bounds.length > KEPT) this.bounds.shift();
    if (from > -Infinity) this.answered();
  }

  /** Something came that was sent at `ns`: it wasn't sent later than it came. */
  arrived(ns, at) { this.learn(ns, -Infinity, at); }

  /** How long ago, at an instant of this page [ms], the server's clock showed `ns`: [ms, ± ms], or null before the first answer. */
  since(ns, at) {
    const [low, high] = intersectBounds(this.bounds, at);
    if (low === -Infinity) return null;
    return [Math.max(at - ns / 1e6 - (low + high) / 2, 0), Math.max((high - low) / 2, GRAIN)];
  }
}
