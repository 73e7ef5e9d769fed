// Short films of the gallery's mechanisms, drawn while they are on the screen. `python docs/make_play.py films` makes them from runs:
// marks with corners [x, y, …] in tenths of a unit, of every frame or, for what stands still, of one.
const TENTH = 10;

export class Films {
  constructor() {
    this.playing = new Set();
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.watch = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.playing.add(target); else this.playing.delete(target);
      }
      this.run();
    });
    this.frames = 0; // drawn so far
  }

  async load() { this.films = await (await fetch("/play/zoo_films.json")).json(); }

  /** A canvas that shows the film of a mechanism; none where there is none. */
  canvas(name) {
    const film = this.films?.[name];
    if (!film) return null;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * film.width, 2 * film.height];
    canvas.setAttribute("aria-hidden", "true");
    canvas.film = film;
    this.paint(canvas, 0);
    this.watch.observe(canvas);
    return canvas;
  }

  run() {
    if (this.asked || !this.playing.size || this.still) return;
    this.asked = true;
    requestAnimationFrame(now => {
      this.asked = false;
      for (const canvas of this.playing) this.paint(canvas, now / 1000);
      this.run();
    });
  }

  paint(canvas, time) {
    const { film } = canvas, { count, seconds } = film, place = Math.floor(time / seconds * count) % count;
    if (canvas.place === place) return;
    canvas.place = place;
    this.frames++;
    const paper = canvas.getContext("2d");
    paper.setTransform(2, 0, 0, 2, 0, 0);
    paper.clearRect(0, 0, film.width, film.height);
    paper.lineJoin = paper.lineCap = "round";
    for (const { stroke, width, fill, opacity, radius, frames } of film.marks) {
      const points = frames[frames.length === 1 ? 0 : place];
      paper.beginPath();
      if (radius) paper.arc(points[0] / TENTH, points[1] / TENTH, radius, 0, 2 * Math.PI);
      else for (let i = 0; i < points.length; i += 2) paper.lineTo(points[i] / TENTH, points[i + 1] / TENTH);
      paper.globalAlpha = opacity;
      if (fill) { paper.closePath(); paper.fillStyle = fill; paper.fill(); paper.globalAlpha = 1; }
      if (stroke) { paper.lineWidth = width; paper.strokeStyle = stroke; paper.stroke(); }
      paper.globalAlpha = 1;
    }
  }
}
