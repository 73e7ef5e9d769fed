// Layouts: how the page looks, kept under a name by the browser and brought back; and as a link.
import { isRecord, kept as keptAs, storage } from "./browser_storage.js";
import { h } from "./dom.js";
import { checked, linkOf, lookIn, lookOf, takeLook } from "./look_link.js";

const KEY = "touchback layouts", BEFORE = "before the link", MOST = 40, LONGEST = 40; // names; letters of one
const kept = () => keptAs(KEY, {}, x => isRecord(x, each => isRecord(each)));

class Layouts {
  constructor(bench, button) {
    Object.assign(this, { bench, button });
    this.menu = h("div", { class: "menu layouts", role: "dialog", "aria-label": "Layouts", hidden: true });
    button.after(this.menu);
    button.setAttribute("aria-expanded", "false");
    button.onclick = () => this.show(this.menu.hidden);
    for (const each of [button, this.menu]) each.addEventListener("keydown", e => { e.stopPropagation(); if (e.key === "Escape") { this.show(false); button.focus(); } });
    document.addEventListener("pointerdown", e => { if (!this.menu.contains(e.target) && !button.contains(e.target)) this.show(false); });
    addEventListener("hashchange", () => this.open());
    bench.on("mounted", () => this.open());
  }

  show(open) {
    this.menu.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.paint();
  }

  paint() {
    const names = Object.keys(kept());
    const name = h("input", { type: "text", placeholder: "name", maxlength: LONGEST, "aria-label": "Name of the layout" });
    const save = e => { e.preventDefault(); if (name.value.trim()) { this.keep(name.value.trim(), lookOf(this.bench)); this.paint(); } };
    this.menu.replaceChildren(h("h3", {}, "Layouts"),
      ...names.map(each => h("div", { class: "row layout" }, h("button", { type: "button", class: "plain grow", "data-layout": each, onclick: () => this.restore(each) }, each),
        h("button", { type: "button", class: "plain", "aria-label": `Remove ${each}`, title: `Remove ${each}`, onclick: () => { const { [each]: _, ...rest } = kept(); storage.setItem(KEY, JSON.stringify(rest)); this.paint(); } }, "✕"))),
      h("form", { class: "row", onsubmit: save }, name, h("button", {}, "Save")),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.reset() }, "As at first"), h("button", { type: "button", class: "first", "data-act": "copy link", onclick: () => this.copy() }, "Copy link")),
      h("p", { class: "soft small" }, "A link has the view, scopes and parameters. Whoever opens it may do what this address may."));
  }

  keep(name, look) {
    const all = { ...kept(), [name]: look }, names = Object.keys(all);
    for (const each of names.slice(0, Math.max(0, names.length - MOST))) delete all[each];
    storage.setItem(KEY, JSON.stringify(all));
  }

  /** What was kept, but for the parameters, of which presets are kept. */
  async restore(name) {
    const { values: _, ...look } = kept()[name] || {};
    try { this.say(await takeLook(this.bench, checked(look))); } catch (error) { this.bench.note(`'${name}' can't be read: ${error.message}.`, "bad"); }
    this.show(false);
  }

  async reset() {
    this.bench.layout.reset();
    await this.bench.scopes.take(null);
    this.bench.view.fit();
    this.show(false);
  }

  async copy() {
    let link;
    try { link = linkOf(lookOf(this.bench)); } catch (error) { this.bench.note(error.message, "bad"); return; }
    try { await navigator.clipboard.writeText(link); } catch { // not allowed, or not by this address: from a field
      const field = h("input", { type: "text", readonly: true, value: link, "aria-label": "The link" });
      this.menu.append(field);
      field.select();
      if (!document.execCommand("copy")) { this.bench.note("The browser doesn't let the page copy: press Ctrl C."); return; }
    }
    this.show(false);
    this.bench.note("Copied a link to this view.", "good");
  }

  // ---- a link that was opened ----
  /** Makes the page as the link says, once there is something to see; the address loses the fragment, so that reloading changes nothing again. */
  async open() {
    let look;
    const { hash } = location;
    if (!hash) return;
    try { look = lookIn(hash); } catch (error) { this.bench.note(`The link's view can't be used: ${error.message}. The page is as it was.`, "bad"); }
    if (look === null) return; // of somebody else
    history.replaceState(history.state, "", location.href.split("#")[0]);
    if (!look) return;
    const { bench } = this;
    await new Promise(done => { const ask = () => bench.scene && bench.world?.ready && bench.sliders?.found && bench.scopes?.mechanism === bench.scene.title ? done() : setTimeout(ask, 50); ask(); });
    this.keep(BEFORE, lookOf(bench));
    const left = await takeLook(bench, look), set = Object.keys(look.values || {}).length;
    if (left.length) this.say(left);
    else bench.note(`As in the link${set ? `, with ${set} value${set === 1 ? "" : "s"} that it set` : ""}. Layouts has it as it was '${BEFORE}'.`, "good");
  }

  say(left) { if (left.length) this.bench.note(left.join(" "), "bad"); }
}

export function mountLayouts(bench, button) { bench.lookMenu = new Layouts(bench, button); }
