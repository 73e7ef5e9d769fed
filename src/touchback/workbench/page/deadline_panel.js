// How well the run keeps its deadlines, or a recording's did: lateness and step time, as its report counts them.
import { arrange, h, short } from "./dom.js";

const micro = seconds => `${short(seconds === null ? NaN : 1e6 * seconds)} µs`;
const measured = status => status.late !== undefined && status.speed !== null; // by a clock that the run follows

export function mount(element, bench) {
  const rows = new Map(), table = h("table", { class: "facts" });
  const row = (name, text, bad = false) => {
    if (!rows.has(name)) rows.set(name, h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" })));
    const made = rows.get(name), cell = made.lastChild;
    cell.textContent = text;
    cell.classList.toggle("bad", bad);
    return made;
  };
  bench.on("status", status => {
    if (status.rate === undefined) return;
    if (!table.parentNode) element.append(table);
    const clocked = measured(status);
    const parts = [["lateness", clocked && status.lateness], ["step", status["step time"]]].filter(([, part]) => part);
    arrange(table, [
      row("rate", `${short(status.rate, 6)} Hz`),
      row("ticks", String(status.ticks ?? status.tick)),
      row("late", clocked ? String(status.late) : "not measured", clocked && status.late > 0),
      ...parts.flatMap(([name, part]) => Object.keys(part).filter(key => /^p|max/.test(key)).map(key => row(`${name} ${key}`, micro(part[key])))),
      row("faults", status.faults?.length ? status.faults.join(", ") : "none", Boolean(status.faults?.length)),
    ]);
  });
}
