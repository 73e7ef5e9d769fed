// Three pedals: a click puts one down or lifts it, digits hold it, MIDI and the sustain's slider put it anywhere between.
import { make } from "./play_page.js";

const PEDALS = [["una corda pedal", "1"], ["sostenuto pedal", "2"], ["sustain pedal", "3"]]; // as they stand, with their digits
const CONTROLS = { 64: "sustain pedal", 66: "sostenuto pedal", 67: "una corda pedal" };

export class Pedals {
  constructor(element, bench, places) {
    this.bench = bench;
    this.pedals = new Map();
    for (const [name, digit] of PEDALS) {
      const button = make("button", { text: `${name.replace(" pedal", "")} ${digit}`, "aria-label": name, "aria-pressed": "false" });
      button.onclick = () => this.put(name, this.pedals.get(name).place >= 0.5 ? 0 : 1);
      this.pedals.set(name, { button, digit, place: 0 });
      element.append(button);
    }
    this.slider = make("input", { type: "range", min: 0, max: 127, step: 1, value: 0, "aria-label": "sustain pedal, how far down" });
    this.slider.oninput = () => this.put("sustain pedal", Number(this.slider.value) / 127);
    element.append(this.slider);
    for (const [name, place] of Object.entries(places)) this.show(name, place);
    addEventListener("keydown", event => this.digit(event, 1));
    addEventListener("keyup", event => this.digit(event, 0));
  }

  put(pedal, place) {
    if (this.pedals.get(pedal).place === place) return undefined;
    this.show(pedal, place);
    return this.bench.try({ do: "pedal", pedal, place });
  }

  digit(event, place) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest?.("input:not([type=range]), textarea, select")) return;
    const found = [...this.pedals].find(([, { digit }]) => digit === event.key);
    if (found) this.put(found[0], place);
  }

  /** A MIDI controller: 64, 66 or 67, from 0 to 127. */
  control(number, value) { return CONTROLS[number] && this.put(CONTROLS[number], value / 127); }

  show(pedal, place) {
    const each = this.pedals.get(pedal);
    each.place = place;
    each.button.setAttribute("aria-pressed", String(place >= 0.5));
    each.button.style.setProperty("--down", place);
    if (pedal === "sustain pedal") this.slider.value = Math.round(127 * place);
  }
}
