// Sets of values by name, and two of them side by side: kept by the browser, for each mechanism.
import { isRecord, isValues, kept as keptAs, storage } from "./browser_storage.js";
import { make } from "./scope_widgets.js";

const isCompared = x => isRecord(x) && (x.on === null || (["A", "B"].includes(x.on) && isValues(x.A) && isValues(x.B)));

/** A and B: both begin as what there is at the first click; then each holds what was set while it was on. */
export function compare(panel) {
  const key = `${panel.key} AB`, kept = () => keptAs(key, { on: null }, isCompared);
  const save = state => storage.setItem(key, JSON.stringify(state));
  const buttons = ["A", "B"].map(name => {
    const button = make("button", { type: "button", className: "plain ab", textContent: name, title: `Values ${name}: A and B begin as what is set now; what you change while one is pressed is kept in it. Click the other to compare, the pressed one to forget both.`, ariaLabel: `Values ${name}` });
    button.onclick = async () => {
      const state = kept();
      if (state.on === name) { save({ on: null }); paint(); return; } // forgets both
      const now = panel.all(), wanted = state.on && state[name];
      save(state.on ? { ...state, [state.on]: now, on: name } : { A: now, B: now, on: name });
      paint();
      if (wanted) await panel.setAll(wanted);
    };
    return button;
  });
  const paint = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(kept().on === "AB"[k])));
  paint();
  return buttons;
}

/** A choice of presets, with a way to keep one and to remove it. */
export function presets(panel) {
  const key = `${panel.key} presets`, kept = () => keptAs(key, {}, x => isRecord(x, isValues));
  const box = make("span", { className: "row presets" });
  const choice = make("select", { ariaLabel: "Presets", title: "Presets" });
  const save = make("button", { type: "button", className: "plain", textContent: "keep…", title: "Keep these values as a preset", ariaLabel: "Keep these values as a preset" });
  const gone = make("button", { type: "button", className: "plain", textContent: "✕", title: "Remove the chosen preset", ariaLabel: "Remove the chosen preset" });
  const name = make("input", { type: "text", placeholder: "name", size: 8, ariaLabel: "Name of the preset", hidden: true });
  const fill = chosen => {
    choice.replaceChildren(new Option("presets", ""), new Option("as the model has it", " usual"));
    for (const each of Object.keys(kept())) choice.append(new Option(each, each, false, each === chosen));
    gone.disabled = !chosen;
  };
  fill();
  choice.onchange = () => {
    gone.disabled = !(choice.value in kept());
    const usual = () => Object.fromEntries([...panel.rows].map(([each, row]) => [each, row.fact.default]));
    if (choice.value) panel.setAll(choice.value === " usual" ? usual() : kept()[choice.value]);
  };
  save.onclick = () => { name.hidden = !name.hidden; if (!name.hidden) name.focus(); };
  name.onkeydown = e => {
    e.stopPropagation();
    if (e.key === "Escape") name.hidden = true;
    if (e.key !== "Enter" || !name.value.trim()) return;
    storage.setItem(key, JSON.stringify({ ...kept(), [name.value.trim()]: panel.all() }));
    fill(name.value.trim());
    name.value = "";
    name.hidden = true;
  };
  gone.onclick = () => {
    const { [choice.value]: _, ...rest } = kept();
    storage.setItem(key, JSON.stringify(rest));
    fill();
  };
  box.append(choice, save, name, gone);
  return box;
}
