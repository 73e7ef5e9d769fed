// Signals over time as scopes ask for them: those of a recording, or of a model that runs here, whose rows grow.
const MOST = 1 << 18; // rows of a run that are kept

export class Traces {
  /** @param {Record<string, string>} units of each signal, in the order of the columns */
  constructor(units, time = new Float64Array(1024), columns = Object.keys(units).map(() => new Float32Array(time.length)), count = 0) {
    this.units = units;
    this.names = Object.keys(units);
    this.time = time;
    this.columns = new Map(this.names.map((name, k) => [name, columns[k]]));
    this.count = count;
  }

  get span() { return this.count ? [this.time[0], this.time[this.count - 1]] : [0, 0]; }

  check(names) {
    for (const name of names) if (!this.columns.has(name)) throw new Error(`This file holds no signal '${name}', and computes no expressions; it has ${this.names.join(", ")}.`);
  }

  /** A row of all columns in order; of a run that is kept too long the older half goes. */
  add(time, values) {
    if (this.count === MOST) this._shift(MOST / 2);
    if (this.count === this.time.length) this._grow();
    this.time[this.count] = time;
    let k = 0;
    for (const column of this.columns.values()) column[this.count] = values[k++];
    this.count++;
  }

  clear() { this.count = 0; }

  _shift(by) {
    for (const each of [this.time, ...this.columns.values()]) each.copyWithin(0, by, this.count);
    this.count -= by;
  }

  _grow() {
    const grown = old => { const made = new old.constructor(2 * old.length); made.set(old); return made; };
    this.time = grown(this.time);
    for (const [name, column] of this.columns) this.columns.set(name, grown(column));
  }

  /** The first row at or after a time. */
  row(time) {
    let low = 0, high = this.count;
    while (low < high) { const middle = (low + high) >> 1; if (this.time[middle] < time) low = middle + 1; else high = middle; }
    return low;
  }

  /** Least and greatest of rows first…last in at most so many buckets, as they go over the wire (signal_buckets.js). */
  buckets(names, first, last, count) {
    this.check(names);
    const columns = names.map(name => this.columns.get(name)), since = first < last ? this.time[first] : 0, numbers = [];
    const span = first < last ? this.time[last - 1] - since : 0, width = last - first <= count ? 0 : span / count;
    let open = -1, at = 0;
    for (let row = first; row < last; row++) {
      const place = width ? Math.min(Math.floor((this.time[row] - since) / width), count - 1) : row;
      if (place !== open) { open = place; at = numbers.length; numbers.push(this.time[row] - since, ...columns.flatMap(each => [each[row], each[row]])); continue; }
      columns.forEach((each, k) => {
        numbers[at + 1 + 2 * k] = Math.min(numbers[at + 1 + 2 * k], each[row]);
        numbers[at + 2 + 2 * k] = Math.max(numbers[at + 2 + 2 * k], each[row]);
      });
    }
    return { since, count: numbers.length / (1 + 2 * names.length), numbers };
  }

  newest(names) { return names.map(name => this.count ? this.columns.get(name)[this.count - 1] : NaN); }
}

/** Float32 numbers as base64 text, which the page's scopes read. */
export function encodeNumbers(numbers) {
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}
