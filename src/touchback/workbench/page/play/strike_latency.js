// From strike to sample, measured: every part of the way has a stamp at both ends.
import { make } from "./play_page.js";

const PARTS = {
  tick: "tick of the run, which sees the strike and publishes it",
  hub: "until the hub has noticed and sent it",
  wire: "on the wire, until this page has it",
  audio: "page and audio buffer, until the sample leaves",
};
const KEPT = 40; // notes
const WAITED = { sound: "The last note waited for the sound to be turned on; medians leave it out.", string: "The last note waited for its string; medians leave it out." };

const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of the notes that had to wait for nothing; null while there is none. */
export function medians(kept) {
  const of = kept.filter(each => !each.waited);
  return of.length ? { count: of.length, ...Object.fromEntries([...Object.keys(PARTS), "total"].map(name => [name, median(of.map(each => each[name]))])) } : null;
}

export function mountLatency(element, clocks) {
  const kept = [];
  element.append(make("span", { class: "soft wide", text: "Turn sound on and play a note." }));
  const show = () => {
    const last = kept[kept.length - 1], middle = medians(kept), drawn = middle || last;
    const whole = Math.max(drawn.total, Object.keys(PARTS).reduce((sum, name) => sum + drawn[name], 0));
    let begin = 0;
    element.replaceChildren();
    for (const name of [...Object.keys(PARTS), "total"]) {
      const bar = make("span", { class: "bar-of" }), kind = name === "total" ? "total" : "", doubt = name === "wire" || name === "total";
      bar.dataset.part = name;
      bar.style.marginLeft = kind ? "0" : `${100 * begin / whole}%`;
      bar.style.width = `${100 * drawn[name] / whole}%`;
      if (!kind) begin += drawn[name];
      element.append(make("span", { class: kind, text: name, title: PARTS[name] || "" }), bar,
        make("span", { class: `number ${kind}`, text: `${last[name].toFixed(1)}${doubt ? ` ± ${last.sure.toFixed(1)}` : ""} ms` }),
        make("span", { class: "number soft", text: middle ? `median ${middle[name].toFixed(1)}` : "" }));
    }
    const of = middle ? `Medians of ${middle.count} ${middle.count === 1 ? "note" : "notes"}` : "No medians yet: every note had to wait";
    const notes = `${of}; ± as far as the two clocks can be compared.`;
    element.append(make("span", { class: "soft small wide", text: `${WAITED[last.waited] || ""} ${notes}`.trim() }));
  };
  return {
    kept,
    /** A strike was heard: `told` by the server, `received` and `out` on this page's clock [ms]; what it `waited` for, if it had to. */
    async heard({ told, received, out, waited = "" }) {
      await clocks.known;
      const [wire, sure] = clocks.since(told.sent, received);
      const parts = { tick: 1000 * told.tick, hub: (told.sent - told.published) / 1e6, wire, audio: out - received, sure, waited };
      parts.total = parts.tick + parts.hub + parts.wire + parts.audio;
      kept.push(parts);
      if (kept.length > KEPT) kept.shift();
      show();
      return parts;
    },
  };
}
