// The screws of an action and the numbers of the other voices: turned here, they turn on all keys or on the one in focus, and the curve follows.
import { $, make } from "./play_page.js";

const UNITS = { m: [1000, "mm"], kg: [1000, "g"], "N m": [1000, "mN m"], rad: [180 / Math.PI, "°"], "": [1, ""] };
const FIRST = ["let-off button height", "drop screw height", "repetition spring", "hammer mass", "key dip", "capstan height"];
const EVEN = 4, WIDE = 100; // of spans so many times the usual value, a slider shows the fourth root: 2.5 kN/m and 1 MN/m are both at hand
const CALM = 300; // ms that a key must be in focus before its screws are asked for

export class Screws {
  constructor(bench, screws, note) {
    Object.assign(this, { bench, note });
    this.rows = new Map();
    const alone = [...screws].sort((a, b) => Number(a.of.length > 1) - Number(b.of.length > 1)); // what instruments share comes last
    const order = [...FIRST, ...alone.map(each => each.name).filter(name => !FIRST.includes(name))];
    const rest = this.rest = make("details", {}, make("summary", { text: "all others" }));
    for (const name of order) {
      const screw = screws.find(each => each.name === name);
      if (!screw) continue;
      const first = FIRST.includes(name) || !screw.of.includes("piano");
      (first ? $("screw-list") : rest).append(this.row(screw));
    }
    $("screw-list").append(rest);
    $("regulate").onclick = () => { for (const { row } of this.rows.values()) if (row.classList.contains("changed")) this.turn(row.dataset.name, null); };
    $("save-screws").onclick = () => this.save();
    bench.on("screw", ({ name, value }) => this.show(name, value));
  }

  row(screw) {
    const low = screw.min ?? screw.usual - 1, high = screw.max ?? screw.usual + 1, id = `screw-${screw.name.replaceAll(" ", "-")}`;
    const power = low === 0 && high > WIDE * screw.usual ? EVEN : 1;
    const bent = (value, exponent) => low + (high - low) * ((value - low) / (high - low)) ** exponent;
    const scale = { to: place => bent(place, power), from: value => bent(value, 1 / power) };
    const input = make("input", { type: "range", id, min: low, max: high, step: (high - low) / 600, value: scale.from(screw.value) });
    const output = make("output", {});
    const row = make("div", { class: "screw", "data-name": screw.name }, make("label", { text: screw.name, htmlFor: id }), output, input, make("p", { class: "soft small", text: screw.about }));
    input.oninput = () => { this.tell(screw.name); this.turn(screw.name, scale.to(Number(input.value))); };
    this.rows.set(screw.name, { screw, input, output, row, scale, waiting: null, busy: false });
    this.show(screw.name, screw.value);
    return row;
  }

  /** Those of an instrument. */
  showThoseOf(instrument) {
    for (const { screw, row } of this.rows.values()) row.hidden = !screw.of.includes(instrument);
    this.rest.hidden = instrument !== "piano";
  }

  /** A number of the key in focus, in SI units, as it was shown last. */
  value(name) { return this.rows.get(name).value; }

  /** Another key is in focus: its screws may stand otherwise. */
  async focus(note) {
    if (note === this.note) return;
    this.note = note;
    await new Promise(done => setTimeout(done, CALM));
    if (note !== this.note) return;
    const { screws } = await this.bench.send({ do: "regulation", note });
    if (note !== this.note) return;
    for (const screw of screws) {
      Object.assign(this.rows.get(screw.name).screw, screw);
      this.show(screw.name, screw.value);
    }
  }

  /** What was turned, as a file for `touchback play --set`. */
  async save() {
    const { text } = await this.bench.try({ do: "regulation" }) || {};
    if (text === undefined) return;
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })), download: "regulation.yaml" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** One message at a time; of what came meanwhile the last one follows. */
  async turn(name, value) {
    const row = this.rows.get(name);
    row.waiting = { value, note: $("one-key").checked ? this.note : null };
    if (row.busy) return;
    row.busy = true;
    while (row.waiting !== null) {
      const next = row.waiting;
      row.waiting = null;
      await this.bench.try({ do: "screw", name, ...next });
    }
    row.busy = false;
  }

  show(name, value) {
    const row = this.rows.get(name);
    if (!row || document.activeElement === row.input && row.busy) return;
    row.input.value = row.scale.from(value);
    this.tell(name, value);
  }

  tell(name, value) {
    const { screw, input, output, row, scale } = this.rows.get(name), [factor, unit] = UNITS[screw.unit] || [1, screw.unit];
    const now = this.rows.get(name).value = value ?? scale.to(Number(input.value));
    output.textContent = `${(factor * now).toFixed(2)} ${unit}`;
    row.classList.toggle("changed", Math.abs(now - screw.usual) > 1e-9);
  }
}
