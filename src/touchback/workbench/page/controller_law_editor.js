// The laws of controllers as text, in the expression language of model files, swapped while the run goes on.
import { h } from "./dom.js";
import { choice } from "./number_fields.js";

export function mount(element, bench) {
  const box = h("textarea", { class: "law", rows: 5, spellcheck: "false", autocapitalize: "off", "aria-label": "the law", "data-law": "text" });
  const place = h("pre", { class: "place bad small", role: "alert" }), names = h("p", { class: "soft small" });
  let controls = [], chosen = null, dirty = false;
  const button = h("button", { type: "button", class: "first", "data-act": "law", onclick: () => swap() }, "Swap");
  const swap = async () => {
    place.textContent = "";
    box.removeAttribute("aria-invalid");
    try {
      const answer = await bench.send({ do: "law", control: chosen, text: box.value });
      dirty = false;
      bench.tell("edited", answer);
      bench.note(`The law of '${chosen}' was swapped; the run went on.`, "good");
      ask();
    } catch (error) {
      box.setAttribute("aria-invalid", "true");
      const [words, ...code] = error.message.split("\n"); // which points at its place itself: those lines must not wrap
      place.replaceChildren(h("div", {}, words), h("div", { class: "code" }, code.join("\n")));
      const at = character(error.message, box.value);
      if (at !== null) { box.focus(); box.setSelectionRange(at, Math.min(at + 1, box.value.length)); }
    }
  };
  box.addEventListener("input", () => { dirty = true; });
  box.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) swap(); });
  const pick = name => {
    chosen = name;
    const law = controls.find(each => each.name === name);
    box.value = law.text ?? "";
    dirty = false;
    names.textContent = law.names?.length ? `It may use: ${law.names.join(", ")}` : "";
  };
  const ask = async () => {
    const told = await bench.send({ do: "laws" }).catch(() => null) || await bench.send({ do: "what" }).catch(() => null);
    controls = told?.laws || told?.controls || [];
    if (!controls.length) { element.textContent = ""; return; }
    if (!controls.some(each => each.name === chosen)) chosen = controls[0].name;
    if (element.contains(document.activeElement) && dirty) return;
    element.textContent = "";
    element.append(choice("control", controls.map(each => [each.name, each.name]), chosen, pick), box, place, names,
      h("div", { class: "row" }, button, h("span", { class: "soft small" }, "Ctrl + Enter")));
    pick(chosen);
  };
  let structure = null;
  bench.on("scene", scene => { if (scene.structure !== structure) { structure = scene.structure; ask(); } });
}

/** The place that an error names, as an index into the text; null without one. */
export function character(message, text) {
  const line = /line (\d+)/.exec(message), column = /column (\d+)/.exec(message);
  if (!column) return null;
  const before = line ? text.split("\n").slice(0, Number(line[1]) - 1).reduce((sum, each) => sum + each.length + 1, 0) : 0;
  return before + Number(column[1]) - 1;
}
