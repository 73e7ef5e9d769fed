// Letters that play keys: two rows of a typewriter as an octave and a bit, which Z and X move along the keyboard.
import { make } from "./play_page.js";

const LETTERS = "awsedftgyhujkolp"; // from a C on, black keys in the upper row
const OCTAVE = 12, MIDDLE = 60;

export class Letters {
  /** `told` says which keys letters play, `octaves` holds the buttons that move them. */
  constructor(told, octaves, keys) {
    Object.assign(this, { told, keys: keys.keys });
    const all = Array.from({ length: 11 }, (_, i) => OCTAVE * i).filter(first => this.reached(first).length);
    const far = first => this.keys.size - this.reached(first).length + Math.abs(first - MIDDLE) / 1000;
    this.first = this.keys.has(MIDDLE) ? MIDDLE : all.reduce((a, b) => far(b) < far(a) ? b : a);
    const whole = this.reached(this.first).length === this.keys.size;
    this.firsts = whole ? [this.first] : all;
    this.buttons = [["z", -OCTAVE, "lower"], ["x", OCTAVE, "higher"]].map(([letter, by, way]) => {
      const button = make("button", { text: by < 0 ? "‹ Z" : "X ›", "aria-label": `letters an octave ${way}`, hidden: whole });
      button.onclick = () => this.move(by);
      return { letter, by, button };
    });
    octaves.replaceChildren(...this.buttons.map(each => each.button));
    this.show();
  }

  /** Notes that letters reach from a C on. */
  reached(first) { return [...LETTERS].map((_, i) => first + i).filter(note => this.keys.has(note)); }

  /** The note of a letter, if it plays one. */
  note(letter) {
    const place = LETTERS.indexOf(letter), note = this.first + place;
    return letter.length === 1 && place >= 0 && this.keys.has(note) ? note : undefined;
  }

  /** Whether a letter moves the others. */
  shifted(letter) {
    const found = this.buttons.find(each => each.letter === letter);
    if (found) this.move(found.by);
    return Boolean(found);
  }

  move(by) {
    if (!this.firsts.includes(this.first + by)) return;
    this.first += by;
    this.show();
  }

  show() {
    for (const [note, { letter }] of this.keys) letter.textContent = (LETTERS[note - this.first] || "").toUpperCase();
    const notes = this.reached(this.first), ends = [notes[0], notes[notes.length - 1]];
    const [from, to] = ends.map(note => `${LETTERS[note - this.first].toUpperCase()}`), [low, high] = ends.map(note => this.keys.get(note).name);
    const shift = this.firsts.length > 1 ? "; Z and X move them by an octave" : "";
    this.told.textContent = `Letters ${from} to ${to} play ${low} to ${high}${shift}.`;
    for (const { by, button } of this.buttons) button.disabled = !this.firsts.includes(this.first + by);
  }
}
