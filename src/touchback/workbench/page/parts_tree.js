// The parts of the mechanism by name: bodies under those that carry them, loops, icons. A click chooses one.
import { h } from "./dom.js";

const MARK = { body: "▬", joint: "◦", loop: "∞", icon: "➚", force: "⌇", sensor: "◉", drive: "↻" };

export function mount(element, bench) {
  const build = () => {
    const scene = bench.scene;
    if (!scene) return;
    const focused = document.activeElement?.dataset?.part;
    element.textContent = "";
    const list = h("ul", { class: "tree" });
    grow(scene, "ground", 0, list, new Set(["ground"]));
    element.append(list);
    const loops = scene.loops.map(each => item("loop", each.name, `${each.kind}${each.active ? "" : ", resting"}`));
    if (loops.length) element.append(h("h3", {}, "Loops"), h("ul", { class: "tree" }, loops));
    const icons = (scene.icons || []).map(each => item("icon", each.name, `on ${each.on}`));
    if (icons.length) element.append(h("h3", {}, "Icons"), h("ul", { class: "tree" }, icons));
    for (const [kind, title] of [["force", "Forces"], ["sensor", "Sensors"], ["drive", "Drives"]]) {
      const drawn = bench.drawing?.resting ? bench.drawing.drawing.lists()[`${kind}s`] : [];
      if (drawn.length) element.append(h("h3", {}, title), h("ul", { class: "tree" }, drawn.map(each => item(kind, each.name, each.kind || ""))));
    }
    mark();
    if (focused) element.querySelector(`[data-part="${CSS.escape(focused)}"]`)?.focus();
  };
  const item = (kind, name, more, depth = 0) => h("li", { "data-depth": Math.min(depth, 6) },
    h("button", { type: "button", class: "plain part", "data-part": `${kind} ${name}`, title: `${kind} ${name}`, onclick: () => bench.select({ kind, name }) },
      h("span", { class: "soft", "aria-hidden": "true" }, MARK[kind]), h("span", {}, name), more && h("span", { class: "soft small" }, more)));
  /** What a body carries: joints, each with its body; only where a body carries several they stand further in. */
  const grow = (scene, body, depth, list, seen) => {
    const carried = scene.joints.filter(each => each.parent.body === body), deeper = body !== "ground" && carried.length > 1 ? depth + 1 : depth;
    for (const joint of carried) {
      if (!joint.loose) list.append(item("joint", joint.name, joint.kind, deeper));
      const child = joint.child.body;
      if (seen.has(child)) continue;
      seen.add(child);
      list.append(item("body", child, "", deeper));
      grow(scene, child, deeper, list, seen);
    }
  };
  const mark = () => {
    const chosen = bench.selected && `${bench.selected.kind} ${bench.selected.name}`;
    for (const button of element.querySelectorAll("[data-part]")) button.setAttribute("aria-pressed", String(button.dataset.part === chosen));
  };
  bench.on("drawn", ({ drawing }) => { drawing.changed.add(build); build(); });
  let told = "";
  bench.on("scene", ({ bodies, joints, loops, icons }) => {
    const now = JSON.stringify([bodies, joints.map(j => [j.name, j.kind, j.parent.body]), loops.map(l => [l.name, l.active]), (icons || []).map(i => i.name)]);
    if (now !== told) { told = now; build(); }
  });
  bench.on("selected", mark);
}
