// A mechanism of the gallery in its own three sentences, under its view, which they leave free, and the way back to the others.
const link = (text, click) => Object.assign(document.createElement("button"), { textContent: text, onclick: click });

export async function mount(element, bench) {
  const told = await bench.send({ do: "about" }).catch(() => null);
  if (!told) return;
  const box = document.createElement("section");
  box.className = "about";
  box.setAttribute("aria-label", `About the ${told.name}`);
  const words = Object.assign(document.createElement("div"), { className: "words" });
  for (const text of told.sentences) words.append(Object.assign(document.createElement("p"), { textContent: text }));
  const row = document.createElement("div");
  row.className = "row";
  row.append(link("Got it", () => box.remove()));
  const back = link("‹", async () => {
    const found = await bench.try({ do: "visit", what: "zoo" });
    if (found) location.href = found.url.replace(/^https?:\/\/[^/]+/, location.origin);
  });
  back.className = "plain";
  back.append(Object.assign(document.createElement("span"), { className: "wide", textContent: " Mechanisms" }));
  back.setAttribute("aria-label", "Mechanisms");
  document.querySelector("#title").before(back);
  box.append(words, row);
  element.append(box);
}
