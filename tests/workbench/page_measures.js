// What is wrong with how a page looks now, measured: texts and controls that overlap or are cut, numbers that are none, texts
// of canvases that are drawn over each other. `watchCanvases` is to run before the page does; `measure` gives [kind, where, what].
(() => {
  const batches = new WeakMap(), draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    let batch = batches.get(this.canvas);
    if (!batch || batch.over) {
      batches.set(this.canvas, batch = { texts: [], over: false });
      queueMicrotask(() => { batch.over = true; }); // a picture is drawn in one go
    }
    const m = this.measureText(text), t = this.getTransform();
    const ends = [x - m.actualBoundingBoxLeft, x + m.actualBoundingBoxRight].flatMap(u =>
      [y - m.actualBoundingBoxAscent, y + m.actualBoundingBoxDescent].map(v => [t.a * u + t.c * v + t.e, t.b * u + t.d * v + t.f]));
    const [xs, ys] = [0, 1].map(i => ends.map(p => p[i]));
    batch.texts.push({ text: String(text), left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) });
    return draw.call(this, text, x, y, ...more);
  };

  const NONE = /\b(null|undefined|NaN)\b|\[object /, EDGE = 1.5; // px that rounding takes
  const LAYERS = "aside, dialog, .menu, .note, [role=dialog]"; // lie over others on purpose, and hide them
  const SCROLLS = /auto|scroll/, HIDES = /hidden|clip/;
  const meet = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right), top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const wide = r => Math.max(0, r.right - r.left), high = r => Math.max(0, r.bottom - r.top), empty = r => wide(r) < EDGE || high(r) < EDGE;
  const plain = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
  const inner = element => { // the box within its border
    const r = element.getBoundingClientRect(), left = r.left + element.clientLeft, top = r.top + element.clientTop;
    return { left, top, right: left + (element.clientWidth || r.width), bottom: top + (element.clientHeight || r.height) };
  };
  const seen = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const where = element => {
    const own = element.closest("[id], [aria-label], [class]") || element, name = own.id ? `#${own.id}` : `${own.tagName.toLowerCase()}${own.classList.length ? `.${[...own.classList].join(".")}` : ""}`;
    const room = own.parentElement?.closest("[id]");
    return room && room !== own ? `#${room.id} ${name}` : name;
  };

  let scrolling = false, limits = new Map(); // whether the whole page scrolls up and down; of elements
  /** What a place within an element keeps of a box: by scrolling it may be `reach`ed, outside `cut` it is lost. */
  function limit(element) {
    if (!element || element === document.documentElement) {
      const far = 1e6, window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
      return { reach: scrolling ? { ...window_, left: -far, right: far } : { left: -far, top: -far, right: far, bottom: far }, cut: window_ };
    }
    if (limits.has(element)) return limits.get(element);
    const style = getComputedStyle(element), edge = inner(element), above = limit(style.position === "fixed" ? null : element.parentElement);
    const found = { reach: { ...above.reach }, cut: { ...above.cut } };
    for (const [axis, low, top] of [["overflowX", "left", "right"], ["overflowY", "top", "bottom"]]) {
      const kind = SCROLLS.test(style[axis]) ? found.reach : HIDES.test(style[axis]) && element !== document.body ? found.cut : null;
      if (kind) { kind[low] = Math.max(kind[low], edge[low]); kind[top] = Math.min(kind[top], edge[top]); }
    }
    limits.set(element, found);
    return found;
  }
  function parts(element, box) {
    const { reach, cut } = limit(element), kept = meet(plain(box), reach);
    return { reach: kept, left: meet(kept, cut) };
  }

  /** What stays while its surroundings scroll below it. */
  function sticky(element) {
    for (let own = element; own; own = own.parentElement) if (getComputedStyle(own).position === "sticky") return own;
    return null;
  }

  /** Whether words of a drawing are only the rim of those that follow. */
  function rims(element) {
    const next = element.nextElementSibling, same = name => element.getAttribute(name) === next.getAttribute(name);
    return element.matches("text[stroke]") && next?.matches("text") && next.textContent === element.textContent && same("x") && same("y");
  }

  const paper = document.createElement("canvas").getContext("2d");
  /** How many pixels a value lacks in its field. */
  function lacks(field) {
    const style = getComputedStyle(field), text = field.tagName === "SELECT" ? field.selectedOptions[0]?.text ?? "" : field.value || field.placeholder;
    paper.font = style.font;
    const number = field.type === "number" && style.appearance !== "textfield" ? 15 : 0, list = field.tagName === "SELECT" ? 16 : 0;
    return paper.measureText(text).width - (field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - number - list);
  }

  window.measurePage = () => {
    const found = [], boxes = [], say = (kind, element, what) => found.push([kind, where(element), what]);
    const root = document.querySelector("dialog[open]") || document.body;
    limits = new Map();
    scrolling = [document.documentElement, document.body].every(each => !HIDES.test(getComputedStyle(each).overflowY));
    if (document.documentElement.scrollWidth > innerWidth + EDGE) say("wide", document.body, `${document.documentElement.scrollWidth} px`);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.replace(/\s+/g, " ").trim(), element = node.parentElement;
      if (!text || element.closest("script, style, option, noscript, datalist, title") || !seen(element)) continue;
      if (rims(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = [...range.getClientRects()].filter(r => r.width > 0.5 && r.height > 0.5);
      if (!rects.length || rects.every(r => r.right <= 0)) continue; // for those who can't see
      if (NONE.test(text)) say("none", element, text);
      const lines = rects.map(r => ({ left: r.left, right: r.right, top: r.top + 0.16 * r.height, bottom: r.bottom - 0.16 * r.height }));
      let cut = false;
      for (const line of lines) {
        const { reach, left } = parts(element, line);
        if (empty(reach)) continue;
        if (wide(left) < wide(reach) - EDGE || high(left) < high(reach) - EDGE) cut = true;
        if (!empty(left)) boxes.push({ element, text, box: left, word: true, sticky: sticky(element) });
      }
      const dotted = element.closest("[title]"); // cut with dots, and told whole to who points at it
      if (cut && !(dotted && [element, element.parentElement].some(each => getComputedStyle(each).textOverflow === "ellipsis"))) say("cut", element, text);
    }
    for (const control of root.querySelectorAll("button, select, input, textarea, a[href], canvas.plot")) {
      if (!seen(control)) continue;
      const box = control.getBoundingClientRect();
      if (box.right <= 0 || box.width < 1) continue;
      const { reach, left } = parts(control.parentElement, box), name = control.getAttribute("aria-label") || control.textContent.trim() || control.tagName;
      if (empty(reach)) continue;
      if (wide(left) < wide(reach) - EDGE || high(left) < high(reach) - EDGE) say("cut", control, name);
      if (!empty(left)) boxes.push({ element: control, text: name, box: left, sticky: sticky(control) });
      const typed = control.matches("select, input:not([type=range], [type=checkbox], [type=radio], [type=color], [type=file])");
      if (typed && lacks(control) > 1) say("cut", control, `${name}: ${control.value}`);
      if (typed && NONE.test(control.value)) say("none", control, control.value);
    }
    const told = new Set();
    for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
      const a = boxes[i], b = boxes[j], both = meet(a.box, b.box);
      if (wide(both) < 2 || high(both) < Math.max(2, 0.2 * Math.min(high(a.box), high(b.box)))) continue;
      if (a.element === b.element || a.element.contains(b.element) || b.element.contains(a.element)) continue;
      if (!(a.word && b.word) && a.element.closest("#keyboard") && b.element.closest("#keyboard")) continue; // black keys lie over white ones
      const over = [a, b].some((one, k) => { // one lies on a layer that hides all of the other
        const other = [b, a][k], layer = one.element.closest(LAYERS);
        if (one.sticky && !one.sticky.contains(other.element)) return true;
        if (!layer || layer.contains(other.element)) return false;
        const edge = layer.getBoundingClientRect();
        return layer.matches("dialog, .note, [role=dialog], .menu") || edge.left <= other.box.left + EDGE && edge.right >= other.box.right - EDGE && edge.top <= other.box.top + EDGE && edge.bottom >= other.box.bottom - EDGE;
      });
      const key = `${where(a.element)} ${a.text} ${b.text}`;
      if (over || told.has(key)) continue;
      told.add(key);
      say("overlap", a.element, `${a.text.slice(0, 40)} × ${where(b.element)} ${b.text.slice(0, 40)}`);
    }
    for (const canvas of root.querySelectorAll("canvas")) {
      const { texts = [] } = batches.get(canvas) || {}, ratio = canvas.width / Math.max(canvas.clientWidth, 1) || 1;
      if (!seen(canvas)) continue;
      texts.forEach((a, i) => {
        if (NONE.test(a.text)) say("none", canvas, a.text);
        const inside = meet(a, { left: 0, top: 0, right: canvas.width, bottom: canvas.height });
        if (!empty(inside) && (wide(inside) < wide(a) - EDGE * ratio || high(inside) < high(a) - EDGE * ratio)) say("cut", canvas, a.text);
        for (const b of texts.slice(i + 1)) {
          const both = meet(a, b);
          if (wide(both) > 2 * ratio && high(both) > 2 * ratio) say("overlap", canvas, `${a.text} × ${b.text}`);
        }
      });
    }
    const view = document.getElementById("view");
    if (view?.querySelector(".stage")) {
      const box = view.getBoundingClientRect();
      if (box.width < 300 || box.height < 200) say("small", view, `${box.width.toFixed(0)} × ${box.height.toFixed(0)} px`);
      for (const side of document.querySelectorAll("aside")) if (seen(side) && !empty(meet(box, side.getBoundingClientRect()))) say("hidden", side, "lies over the mechanism");
    }
    return found;
  };
})();
