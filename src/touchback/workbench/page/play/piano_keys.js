// Keys under pointers, fingers, letters and MIDI: each is a wish of where a finger goes, sent to the run.
import { $, make, note as say } from "./play_page.js";
import { Letters } from "./letter_keys.js";

const MANY = 30; // keys beyond which only each C has room for its name
const isBlack = midi => [1, 3, 6, 8, 10].includes(midi % 12);

export class Keys {
  constructor(element, bench, board, effort) {
    Object.assign(this, { element, bench, board, effort });
    this.keys = new Map();
    this.pointers = new Map();
    this.down = new Set();
    this.struck = new Map(); // letters, space and enter that are down, and the keys they went to
    this.build();
    this.letters = new Letters($("letters"), $("octaves"), this);
    this.listen();
  }

  build() {
    const white = this.board.notes.filter(each => !isBlack(each.note)), share = 100 / white.length;
    let place = 0;
    this.element.classList.toggle("many", this.board.notes.length > MANY);
    for (const { note, name } of this.board.notes) {
      const black = isBlack(note), deep = make("span", { class: "deep" }), letter = make("span", { class: "letter" });
      const key = make("button", { class: black ? "black" : "white", "aria-label": `key ${name}` }, deep,
        letter, make("span", { class: note % 12 ? "name" : "name c", text: name }));
      key.dataset.note = note;
      key.style.left = black ? `${share * place - share * 0.31}%` : `${share * place}%`;
      key.style.width = black ? `${share * 0.62}%` : `${share}%`;
      if (!black) place++;
      this.keys.set(note, { key, deep, letter, name });
      this.element.append(key);
    }
    this.focus(this.board.focus);
  }

  listen() {
    const box = this.element, { signal } = this.life = new AbortController();
    box.addEventListener("pointerdown", event => {
      if (!event.target.closest("#keyboard button")) return;
      event.preventDefault();
      box.setPointerCapture(event.pointerId);
      this.point(event);
    }, { signal });
    box.addEventListener("pointermove", event => { if (this.pointers.has(event.pointerId)) this.point(event); }, { signal });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) box.addEventListener(kind, event => this.release(event.pointerId), { signal });
    addEventListener("keydown", event => this.letter(event, true), { signal });
    addEventListener("keyup", event => this.letter(event, false), { signal });
    addEventListener("blur", () => {
      for (const midi of [...this.down]) this.lift(midi);
      for (const id of [...this.pointers.keys()]) this.release(id);
      this.struck.clear();
    }, { signal });
  }

  /** Other keys take this place: these listen no more. */
  leave() { this.life.abort(); }

  /** Where a pointer is on a key is how deep its finger wishes to go; over another key it moves there. */
  point(event) {
    const before = this.pointers.get(event.pointerId), over = this.under(event.clientX, event.clientY) ?? before;
    if (over === undefined) return;
    if (before !== undefined && before !== over) this.press(before, 0);
    this.pointers.set(event.pointerId, over);
    const { top, height } = this.keys.get(over).key.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientY - top) / height, 0), 1);
    this.press(over, share * this.board.deepest);
  }

  under(x, y) {
    const found = [...this.keys].filter(([, { key }]) => {
      const { left, right, top, bottom } = key.getBoundingClientRect();
      return x >= left && x < right && y >= top - 20 && y < bottom + 60;
    });
    const black = found.find(([midi, { key }]) => isBlack(midi) && y < key.getBoundingClientRect().bottom);
    return (black || found.find(([midi]) => !isBlack(midi)))?.[0];
  }

  release(id) {
    const midi = this.pointers.get(id);
    this.pointers.delete(id);
    if (midi !== undefined && ![...this.pointers.values()].includes(midi)) this.press(midi, 0);
  }

  letter(event, down) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const focused = event.target.closest?.("#keyboard button"), presses = event.key === " " || event.key === "Enter";
    const typed = event.key.toLowerCase();
    if (focused && presses) event.preventDefault();
    if (down && event.repeat) return;
    if (!down) { // the key that it went down on, wherever letters play by now
      if (this.struck.has(typed)) this.lift(this.struck.get(typed));
      this.struck.delete(typed);
      return;
    }
    if (this.letters.shifted(typed)) return;
    const midi = this.letters.note(typed) ?? (focused && presses ? Number(focused.dataset.note) : undefined);
    if (midi === undefined) return;
    this.struck.set(typed, midi);
    this.stroke(midi, { effort: Number(this.effort.value) });
  }

  send(message) { return this.bench.send(message).catch(error => { if (!this.told) { this.told = true; say(error.message, "bad"); setTimeout(() => { this.told = false; }, 3000); } }); }

  press(midi, depth) {
    if (depth > 0) this.focus(midi);
    return this.send({ do: "press", note: midi, depth });
  }

  stroke(midi, how) {
    this.down.add(midi);
    this.focus(midi);
    return this.send({ do: "stroke", note: midi, ...how });
  }

  lift(midi) {
    this.down.delete(midi);
    return this.send({ do: "lift", note: midi });
  }

  focus(midi) {
    for (const [each, { key }] of this.keys) key.classList.toggle("focus", each === midi);
    if (this.focused !== midi) this.onFocus?.(midi);
    this.focused = midi;
  }

  rings(midi, on) { this.keys.get(midi)?.key.classList.toggle("rings", on); }

  /** Depths [m] of all keys, as the run has them. */
  show(depths) {
    let i = 0;
    for (const each of this.keys.values()) {
      const shown = Math.round(7000 * Math.max(depths[i++], 0)) / 10; // px, by tenths: what lies still costs nothing
      if (shown === each.shown) continue;
      each.shown = shown;
      each.key.style.transform = `translateY(${shown}px)`;
      each.deep.style.height = `${Math.min(100, shown / 0.0735).toFixed(0)}%`;
    }
  }
}

const DEEPER = 0.03; // m that full pressure of a MIDI key adds

/** Connects MIDI keyboards: strokes by velocity, and pressure after the touch as a deeper wish. */
export async function connectMidi(keys, pedals, told) {
  if (!navigator.requestMIDIAccess) throw new Error("This browser has no MIDI; play with the pointer or with letters.");
  const access = await navigator.requestMIDIAccess();
  const hear = () => {
    const names = [...access.inputs.values()].map(port => { port.onmidimessage = event => takeMidi(keys, event.data, pedals); return port.name; });
    told(names);
  };
  access.onstatechange = hear;
  hear();
  return access;
}

/** One MIDI message: note on and off, pressure of a key, pressure of all, pedals. */
export function takeMidi(keys, [status, one, two], pedals) {
  const kind = status & 0xf0, known = keys.keys.has(one);
  if (kind === 0x90 && two > 0 && known) return keys.stroke(one, { velocity: two });
  if ((kind === 0x80 || kind === 0x90) && known) { keys.press(one, 0); return keys.lift(one); }
  if (kind === 0xa0 && known) return keys.press(one, DEEPER * two / 127);
  if (kind === 0xb0) return pedals?.control(one, two);
  if (kind === 0xd0) return Promise.all([...keys.down].map(midi => keys.press(midi, DEEPER * one / 127)));
  return undefined;
}
