// What was chosen, with numbers to read and to type: a body, a joint, a loop, an icon; and the report of
// what a change did.
import { h, short } from "./dom.js";
import { act } from "./number_fields.js";
import { iconForm } from "./inspect_icon.js";
import { bodyPanel } from "./inspect_body.js";
import { jointPanel, loopPanel, tiePanel } from "./inspect_joint.js";

const PANELS = { body: bodyPanel, joint: jointPanel, loop: loopPanel, tie: tiePanel, icon: iconForm };

export function mount(element, bench) {
  const content = h("div", {}), report = h("div", { class: "report", role: "status" });
  element.append(content, report);
  let live = null, shown = "";
  const build = () => {
    const chosen = bench.selected, drawn = bench.drawing?.resting, key = `${drawn ? "drawn " : ""}${chosen ? `${chosen.kind} ${chosen.name}` : ""}`;
    if (key === shown && live?.refresh) { live.refresh(); return; }
    live?.end?.();
    shown = key;
    content.textContent = "";
    live = null;
    if (drawn) { live = bench.drawing.panel(content, chosen) || null; if (!live) shown = ""; return; }
    if (!chosen || !bench.scene) { content.append(help(bench)); return; }
    live = PANELS[chosen.kind]?.(content, bench, chosen) || null;
    if (live && bench.drawing && !bench.recorded) live = bench.drawing.below(content, chosen, live);
    if (bench.recorded && content.childNodes.length) content.append(...recorded(bench));
    if (!content.childNodes.length) { shown = ""; content.append(help(bench)); }
  };
  bench.on("selected", build);
  bench.on("drawn", build);
  bench.on("scene", () => { const back = typing(content); if (!live?.refresh) shown = ""; build(); back(); });
  bench.on("recorded", () => { shown = ""; live?.end?.(); live = null; report.textContent = ""; build(); });
  bench.on("poses", () => live?.move?.());
  bench.on("edited", answer => showReport(report, bench, answer));
  build();
}

/** Remembers the field that somebody types in; what it gives finds that field again after it was built anew. */
function typing(content) {
  const field = document.activeElement, label = content.contains(field) && field.matches("input") && field.getAttribute("aria-label");
  if (!label) return () => {};
  const { value, selectionStart, selectionEnd, dataset: { typed } } = field;
  const half = e => e.stopPropagation(); // a browser sends what is typed when its field goes; it isn't complete
  content.addEventListener("change", half, true);
  return () => {
    content.removeEventListener("change", half, true);
    const again = [...content.querySelectorAll("input")].find(each => each.getAttribute("aria-label") === label);
    if (!again || again === field) return;
    if (typed) { again.value = value; again.dataset.typed = typed; }
    again.focus();
    again.setSelectionRange(selectionStart, selectionEnd);
  };
}

/** That what is shown is over, and the way to change it. */
const recorded = bench => [h("p", { class: "soft small" }, bench.untouchable),
  h("div", { class: "row" }, h("button", { type: "button", "data-act": "fork", onclick: () => bench.transport.forkHere() }, "Go on live from here"))];

const help = bench => h("div", { class: "soft help" },
  ...bench.recorded ? [h("p", {}, "Click a body or a joint to see it here."), ...recorded(bench)] : [
    h("p", {}, "Drag a body to pull it; when the run is paused, to pose it. Click a body or a joint to see and change it here."),
    h("p", {}, h("kbd", {}, "F"), " draws a force, ", h("kbd", {}, "T"), " a torque, ", h("kbd", {}, "M"), " sets a joint in motion, ", h("kbd", {}, "L"), " ties two bodies.")],
  h("p", {}, "Drag beside the mechanism to look around; wheel or two fingers to come nearer."));

/** The gap and the energy of a change, the freedoms, and a way back: `answer.back`, where it isn't an edit to undo. */
export function showReport(element, bench, answer) {
  if (!answer || answer.words === undefined && answer.freedoms_before === undefined) return;
  const number = (x, unit) => x === null || x === undefined ? "–" : `${short(x)} ${unit}`;
  const rows = answer.freedoms_before === undefined ? [] : [
    ["gap", number(answer.gap, "m")],
    ["energy before", number(answer.energy_before, "J")],
    ["energy after", number(answer.energy_after, "J")],
    ["lost", number(answer.energy_lost, "J")],
    ["freedoms", `${answer.freedoms_before ?? "–"} → ${answer.freedoms_after ?? "–"}`],
    ["took", number(answer.milliseconds, "ms")],
  ];
  element.textContent = "";
  element.append(h("h3", {}, answer.words || "What the change did"), h("table", { class: "facts" },
    ...rows.map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number", "data-fact": name }, text)))),
  h("div", { class: "row" }, undoButton(bench, answer.back || (() => undo(element, bench)), !answer.back && !answer.undo), closeButton(element)));
}

const undoButton = (bench, back, none) => act("Undo", "undo", back, none ? { disabled: true, title: "Nothing is left to take back." } : {});
const closeButton = element => h("button", { type: "button", class: "plain", onclick: () => { element.textContent = ""; } }, "Close");

/** Takes the last edit back, or lets it be (`skip`); one that can't be taken back now needn't block those before it. */
async function undo(element, bench, skip = false) {
  try { bench.tell("edited", await bench.send({ do: "undo", ...(skip && { skip }) })); } catch (error) {
    element.replaceChildren(h("h3", {}, "It can't be taken back"), h("p", { class: "refusal bad small", role: "alert" }, error.message),
      h("div", { class: "row" }, act("Try again", "undo", () => undo(element, bench)), act("Let it be", "skip", () => undo(element, bench, true)), closeButton(element)));
  }
}
