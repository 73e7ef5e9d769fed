// Everything that can be opened with one click, in its own words and moving; found by words and kinds.
import { $, begin, make, note, visit } from "./play_page.js";
import { Films } from "./zoo_films.js";

const ALL = "all";
const bench = begin("Mechanisms"), films = new Films();
const page = window.play = { bench, films, kind: ALL };

const card = (what, title, lines, film) => {
  const found = make("button", { class: "card", "aria-label": `open ${title}` }, ...(film ? [film] : []), make("h3", { text: title }), ...lines.map(text => make("p", { text })));
  found.dataset.what = what;
  found.onclick = () => visit(bench, what);
  return found;
};

/** Shows the mechanisms of a kind in whose words all that is searched for occurs. */
function sift() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { element, text, category } of page.cards) {
    const shown = (page.kind === ALL || page.kind === category) && words.every(word => text.includes(word));
    element.hidden = !shown;
    if (shown) count++;
  }
  $("found").textContent = count ? `${count} of ${page.cards.length}` : "Nothing is called so; try another word.";
  for (const chip of $("categories").children) chip.setAttribute("aria-checked", String(chip.dataset.kind === page.kind));
}

function chips(mechanisms) {
  const kinds = [ALL, ...new Set(mechanisms.map(each => each.category))];
  $("categories").replaceChildren(...kinds.map(kind => {
    const chip = make("button", { text: kind, role: "radio" });
    chip.dataset.kind = kind;
    chip.onclick = () => { page.kind = kind; sift(); };
    return chip;
  }));
}

bench.on("open", async () => {
  const zoo = await bench.send({ do: "zoo" }).catch(error => { note(error.message, "bad"); return null; });
  if (!zoo) return;
  await films.load().catch(() => {}); // without them there are words
  $("pages").replaceChildren(...zoo.pages.map(each => card(each.what, each.title, [each.about])));
  page.cards = zoo.mechanisms.map(each => ({
    element: card(each.what, each.name.replaceAll("-", " "), each.sentences, films.canvas(each.name)),
    text: [each.name, each.about, each.category, ...each.sentences].join(" ").toLowerCase().replaceAll("-", " "), category: each.category,
  }));
  $("mechanisms").replaceChildren(...page.cards.map(each => each.element));
  chips(zoo.mechanisms);
  sift();
  page.zoo = zoo;
});
$("search").oninput = sift;
