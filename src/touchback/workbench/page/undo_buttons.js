// What was changed, to be taken back and done again; kept by the browser while its tab lives.
import { isList, isRecord, isValues, kept, session } from "./browser_storage.js";
import { make } from "./scope_widgets.js";

const MOST = 200;
const isChange = x => isRecord(x) && (typeof x.control === "string" ? [x.before, x.after].every(each => typeof each === "string") : [x.before, x.after].every(isValues));
const isHistory = x => isRecord(x) && [x.done, x.undone].every(list => isList(list, isChange));

export class Undo {
  constructor(panel) {
    this.panel = panel;
    this.done = [];
    this.undone = [];
    this.last = Promise.resolve();
    this.backButton = make("button", { type: "button", className: "plain", textContent: "↶", title: "Undo (Ctrl Z)", ariaLabel: "Undo" });
    this.againButton = make("button", { type: "button", className: "plain", textContent: "↷", title: "Redo (Ctrl Shift Z)", ariaLabel: "Redo" });
    this.backButton.onclick = () => this.undo();
    this.againButton.onclick = () => this.redo();
    this.paint();
  }

  buttons() { return [this.backButton, this.againButton]; }

  get key() { return `${this.panel.key} undo`; }

  load() {
    const { done, undone } = kept(this.key, { done: [], undone: [] }, isHistory, session);
    Object.assign(this, { done, undone });
    this.paint();
  }

  push(change) {
    this.done = [...this.done, change].slice(-MOST);
    this.undone = [];
    this.keep();
  }

  /** One change after the other: a quick second one would be judged by what the run had before the first was answered. */
  inTurn(change) { return this.last = this.last.then(change).catch(error => console.error(error)); }

  undo() { return this.inTurn(() => this.step("done", "undone", "before")); }
  redo() { return this.inTurn(() => this.step("undone", "done", "after")); }

  async step(from, to, side) {
    const change = this[from].pop();
    if (!change) return;
    this[to].push(change);
    this.keep();
    if (change.control) {
      await this.panel.bench.try({ do: "choose", control: change.control, alternative: change[side] });
      this.panel.choices.get(change.control)?.show(change[side]);
    } else await this.panel.setEach(change[side]);
  }

  keep() {
    session.setItem(this.key, JSON.stringify({ done: this.done, undone: this.undone }));
    this.paint();
  }

  paint() {
    this.backButton.disabled = !this.done.length;
    this.againButton.disabled = !this.undone.length;
  }
}
