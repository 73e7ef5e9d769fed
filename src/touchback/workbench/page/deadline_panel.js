// How well the run keeps its deadlines: lateness and step time, as its report counts them.
import { h } from "./dom.js";

const micro = seconds => seconds === undefined || seconds === null ? "–" : `${(1e6 * seconds).toFixed(seconds < 1e-4 ? 1 : 0)} µs`;

export function mount(element, bench) {
  const rows = new Map(), table = h("table", { class: "facts" });
  const row = name => {
    if (!rows.has(name)) { rows.set(name, h("td", { class: "number" })); table.append(h("tr", {}, h("th", { scope: "row" }, name), rows.get(name))); }
    return rows.get(name);
  };
  const tell = (name, text, bad = false) => { const cell = row(name); cell.textContent = text; cell.classList.toggle("bad", bad); };
  bench.on("status", status => {
    if (status.rate === undefined) return;
    if (!table.parentNode) element.append(table);
    tell("rate", `${status.rate} Hz`);
    tell("ticks", String(status.ticks ?? status.tick));
    tell("late", String(status.late ?? 0), status.late > 0);
    for (const [name, part] of [["lateness", status.lateness], ["step", status["step time"]]]) if (part)
      for (const key of Object.keys(part)) if (/^p|max/.test(key)) tell(`${name} ${key}`, micro(part[key]));
    tell("faults", status.faults?.length ? status.faults.join(", ") : "none", Boolean(status.faults?.length));
  });
}
