// Recordings that there are: to download as they are or as another kind of file, to open, to make a film of.
import { make } from "./scope_widgets.js";

/** A button with a list of recordings and what can be had of each. */
export function recordings(bench) {
  const box = make("span", { className: "recordings" });
  const open = make("button", { type: "button", className: "plain", textContent: "⤓", title: "Recordings and downloads", ariaLabel: "Recordings and downloads" });
  const list = make("div", { className: "menu", hidden: true, role: "dialog", ariaLabel: "Recordings" });
  open.setAttribute("aria-expanded", "false");
  const show = shown => { list.hidden = !shown; open.setAttribute("aria-expanded", String(shown)); if (shown) fill(); };
  open.onclick = () => show(list.hidden);
  box.onkeydown = e => { if (e.key === "Escape") { show(false); open.focus(); } };
  document.addEventListener("pointerdown", e => { if (!box.contains(e.target)) show(false); });
  box.append(open, list);

  async function fill() {
    const answer = await bench.send({ do: "recordings" }).catch(error => ({ error: error.message }));
    const rows = (answer.recordings || []).map(each => row(each, answer.kinds));
    if (!rows.length) rows.push(make("p", { className: "soft small", textContent: answer.error || "Nothing was recorded yet. The red button begins." }));
    const back = make("button", { type: "button", textContent: "back to the live run", hidden: !(typeof answer.shown === "string" ? answer.live : answer.behind) });
    back.onclick = async () => { if (await bench.try({ do: "back" })) show(false); };
    list.replaceChildren(make("h3", { textContent: "Recordings" }), ...rows, back);
  }

  function row({ name, bytes, open: going }, kinds) {
    const line = make("div", { className: "row recording" });
    const words = make("span", { className: "grow", textContent: name });
    words.append(make("span", { className: "soft small", textContent: ` ${going ? "going on · " : ""}${bytes === null ? "" : size(bytes)}` }));
    const choice = make("select", { ariaLabel: `Download ${name} as` });
    choice.append(new Option("download…", ""));
    for (const kind of kinds) choice.append(new Option(kind, kind));
    choice.onchange = async () => {
      const kind = choice.value;
      if (!kind) return;
      choice.disabled = true;
      const answer = await bench.try({ do: "export", recording: name, kind });
      choice.disabled = false;
      choice.value = "";
      if (!answer) return;
      for (const remark of answer.diagnostics) line.after(make("p", { className: "soft small", role: "status", textContent: `${remark}.` }));
      await download(bench, answer.path, answer.name);
    };
    line.append(words, choice);
    if (!going) {
      const play = make("button", { type: "button", textContent: "open", ariaLabel: `Open ${name}` });
      play.onclick = async () => { if (await bench.try({ do: "open", recording: name })) show(false); };
      line.append(play);
    }
    return line;
  }
  return box;
}

/** Downloads a file that the server made, with the page's token; whether the server has it. A link that fails would say so nowhere. */
export async function download(bench, path, name) {
  const token = new URLSearchParams(location.search).get("token"), there = path.split("/").map(encodeURIComponent).join("/");
  const href = `${there}${token ? `?token=${encodeURIComponent(token)}` : ""}`;
  try {
    const asked = new AbortController(), answer = await fetch(href, { signal: asked.signal, cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    asked.abort(); // the browser itself fetches all of it
  } catch (error) {
    bench.note(`${name} can't be downloaded: ${error.message.trim()}`, "bad");
    return false;
  }
  const link = make("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  return true;
}

/** Downloads one HTML file that plays what is shown, of a run its last ten seconds, with what the scopes show. */
export async function share(bench) {
  const scopes = (bench.scopes?.panes || []).filter(each => each.layout.kind === "time").map(each => each.layout.signals.filter(name => name in each.units)).filter(each => each.length);
  const made = bench.note("Making a file to share…"), answer = await bench.try({ do: "share", seconds: 10, scopes });
  made?.remove();
  if (!answer) return;
  if (await download(bench, answer.path, answer.name)) bench.note([`${answer.name} plays without a server: ${size(answer.bytes)}.`, ...answer.diagnostics].join(" "), answer.diagnostics.length ? "" : "good");
}

const size = bytes => bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
