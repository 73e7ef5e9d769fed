// All keys of the page in one overlay: `?`, or the button.
import { h } from "./dom.js";
import { dialog } from "./drawing/drawing_files.js";

const PAGE = [
  ["1 2 3", "panels: parts, scopes, inspector"], ["Alt Arrows", "move the panel whose title has the focus"], ["0", "fit"], ["+ −", "nearer, farther"], ["Arrows", "turn the eye (Shift: move it)"], ["S", "from the side, or in space"], ["C", "follow the chosen body"], ["P", "a picture"],
  ["Ctrl Z", "undo a slider (with Shift: redo)"], ["?", "this help"],
];
const RUN = [
  ["Space", "pause, play"], [".", "one tick (the button with Shift: ten)"], ["V", "drag bodies"], ["F", "draw a force"], ["T", "draw a torque"], ["M", "set a joint in motion"], ["L", "tie two bodies"], ["Escape", "back to dragging, choose nothing"],
];

const table = (title, keys) => h("section", {}, h("h3", {}, title), h("table", { class: "keys" }, keys.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, key.split(" ").flatMap((each, i) => [i ? " " : "", h("kbd", {}, each)])), h("td", {}, does)))));

export function mountKeysHelp(bench, button) {
  let shown = null;
  const show = () => {
    if (shown?.isConnected) { shown.close(); return; }
    const { drawing } = bench, page = PAGE.filter(([key]) => !(drawing && key === "Ctrl Z")), takes = word => bench.transport?.takes(word) ?? true;
    const run = RUN.filter(([key]) => key === "Space" ? takes("pause") || takes("go") : key !== "." || takes("step"));
    shown = dialog("Keys", h("div", { class: "key-tables" }, ...Object.entries(drawing?.keys || {}).map(([title, keys]) => table(title, keys)), h("div", {}, table(drawing ? "While it plays" : "The run", run), table("The page", page))));
    shown.addEventListener("keydown", e => { if (e.key === "?") shown.close(); });
  };
  button.onclick = show;
  addEventListener("keydown", e => {
    if (e.key !== "?" || e.target.closest("input:not([type=range], [type=checkbox]), textarea, select, dialog")) return;
    e.preventDefault();
    show();
  });
}
