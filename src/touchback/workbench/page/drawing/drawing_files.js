// New, open, save, share, text: the drawing as a file of the server's folder or of the person's own.
import { h } from "../dom.js";
import { act } from "../number_fields.js";
import { share } from "../recordings_menu.js";

/** A dialog with a title; it goes when it is closed. */
export function dialog(title, ...children) {
  const made = h("dialog", { class: "page-dialog", "aria-label": title }, h("div", { class: "row dialog-head" }, h("h2", { class: "grow" }, title), h("button", { type: "button", class: "plain", "aria-label": "close", onclick: () => made.close() }, "✕")), ...children);
  made.addEventListener("close", () => made.remove());
  made.addEventListener("keydown", e => e.stopPropagation());
  made.addEventListener("click", e => { if (e.target === made) made.close(); });
  document.body.append(made);
  made.showModal();
  return made;
}

/** Gives a text to the browser as a file. */
export function download(name, text, type = "text/plain") {
  const link = h("a", { href: URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class DrawingFiles {
  constructor(editor) { this.editor = editor; this.drawing = editor.drawing; this.bench = editor.bench; }

  get stem() { return (this.drawing.told.file || this.drawing.told.name || "drawing").replace(/^.*\//, "").replace(/\.(ya?ml|py)$/, "") || "drawing"; }

  /** Closes a dialog that brought another drawing: keys are for the view again, which may be another one by now. */
  done(made) { made.close(); this.editor.view.canvas.focus({ preventScroll: true }); }

  /** Empty, in the plane or in space, or a classic to go on with; what was drawn stays in the history. */
  async begin() {
    const start = (change, fields) => async () => { this.editor.begin(); if (await this.drawing.send(change, fields)) this.done(made); };
    const answer = await this.drawing.send("files"), classics = Object.entries(answer?.classics || {});
    const made = dialog("New drawing", h("p", { class: "soft" }, "Undo brings back what was drawn before."), h("div", { class: "row" },
      act("In the plane", "new plane", start("new", { space: false }), { class: "first" }), act("In space", "new space", start("new", { space: true }))),
    h("h3", {}, "Or start from a classic"), h("ul", { class: "files" }, classics.map(([name, title]) => h("li", {}, h("button", { type: "button", class: "plain", "data-classic": name, onclick: start("open", { classic: name }) }, title)))));
    return made;
  }

  async open() {
    const answer = await this.drawing.send("files"), names = (answer?.files || []).map(each => each.name ?? each);
    const take = async fields => { this.editor.begin(); if (await this.drawing.send("open", fields)) this.done(made); };
    const chooser = h("input", { type: "file", accept: ".yaml,.yml,.json", "aria-label": "a file of this computer", onchange: async () => { const [file] = chooser.files; if (file) await take({ text: await file.text() }); } });
    const made = dialog("Open a drawing", h("h3", {}, "On the server"), names.length ? h("ul", { class: "files" }, names.map(name => h("li", {}, h("button", { type: "button", class: "plain", "data-file": name, onclick: () => take({ file: name }) }, name)))) : h("p", { class: "soft" }, "The folder holds no drawing yet."),
      h("h3", {}, "On this computer"), chooser);
    return made;
  }

  async save() {
    const name = h("input", { type: "text", "aria-label": "name of the file", value: `${this.stem}.yaml`, spellcheck: "false" });
    const format = () => /\.py$/.test(name.value) ? "python" : "yaml";
    const hint = h("p", { class: "soft small" }, ".yaml, or .py for Python source");
    const put = h("button", { class: "first", "data-act": "save" }, "Save on the server");
    let replaced = ""; // the file of which the server said that it is another drawing's
    const keep = async e => {
      e.preventDefault();
      const given = name.value.trim(), file = given.includes(".") ? given : `${given}.yaml`;
      try {
        await this.drawing.ask("save", { file, replace: file === replaced });
        if (!file.endsWith(".py")) this.drawing.told.file = file; // which the server tells with the next change
        made.close();
        this.bench.note(`Saved ${file}`, "good");
      } catch (error) {
        hint.textContent = error.message;
        if (!error.message.includes("`replace`")) return; // it can't be written over at all
        replaced = file;
        put.textContent = `Replace ${file}`;
      }
    };
    name.oninput = () => { put.textContent = "Save on the server"; replaced = ""; };
    const fetchText = async () => { const answer = await this.drawing.send("text", { format: format() }); if (answer) { download(name.value.trim(), answer.text); made.close(); } };
    const made = dialog("Save the drawing", h("form", { onsubmit: keep }, h("label", { class: "field" }, h("span", {}, "file"), name), hint,
      h("div", { class: "row" }, put, act("Download", "download", fetchText))));
    name.focus();
    name.setSelectionRange(0, this.stem.length);
    return made;
  }

  async text() {
    const box = h("textarea", { class: "law source", readonly: true, rows: 22, "aria-label": "text of the drawing", spellcheck: "false" });
    const show = async format => {
      for (const each of tabs) each.setAttribute("aria-pressed", String(each.dataset.act === format));
      const answer = await this.drawing.send("text", { format });
      if (answer) box.value = answer.text;
    };
    const tabs = [act("YAML", "yaml", () => show("yaml")), act("Python", "python", () => show("python"))];
    const copy = async () => { box.select(); try { await navigator.clipboard.writeText(box.value); } catch { document.execCommand("copy"); } this.bench.note("Copied the text.", "good"); };
    const made = dialog("The drawing as text", h("div", { class: "row" }, ...tabs, h("span", { class: "grow" }), act("Copy", "copy", copy)), box);
    await show("yaml");
    return made;
  }

  /** One HTML file that plays ten seconds of what was drawn, which the server makes. */
  share() { return share(this.bench); }
}
