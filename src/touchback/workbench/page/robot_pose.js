// What a robot's joints do: hold their pose, only carry its weight, or nothing; and poses of its file to go to.
import { h } from "./dom.js";

const MODES = [["hold", "Hold", "Joints hold their pose and go to what the sliders say"],
  ["gravity compensation", "Float", "Motors carry weight and springs alone: the robot stays where it is led"],
  ["free", "Free", "Nothing holds: the robot falls, unless motors of its file act by their own commands"]];
const CHOICE = "hold choice"; // the parameter that has the number of the mode

/** Whether a controller holds the joints of a mechanism. */
export const isHeld = scene => Object.keys(scene?.held || {}).length > 0;

/** The joint that each command is of, by the command's name. */
export const commands = scene => new Map(Object.entries(scene?.held || {}).map(([joint, input]) => [input, joint]));

/** Whether a parameter is a limit of a joint. */
export function isLimit(scene, name) {
  const coordinate = name.replace(/ (low|high)$/, "");
  return coordinate !== name && (scene?.joints || []).some(joint => joint.coordinates.includes(coordinate));
}

export class RobotPose {
  constructor(bench) {
    this.bench = bench;
    this.buttons = MODES.map(([mode, text, title], i) => h("button", { type: "button", class: "plain", title, "data-mode": mode, "aria-pressed": "false",
      onclick: async () => { if (await bench.try({ do: "hold", mode })) this.show(i); } }, text));
    this.keys = h("div", { class: "row keyframes" });
    this.said = h("p", { class: "soft small" });
    this.element = h("div", { class: "robot-pose" }, h("div", { class: "row modes", role: "group", "aria-label": "What the joints do" }, ...this.buttons), this.keys, this.said);
    bench.on("values", values => { if (CHOICE in values) this.show(values[CHOICE]); });
  }

  /** The mode that acts. */
  show(number) {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === Math.round(number))));
  }

  /** What can be chosen now. */
  renew(scene, controls) {
    const control = controls.find(each => each.name === "hold");
    if (control) this.show(control.alternatives.indexOf(control.chosen));
    this.keys.replaceChildren(...(scene.keyframes || []).map(name => h("button", { type: "button", title: `Go to the keyframe ${name} of the file`, onclick: () => this.bench.try({ do: "keyframe", name }) }, name)));
    this.said.textContent = (scene.overloaded || []).join(" ");
    this.said.hidden = !this.said.textContent;
    this.keys.hidden = !this.keys.children.length;
  }
}
