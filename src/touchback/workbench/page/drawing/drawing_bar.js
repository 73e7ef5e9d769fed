// The buttons of a drawing in the header: Play and Rest, undo, redo, and its files.
import { h } from "../dom.js";

const ICONS = {
  undo: "M7 4L3.5 7.5 7 11M3.5 7.5H12a4.5 4.5 0 0 1 0 9H7", redo: "M13 4l3.5 3.5L13 11M16.5 7.5H8a4.5 4.5 0 0 0 0 9h5",
  new: "M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M10.2 9v5M7.7 11.5h5", open: "M2.5 16V5h5l1.5 2h8v9zM2.5 9.5h14.5",
  save: "M3.5 3.5h10.5l2.5 2.5v10.5h-13zM6.5 3.5v4.5h6v-4.5M6.5 16.5v-5h7v5", share: "M10 12.5V3M6.5 6.2L10 2.7l3.5 3.5M5 9.5H3.5v7.5h13V9.5H15", text: "M7 5.5L2.5 10 7 14.5M13 5.5l4.5 4.5-4.5 4.5",
};

function button(name, label, onclick) {
  return h("button", { type: "button", class: "plain", "data-drawing": name, "aria-label": label, title: label, onclick }, h("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, h("path", { d: ICONS[name] })));
}

export function drawingBar(editor) {
  const { drawing, files } = editor;
  const play = h("button", { type: "button", class: "first", "data-drawing": "play", title: "Play, Rest (Ctrl Enter)", onclick: () => editor.play() }, "Play");
  const undo = button("undo", "Undo", () => drawing.send("undo")), redo = button("redo", "Redo", () => drawing.send("redo"));
  const bar = h("div", { class: "drawing-bar", role: "toolbar", "aria-label": "Drawing" }, play, undo, redo, button("new", "New drawing", () => files.begin()), button("open", "Open (Ctrl O)", () => files.open()),
    button("save", "Save (Ctrl S)", () => files.save()), button("share", "Share as one file", () => files.share()), button("text", "Text: YAML and Python", () => files.text()));
  document.getElementById("transport").before(bar);
  drawing.changed.add(() => {
    const { undo: before, redo: after, playing } = drawing.told;
    play.textContent = playing ? "Rest" : "Play";
    for (const [made, name, words, keys] of [[undo, "Undo", before, "Ctrl Z"], [redo, "Redo", after, "Ctrl Y"]]) {
      made.disabled = !words;
      made.title = words ? `${name}: ${words} (${keys})` : `Nothing to ${name.toLowerCase()}`;
      made.setAttribute("aria-label", made.title);
    }
  });
  return bar;
}
