// Pieces that scopes share: elements, the box that asks for a signal, the choice of a recording to lie over.

/** An element with properties. */
export function make(tag, properties = {}) {
  const { ariaLabel, ...rest } = properties, made = Object.assign(document.createElement(tag), rest);
  if (ariaLabel) made.setAttribute("aria-label", ariaLabel);
  return made;
}

/** The instant of a recording that is shown; null in a run. */
export function playhead(bench) { return bench.recorded ? bench.world?.time ?? bench.status.playback.at : null; }

/** Half a tick [s]: what is asked for up to an instant holds the tick of that instant. */
export function halfTick(bench) { return 0.51 / (bench.status.rate || 1000); }

/** A box below a bar that asks for a signal (with suggestions) or an expression; `take(text)` may refuse. */
export function pickSignal(bar, units, take) {
  bar.parentElement.querySelector(".picker")?.remove();
  const box = make("form", { className: "picker" }), id = `signals-${Math.random().toString(36).slice(2)}`;
  const field = make("input", { type: "text", placeholder: "signal, or expression: 2 * 'hand.x' + abs(shoulder)", ariaLabel: "Signal or expression", autocomplete: "off", spellcheck: false });
  const list = make("datalist", { id }), wrong = make("div", { className: "bad small", role: "alert" });
  field.setAttribute("list", id);
  for (const [name, unit] of Object.entries(units)) list.append(make("option", { value: name, label: unit || "" }));
  const show = make("button", { textContent: "show", className: "first" }), away = make("button", { type: "button", textContent: "cancel" });
  away.onclick = () => box.remove();
  box.onkeydown = e => { if (e.key === "Escape") { e.stopPropagation(); box.remove(); } };
  box.onsubmit = async e => {
    e.preventDefault();
    if (!field.value.trim()) return;
    try { await take(field.value.trim()); box.remove(); } catch (error) {
      wrong.textContent = error.message;
      wrong.scrollIntoView({ block: "nearest" }); // all of it is to be read
    }
  };
  box.append(field, list, show, away, wrong);
  bar.after(box);
  field.focus();
}

/** A choice among recordings that may lie over the run; `chosen(name or "")`. */
export function overlayChoice(bench, now, chosen) {
  const choice = make("select", { className: "over", ariaLabel: "Lay a recording over it", title: "Lay a recording over it" });
  const fill = names => {
    choice.replaceChildren(new Option("no overlay", ""));
    for (const name of names) choice.append(new Option(name, name, false, name === now));
    if (now && !names.includes(now)) choice.append(new Option(now, now, false, true));
    choice.value = now || "";
    choice.hidden = !names.length && !now;
  };
  fill([]);
  const ask = () => bench.send({ do: "recordings" }).then(({ recordings }) => fill(recordings.map(each => each.name))).catch(() => {});
  ask();
  choice.onfocus = ask;
  choice.onchange = () => chosen(choice.value);
  bench.on("recordings", ask);
  return choice;
}

/** By how many seconds what lies over the run is later than it was recorded, and a button that brings its first instant
 * to the left edge; `view()` is what is seen, `chosen(seconds)` takes it. */
export function overlayShift(bench, recording, now, view, chosen) {
  const field = make("input", { type: "number", step: "any", value: +now.toFixed(4), className: "shift", ariaLabel: "Overlay later by [s]", title: "Overlay later by [s]" });
  field.onchange = () => { if (Number.isFinite(field.valueAsNumber)) chosen(field.valueAsNumber); };
  const here = make("button", { type: "button", className: "plain", textContent: "⇤", ariaLabel: "Begin the overlay at the left edge", title: "Begin the overlay at the left edge" });
  here.onclick = async () => {
    const told = await bench.try({ do: "signals", recording });
    if (told) chosen(view()[0] - told.start);
  };
  return [field, here];
}

/** Calls a function when it was asked for and some time has passed since the last call. */
export function throttled(fn, ms) {
  let waiting = null, last = -Infinity;
  return () => {
    if (waiting !== null) return;
    waiting = setTimeout(() => { waiting = null; last = performance.now(); fn(); }, Math.max(0, last + ms - performance.now()));
  };
}
