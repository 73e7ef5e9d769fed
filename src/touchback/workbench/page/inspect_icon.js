// An icon's numbers: where, how much, along whose axes, with its head or its tail at the point.
import { h } from "./dom.js";
import { act, choice, number, triple } from "./number_fields.js";

export function iconForm(content, bench, chosen) {
  const icons = bench.icons, now = () => icons.known.get(chosen.name), icon = now();
  if (!icon) return null;
  const send = async changed => { Object.assign(now(), changed); icons.change(now()); };
  const fields = {};
  const again = async changed => { await icons.apply({ ...now(), ...changed }); };
  content.append(h("h2", {}, icon.name), h("p", { class: "soft small" }, `${icon.kind} on ${icon.on}`));
  if (icon.kind === "motion") {
    const joint = bench.world.joints.get(icon.on), unit = joint?.units?.[0] || "rad";
    fields.value = number("value", icon.of === "position" ? unit : `${unit}/s`, icon.value, value => send({ value }));
    content.append(fields.value, choice("moves", [["rate", "at a rate"], ["position", "to a position"]], icon.of || "rate", of => again({ of })));
  } else {
    const unit = icon.kind === "force" ? "N" : "N m";
    fields.value = triple("value", unit, icon.value, value => send({ value }));
    fields.at = triple("point", "m", icon.at, at => send({ at }));
    content.append(fields.value, fields.at, choice("axes", [["world", "of the world"], ["body", "of the body"]], icon.frame, frame => {
      const value = frame === "body" ? bench.world.wayBack(icon.on, now().value) : bench.world.way(icon.on, now().value);
      return again({ frame, value });
    }));
    if (icon.kind === "force") content.append(choice("point is at its", [["tail", "tail: it pulls"], ["head", "head: it pushes"]], icon.end, end => send({ end })));
  }
  content.append(h("div", { class: "row" }, act("Remove", "remove", () => icons.remove(chosen.name))));
  return { refresh: () => { const is = now(); if (is) for (const [name, field] of Object.entries(fields)) field.refresh(is[name]); } };
}
