// What the browser keeps for this page, and for its tab. In a frame, as in a notebook, many browsers keep nothing and refuse even
// the question; a full one refuses what is new. Then it is kept as long as the page is open.
function offered(name) {
  const here = new Map(), asked = () => { try { return window[name]; } catch { return null; } }, there = asked();
  return {
    getItem: key => here.get(key) ?? there?.getItem(key) ?? null,
    setItem(key, value) {
      here.delete(key);
      try { if (there) { there.setItem(key, value); return; } } catch { say("The browser keeps nothing more for this page: it is full. What changes now is kept until the page closes."); }
      here.set(key, String(value));
    } };
}

export const storage = offered("localStorage"), session = offered("sessionStorage");

let tell = null;
const untold = [];

/** Who shows a text to the person, as soon as there is somebody. */
export function tellBy(show) {
  tell = show;
  for (const text of untold.splice(0)) tell(text);
}

function say(text) { if (tell) tell(text); else if (!untold.includes(text)) untold.push(text); }

/** Plain data that was kept under a key, `other` where there is none. What isn't as it should be, by `isRight`, is forgotten: by another version,
 *  or by a page that shared the address. */
export function kept(key, other, isRight, where = storage) {
  const text = where.getItem(key);
  if (text === null) return other;
  try {
    const found = JSON.parse(text);
    if (isRight(found)) return found;
  } catch {} // no JSON: the same as the wrong shape
  where.setItem(key, JSON.stringify(other));
  say(`What the browser kept as '${key}' can't be read, and was forgotten.`);
  return other;
}

export const isRecord = (x, isEach = () => true) => x !== null && typeof x === "object" && !Array.isArray(x) && Object.values(x).every(isEach);
export const isList = (x, isEach) => Array.isArray(x) && x.every(isEach);
/** Values by their names, as sliders have them. */
export const isValues = x => isRecord(x, each => each === null || Number.isFinite(each)); // JSON has no infinity
