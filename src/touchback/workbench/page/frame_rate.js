// As many frames a second as this browser can draw: fewer are asked for while it is behind, so that it stays quick to touch.
const STEPS = [[25, 60], [50, 30], [Infinity, 15]]; // up to so many ms behind: frames a second
const OFTEN = 1000; // ms between decisions

export function adaptFrameRate(bench) {
  let behind = 0, rate = 60;
  bench.on("open", () => { rate = 60; bench.send({ do: "watch", poses: rate }).catch(() => {}); });
  bench.on("poses", () => {
    const came = performance.now();
    requestAnimationFrame(() => { behind += 0.1 * (performance.now() - came - behind); });
  });
  setInterval(() => {
    const wanted = STEPS.find(([most]) => behind <= most)[1];
    if (wanted === rate || document.hidden) return;
    rate = wanted;
    bench.send({ do: "watch", poses: rate }).catch(() => {});
  }, OFTEN);
}
