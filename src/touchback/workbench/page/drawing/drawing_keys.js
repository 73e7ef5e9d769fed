// Every key of the drawing. At rest they come before those of the page, in fields they don't.
import { TOOLS } from "./tools.js";

const ARROWS = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] };
const LETTERS = Object.fromEntries(Object.entries(TOOLS).map(([name, { key }]) => [key.replace("⇧", "shift ").toLowerCase(), name]));

const LIVE = new Set("vtmlwasd"); // letters that mean something to a run: its own tools, and driving

/** For the help: [keys, what they do], of tools and of all else. */
export const TOOL_KEYS = Object.values(TOOLS).map(({ key, label }) => [key.replace("⇧", "Shift "), label]);
export const DRAWING_KEYS = [
  ["Arrows", "move the cross of a tool, or what is chosen, by a step of the grid (Shift: ten)"], ["Page ↑ ↓", "the same across the work plane, in space"],
  [", .", "the point (without a tool: the thing) before, the next one"], ["Enter", "puts a point at the cross; of an outline twice: closes it"], ["Shift Enter", "joint to the ground"],
  ["Tab", "to type length, angle, x, y, z; Enter takes them"], ["Alt", "held: no snapping"], ["X Y Z", "axis of the joint, else normal of the work plane (with Shift always)"], ["Escape", "leaves points, then the tool, then what is chosen"],
  ["Delete", "removes what is chosen"], ["Backspace", "takes back a tool's last point"], ["F2", "renames it"], ["Ctrl C V D", "copy, paste at the cross, duplicate"], ["Ctrl A", "chooses all"], ["Ctrl G", "group (with Shift: ungroup)"],
  ["Ctrl Z Y", "undo, redo (or Ctrl Shift Z)"], ["Space", "Play; Ctrl Enter: Play, Rest"], ["Ctrl S O", "save, open"],
];

export function listenForKeys(editor) {
  const { session, mover, drawing, view } = editor;
  const commands = { c: () => mover.copy(), v: () => mover.paste(), d: () => mover.duplicate(), a: () => mover.all(), g: e => e.shiftKey ? mover.ungroup() : mover.group(),
    z: e => drawing.send(e.shiftKey ? "redo" : "undo"), y: () => drawing.send("redo"), s: () => editor.files.save(), o: () => editor.files.open(), Enter: () => editor.play() };

  /** Whether a key was meant for the drawing. */
  function key(e) {
    const command = e.ctrlKey || e.metaKey, name = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (command && !e.altKey) {
      if (!commands[name] || (!drawing.resting && !"zyEnter".includes(name))) return false;
      commands[name](e);
      return true;
    }
    const tool = LETTERS[e.shiftKey ? `shift ${name}` : name];
    if (!drawing.resting && !command && !e.altKey && tool && !LIVE.has(name)) editor.bench.note("Drawing tools rest while it plays; Rest (Ctrl Enter) brings them back.");
    if (!drawing.resting || command) return false;
    const onButton = e.target.closest("button, a, summary, select, [role=button]") && !e.target.closest(".stage");
    const count = e.shiftKey ? 10 : 1, arrow = ARROWS[e.key]?.map(x => count * x), drawn = session.drawn;
    if (arrow && !onButton) {
      if (drawn) session.nudge(...arrow); else if (drawing.chosen.length) mover.nudge(...arrow); else return false;
      return true;
    }
    if (onButton && (name === "Enter" || name === " " || name === "Tab" || arrow)) return false;
    if (name === "Enter" && drawn) session.place(e);
    else if (name === "Tab" && drawn && !e.shiftKey) editor.strip.focus();
    else if (name === "," || name === ".") (drawn ? session.hop.bind(session) : mover.step.bind(mover))(name === "," ? -1 : 1);
    else if (name === "Backspace" && session.points.length) session.back();
    else if (name === "Delete" || name === "Backspace") mover.remove();
    else if (name === "F2") editor.rename();
    else if (name === " ") editor.play();
    else if (name === "Escape") escape();
    else if ("xyz".includes(name)) axis(name, e.shiftKey);
    else if (name === "n" && e.shiftKey && session.axial) session.setAxis("n");
    else return letter(name, e.shiftKey);
    return true;
  }

  function escape() {
    if (session.points.length) { session.clear(); session.aim(); }
    else if (session.name !== "select") session.choose("select");
    else if (drawing.chosen.length) drawing.choose([]);
    else view.openMenu(false);
  }

  function axis(name, shift) { if (session.axial && !shift) session.setAxis(name); else session.setNormal(name); }

  function letter(name, shift) {
    const tool = LETTERS[shift ? `shift ${name}` : name];
    if (tool) { session.choose(tool); view.canvas.focus(); } // Enter is for the tool, not for a button
    return Boolean(tool);
  }

  addEventListener("keydown", e => {
    if (!drawing.told || document.querySelector("dialog:modal") || e.target.closest("input:not([type=range], [type=checkbox]), textarea, select")) return;
    if (key(e)) { e.preventDefault(); e.stopImmediatePropagation(); }
  }, true);
}
