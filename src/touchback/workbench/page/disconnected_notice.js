// Why there is no run behind the page, in words.

/** Says it over `place` for as long as it is so; what would act (`resting`) rests meanwhile. */
export function showDisconnected(bench, place, resting) {
  const box = document.createElement("div"), words = document.createElement("p");
  box.className = "gone";
  box.setAttribute("role", "alert");
  box.append(words);
  const show = text => {
    for (const each of resting) each.inert = Boolean(text);
    if (!text) box.remove();
    else if (!box.isConnected || words.textContent !== text) { // what is said already isn't announced again at each try
      words.textContent = text;
      place.append(box);
    }
  };
  bench.on("gone", ({ text }) => show(text));
  bench.on("open", () => show(""));
}
