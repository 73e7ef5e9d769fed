// What the browser keeps for this page, and for its tab. In a frame, as in a notebook, many browsers keep nothing and refuse even
// the question; then it is kept as long as the page is open.
function offered(name) {
  const here = new Map();
  const forgetful = { getItem: key => here.get(key) ?? null, setItem: (key, value) => { here.set(key, String(value)); } };
  try { return window[name] ?? forgetful; } catch { return forgetful; }
}

export const storage = offered("localStorage"), session = offered("sessionStorage");
