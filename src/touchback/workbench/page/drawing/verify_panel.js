// What the drawing amounts to, after each change: freedoms, loops, redundant constraints, singular positions, problems.
import { h } from "../dom.js";
import { fact } from "../number_fields.js";

export function mountVerify(element, { drawing }) {
  const show = () => {
    const { freedoms, bodies, loops, redundant = [], singular, problems = [] } = drawing.told.verify || {};
    const number = x => x === null || x === undefined ? "–" : String(x), row = (name, words, bad) => { const made = fact(name, words); made.lastChild.dataset.verify = name; made.lastChild.classList.toggle("bad", Boolean(bad)); return made; };
    element.replaceChildren(h("table", { class: "facts" }, row("freedoms", number(freedoms)), row("bodies", number(bodies)), row("loops", number(loops)),
      row("redundant", redundant.length ? redundant.join(", ") : "none", redundant.length), row("singular here", singular === null || singular === undefined ? "–" : singular ? "yes" : "no", singular)),
    h("ul", { class: "problems" }, problems.map(each => h("li", {}, h("button", { type: "button", class: "plain small", "data-problem": true, onclick: () => choose(each.what) }, each.text)))));
  };
  const choose = what => {
    const item = typeof what === "string" ? Object.entries(drawing.lists()).flatMap(([section, list]) => list.map(({ name }) => ({ section, name }))).find(each => each.name === what) : what;
    if (item?.section && drawing.find(item)) drawing.choose([item]);
  };
  drawing.changed.add(show);
  if (drawing.told) show();
}
