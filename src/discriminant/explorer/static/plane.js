// The plane: points, regions and boundary at the present step of one slot. Regions, and points beyond a few hundred,
// are painted on canvas; all that moves or must stay sharp is SVG. The same layers become the SVG, PNG and GIF files.

import { element, escaped } from "./dom.js";
import { fitted } from "./geometry.js";
import { theme } from "./look.js";
import { machine, mapAt, weightsAt, wrong } from "./machine.js";
import { contourShapes, paintPoints, placedMap, regionShapes } from "./regions.js";
import { paint, sharpened, svgDocument, svgText } from "./render.js";
import { axes, boundary, correction, framed, pointShapes, pointed, proof, supportRings } from "./scene.js";

const MOST_SVG_POINTS = 800; // more elements than this make a drag stutter

const svgElement = () => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("aria-hidden", "true");
  return made;
};

export class Plane {
  /** @param {HTMLElement} host @param {import("./state.js").Store} store @param {number} index of the slot */
  constructor(host, store, index) {
    [this.host, this.store, this.index] = [host, store, index];
    this.regions = element("canvas", { "aria-hidden": "true" });
    this.dots = element("canvas", { "aria-hidden": "true" });
    [this.below, this.above] = [svgElement(), svgElement()];
    host.prepend(this.regions, this.below, this.dots, this.above);
    this.cursor = null;
    this.drawn = {}; // what each layer shows
    this.size = { width: host.clientWidth, height: host.clientHeight };
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(host);
  }

  close() {
    this.watch.disconnect();
    this.host.remove();
  }

  resize() {
    const size = { width: this.host.clientWidth, height: this.host.clientHeight };
    if (size.width === 0) return;
    this.size = size;
    if (this.index === 0 && !this.store.moved) this.fit();
    this.draw();
  }

  /** The view that shows all points. */
  fit() {
    const { points, slots } = this.store;
    const shown = points.x.length ? points.x : (slots[0]?.recording?.head.points.x ?? []);
    this.store.box = fitted(shown, this.size.width / this.size.height);
    this.store.moved = false;
    this.store.change("view");
  }

  /** The present frame of this plane: how data become pixels. */
  frame() {
    this.store.box ??= fitted(this.store.points.x, this.size.width / this.size.height);
    return framed(this.store.box, this.size.width, this.size.height);
  }

  /** All that is to be drawn at a step, from the ground up. */
  layers(step, between = 1, editing = false) {
    const { store } = this;
    const { points, oneFeature } = store;
    const [frame, colors] = [this.frame(), theme()];
    const recording = store.slots[this.index]?.recording ?? null;
    const weights = recording ? weightsAt(recording, step, between) : null;
    const judge = recording ? machine(recording.head, weights) : null;
    const bad = wrong(recording, step, weights, points);
    const map = recording && mapAt(recording.head, step);
    const atEnd = recording && step === recording.head.n_steps;
    const separated = atEnd && bad && !bad.includes(true);
    const under = axes(frame, points.features, colors, oneFeature);
    if (store.proof && this.index === 0) under.push(...proof(store.verdict, points, frame, colors, oneFeature));
    under.push(...boundary(judge, frame, colors, points, recording?.head.level, separated));
    if (map) under.push(...contourShapes(map, frame, colors));
    const over = recording ? correction(recording, step, frame, colors) : [];
    if (atEnd) over.push(...supportRings(recording.head, frame, colors));
    if (editing) over.push(...pointed(points, store.selected, this.cursor, frame, colors));
    const regions = regionShapes(judge, frame, colors);
    return { frame, colors, points, bad, regions, map: map && placedMap(map, frame, colors), under, over };
  }

  draw() {
    const { width, height } = this.size;
    if (!width || !this.store.slots[this.index]) return;
    const ratio = window.devicePixelRatio || 1;
    const scene = this.layers(this.store.stepOf(this.store.slots[this.index]), this.store.between, this.index === 0);
    this.drawGround(scene, width, height, ratio);
    const under = svgText(scene.under);
    if (this.isNew("under", [under])) this.below.innerHTML = under;
    const many = scene.points.x.length > MOST_SVG_POINTS;
    this.drawDots(many, scene, width, height, ratio);
    const rows = many ? [this.store.selected].filter((row) => row >= 0) : undefined;
    const marks = pointShapes(scene.points, scene.bad, scene.frame, scene.colors, rows);
    this.above.innerHTML = svgText([...marks, ...scene.over]);
  }

  /** Whether a layer has to be drawn anew: something that it shows is not what it was. */
  isNew(layer, shown) {
    const before = this.drawn[layer];
    this.drawn[layer] = shown;
    return shown.length !== before?.length || shown.some((part, i) => part !== before[i]);
  }

  drawGround({ regions, map }, width, height, ratio) {
    const place = map ? [map.canvas, map.left, map.top, map.width, map.height] : [];
    if (!this.isNew("ground", [width, height, ratio, svgText(regions), ...place])) return;
    const ground = sharpened(this.regions, width, height, ratio);
    paint(ground, regions);
    paintMap(ground, map);
  }

  /** The points that are too many for SVG, but for the selected one: what a drag moves is drawn above them. */
  drawDots(many, { points, bad, frame, colors }, width, height, ratio) {
    const rest = points.x.map((at, row) => (row === this.store.selected ? null : at));
    const signs = bad?.map((isWrong, row) => isWrong && rest[row]) ?? [];
    const shown = many ? [width, height, ratio, colors, frame.box, points.y, ...rest, ...signs] : [];
    if (!this.isNew("dots", shown)) return;
    const dots = sharpened(this.dots, width, height, ratio);
    if (many) paintPoints(dots, { ...points, x: rest }, bad, frame, colors, ratio);
  }

  /** The picture as an SVG document. */
  svg(step) {
    const { width, height } = this.size;
    const { frame, colors, points, bad, regions, map, under, over } = this.layers(step);
    const image = map
      ? `<image href="${escaped(map.canvas.toDataURL())}" x="${map.left}" y="${map.top}" width="${map.width}" ` +
        `height="${map.height}" preserveAspectRatio="none"/>`
      : "";
    const body = svgText(regions) + image + svgText([...under, ...pointShapes(points, bad, frame, colors), ...over]);
    return svgDocument(width, height, body, colors.paper, colors.font);
  }

  /** The picture on a canvas of its own, `ratio` pixels for each of the screen's. */
  painted(step, ratio = 2) {
    const { width, height } = this.size;
    const canvas = element("canvas");
    const context = sharpened(canvas, width, height, ratio);
    const { frame, colors, points, bad, regions, map, under, over } = this.layers(step);
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, width, height);
    paint(context, regions);
    paintMap(context, map);
    paint(context, [...under, ...pointShapes(points, bad, frame, colors), ...over]);
    return canvas;
  }
}

function paintMap(context, map) {
  if (map) context.drawImage(map.canvas, map.left, map.top, map.width, map.height);
}
