// Measures in a page, whosever it is: from the time stamp of a pointer's move until a picture with its
// consequence is finished. `seen` says whether the picture just drawn has it; asked after every frame callback,
// after one pixel was read back, so that the picture is complete and not only ordered.
(() => {
  const contexts = [], measured = [];
  const made = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    const found = made.call(this, kind, options);
    if (found && !contexts.includes(found)) contexts.push(found);
    return found;
  };
  const view = () => contexts.filter(c => c.canvas.isConnected && c.canvas.clientWidth > 100)
    .sort((a, b) => b.canvas.width * b.canvas.height - a.canvas.width * a.canvas.height)[0];
  /** One pixel of the view at a place of the page. */
  const pixel = (x, y) => {
    const context = view();
    if (!context) return null;
    const box = context.canvas.getBoundingClientRect(), { width, height } = context.canvas;
    const [u, v] = [Math.round((x - box.left) / box.width * width), Math.round((y - box.top) / box.height * height)];
    if (context.getImageData) return [...context.getImageData(u, v, 1, 1).data];
    const data = new Uint8Array(4), bound = context.getParameter(context.FRAMEBUFFER_BINDING);
    context.bindFramebuffer(context.FRAMEBUFFER, null);
    context.readPixels(u, height - v, 1, 1, context.RGBA, context.UNSIGNED_BYTE, data);
    context.bindFramebuffer(context.FRAMEBUFFER, bound);
    return [...data];
  };
  const peeks = []; // asked for in the next frame: a drawing buffer is lost after it
  let waiting = null;
  const asked = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = callback => asked(now => {
    callback(now);
    for (const [x, y, done] of peeks.splice(0)) done(pixel(x, y));
    if (!waiting || waiting.moved === null) return;
    const shown = pixel(waiting.x, waiting.y);
    if (waiting.seen(shown)) { measured.push(performance.now() - waiting.moved); waiting = null; }
  });
  addEventListener("pointermove", e => { if (waiting && waiting.moved === null) Object.assign(waiting, { moved: e.timeStamp, x: e.clientX, y: e.clientY }); }, true);
  /** The next move is measured; `seen` gets the pixel under the pointer. */
  window.touchbackMeasure = { next: seen => { waiting = { moved: null, seen }; }, done: () => waiting === null, measured, peek: (x, y) => new Promise(done => peeks.push([x, y, done])) };
})();
