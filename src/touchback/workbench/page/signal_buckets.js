// Buckets as they come over the wire: of each its time, then least and greatest of each trace. A frame ends with the newest tick's values.

/** Numbers of base64 text. */
export function decodeNumbers(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}

/** What each trace was at the newest tick of a frame: its last numbers. */
export const newestValues = (frame, traces) => frame.numbers.subarray(frame.numbers.length - traces);

/** Growing columns of buckets, in the order of time. */
export class Buckets {
  constructor(traces) {
    this.traces = traces;
    this.count = 0;
    this._room(256);
  }

  _room(size) {
    const grown = (old, width) => { const made = new Float64Array(size * width); if (old) made.set(old.subarray(0, this.count * width)); return made; };
    this.time = grown(this.time, 1);
    this.low = grown(this.low, this.traces);
    this.high = grown(this.high, this.traces);
    this.size = size;
  }

  get end() { return this.count ? this.time[this.count - 1] : -Infinity; }
  get start() { return this.count ? this.time[0] : Infinity; }

  /** Rows of a frame. One that begins where the last bucket does goes on with it (unless that is a gap); older ones are left out. */
  add(since, rows) {
    const width = 1 + 2 * this.traces;
    for (let at = 0; at + width <= rows.length; at += width) {
      const time = since + rows[at], again = this.count > 0 && Math.abs(time - this.end) < 1e-6;
      if (this.count && time < this.end - 1e-6) continue;
      if (!(again && this._finite(this.count - 1))) {
        if (this.count === this.size) this._room(2 * this.size);
        this.count++;
      }
      const place = this.count - 1;
      this.time[place] = time;
      for (let k = 0; k < this.traces; k++) {
        this.low[place * this.traces + k] = rows[at + 1 + 2 * k];
        this.high[place * this.traces + k] = rows[at + 2 + 2 * k];
      }
    }
    return this;
  }

  _finite(place) {
    for (let k = 0; k < this.traces; k++) if (Number.isFinite(this.low[place * this.traces + k])) return true;
    return false;
  }

  /** Forgets what lies before a time. */
  forget(before) {
    let first = 0;
    while (first + 1 < this.count && this.time[first + 1] < before) first++;
    if (first < this.size / 4) return;
    this.time.copyWithin(0, first, this.count);
    this.low.copyWithin(0, first * this.traces, this.count * this.traces);
    this.high.copyWithin(0, first * this.traces, this.count * this.traces);
    this.count -= first;
  }

  /** Least and greatest of all traces over a span. */
  spans(start, end) {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.count; i++) {
      if (this.time[i] > end) break;
      if (i + 1 < this.count && this.time[i + 1] < start) continue;
      for (let j = i * this.traces; j < (i + 1) * this.traces; j++) {
        if (this.low[j] < low) low = this.low[j];
        if (this.high[j] > high) high = this.high[j];
      }
    }
    return low <= high ? [[low, high]] : [];
  }
}
