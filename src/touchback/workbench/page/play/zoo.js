// Everything that can be opened with one click, in its own words.
import { $, begin, make, note, visit } from "./play_page.js";

const bench = begin("Mechanisms");
window.play = { bench };

const card = (what, title, lines) => {
  const found = make("button", { class: "card", "aria-label": `open ${title}` }, make("h3", { text: title }), ...lines.map(text => make("p", { text })));
  found.dataset.what = what;
  found.onclick = () => visit(bench, what);
  return found;
};

bench.on("open", async () => {
  const zoo = await bench.send({ do: "zoo" }).catch(error => { note(error.message, "bad"); return null; });
  if (!zoo) return;
  $("pages").replaceChildren(...zoo.pages.map(each => card(each.what, each.title, [each.about])));
  $("mechanisms").replaceChildren(...zoo.mechanisms.map(each => card(each.what, each.name.replaceAll("-", " "), each.sentences)));
  window.play.zoo = zoo;
});
