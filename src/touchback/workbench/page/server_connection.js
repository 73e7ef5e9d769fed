// The one socket between the page and the run: text is JSON, binary is frames (docs/workbench.md).
const WAIT = [250, 500, 1000, 2000, 5000]; // ms before the next try to connect

/** The bench: what the server told last, ways to hear of changes and to send messages. */
export class Bench {
  constructor(address) {
    this.address = address;
    this.scene = null;
    this.values = {};
    this.status = {};
    this.told = {}; // the drawing
    this.selected = null;
    this._listeners = new Map();
    this._waiting = new Map();
    this._number = 0;
    this._tries = 0;
  }

  /** Calls `fn` with what comes: scene, values, status, drawing, poses, rows, log, structure, open, closed, gone (why it is, in words), selected,
      recorded (whether a recording is shown from now on).
      Who asks late for a scene, values, a status or a drawing gets the last one at once. */
  on(kind, fn) {
    if (!this._listeners.has(kind)) this._listeners.set(kind, new Set());
    this._listeners.get(kind).add(fn);
    const last = { scene: this.scene, values: this.values, status: this.status, drawing: this.told }[kind];
    if (last && Object.keys(last).length) fn(last);
    return () => this._listeners.get(kind).delete(fn);
  }

  /** Whether a recording is shown, which can be looked at and not changed. */
  get recorded() { return Boolean(this.status.playback); }

  /** Why what is shown can't be dragged or set, in words; "" when it can. */
  get untouchable() { return this.recorded ? RECORDED : ""; }

  /** The corners of a mesh that a scene shows, as bytes; null where the server has none. */
  async mesh(number) {
    const reply = await fetch(`mesh/${number}.bin${location.search}`);
    if (!reply.ok) { console.error(`mesh ${number}: ${reply.status}`); return null; }
    return reply.arrayBuffer();
  }

  tell(kind, data) { for (const fn of this._listeners.get(kind) || []) fn(data); }

  /** What the inspector shows: {kind: "body" | "joint" | "loop" | "icon", name} or null. */
  select(what) {
    this.selected = what;
    this.tell("selected", what);
  }

  /** Chooses after an answer, unless somebody chose something else than what was chosen before while it was under way. */
  selectAfter(before, what) { if (this.selected?.kind === before?.kind && this.selected?.name === before?.name) this.select(what); }

  /** Sends a message; gives the answer, or fails with its text. */
  send(message) {
    if (!this._socket || this._socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new Error("The run isn't connected; the page tries again by itself."));
    const id = ++this._number;
    return new Promise((done, failed) => {
      this._waiting.set(id, { done, failed });
      this._socket.send(JSON.stringify({ ...message, id }));
    });
  }

  open() {
    const socket = this._socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { this._tries = 0; this.tell("open"); };
    socket.onmessage = ({ data }) => typeof data === "string" ? this._text(JSON.parse(data)) : this._frame(data);
    socket.onclose = ({ code, reason }) => {
      for (const { failed } of this._waiting.values()) failed(new Error("The connection to the run was lost before it answered."));
      this._waiting.clear();
      this.tell("closed", { code, reason });
      if (!this.ended) this._again(reason);
    };
    return this;
  }

  /** Says why there is no connection, and tries again unless that can't help. */
  async _again(reason) {
    const asked = await fetch(this.address.replace(/^ws/, "http"), { signal: AbortSignal.timeout(3000) }).catch(() => null);
    const hopeless = asked?.status === 401; // a socket isn't told why it was refused, a plain request is
    const text = hopeless ? "This address is no longer valid; use the one that was printed last."
      : asked?.status === 503 ? (await asked.text()).trim()
      : asked ? reason || "The connection to the run was lost; the page tries again by itself."
      : "The run has ended, or its server can't be reached; the page tries again by itself.";
    if (this.ended || this._socket.readyState < WebSocket.CLOSING) return;
    this.tell("gone", { text, hopeless });
    if (!hopeless) setTimeout(() => this.open(), WAIT[Math.min(this._tries++, WAIT.length - 1)]);
  }

  close() { this.ended = true; this._socket?.close(); }

  _text(message) {
    if (message.tell === "answer" || message.tell === undefined) {
      const { done, failed } = this._waiting.get(message.id) || {};
      this._waiting.delete(message.id);
      if (!done) { if (message.ok === false) this.tell("log", { text: message.error, bad: true }); }
      else if (message.ok) done(message);
      else failed(new Error(message.error));
      return;
    }
    if (message.tell === "scene") this.scene = message;
    else if (message.tell === "values") Object.assign(this.values, message.values);
    else if (message.tell === "status") this.status = message;
    else if (message.tell === "trial") this.trial = message;
    else if (message.tell === "drawing") this.told = message;
    this.tell(message.tell, message.tell === "values" ? message.values : message);
    if (message.tell === "status" && this.recorded !== this._recorded) this.tell("recorded", this._recorded = this.recorded);
  }

  _frame(buffer) {
    const head = new DataView(buffer), type = head.getUint8(0);
    const frame = { structure: head.getUint16(2, true), count: head.getUint32(4, true), time: head.getFloat64(8, true) };
    if (type === 1) this.tell("poses", { ...frame, origin: [...new Float64Array(buffer, 16, 3)], numbers: new Float32Array(buffer, 40) });
    else if (type === 2) this.tell("rows", { ...frame, subscription: head.getUint32(16, true), numbers: new Float32Array(buffer, 20) });
  }
}

const RECORDED = "This is a recording: go on live from here first, then it can be changed.";

/** What keeps a run from going on until it is resumed, in words; "" when nothing does: a pause doesn't. */
export function haltReason({ held, faults = [] }) {
  return faults.map(each => each === "stopped" ? "emergency stop" : each).join(", ") || (held ? "held" : "");
}

/** Connects to the server that gave this page, with the page's token. */
export function connect() {
  const asked = new URLSearchParams(location.search), wire = new URLSearchParams();
  for (const name of ["token", "run"]) if (asked.get(name)) wire.set(name, asked.get(name));
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new Bench(`${scheme}://${location.host}/wire?${wire}`).open();
}
