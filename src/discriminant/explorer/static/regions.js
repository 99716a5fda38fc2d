// The regions of the classes, and very many points: what is too much for SVG is painted on a canvas.

import { faded, MARKERS } from "./look.js";
import { corners, clipped } from "./geometry.js";
import { polyline } from "./render.js";
import { minus } from "./machine.js";

/** @typedef {{box: import("./geometry.js").Box, width: number, height: number, X: Function, Y: Function}} Frame */

/** Where the class of each discriminant wins: convex polygons, in pixels. */
export function regionShapes(judge, frame, theme) {
  if (!judge) return [];
  return judge.lines.map((line, r) => {
    const others = judge.lines.filter((_, s) => s !== r).map((other) => minus(line, other));
    const polygon = others.reduce((kept, side) => (kept.length ? clipped(kept, side) : kept), corners(frame.box));
    const outline = polygon.map(([x, y]) => [frame.X(x), frame.Y(y)]);
    return { d: outline.length > 2 ? polyline(outline, true) : "M0 0", fill: faded(theme.classes[judge.owner[r]], theme.tint) };
  });
}

/** Regions given cell by cell (kernels, networks): tinted, with a line of ink where two classes meet. */
export function mapImage(map, theme) {
  const { width, height, cells } = map;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const channels = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const tints = theme.classes.map(channels);
  const ink = channels(theme.ink);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column;
      const edge = (column + 1 < width && cells[at + 1] !== cells[at]) || (row + 1 < height && cells[at + width] !== cells[at]);
      const color = edge ? ink : (tints[cells[at]] ?? null);
      const pixel = 4 * ((height - 1 - row) * width + column);
      if (color) image.data.set([...color, 255 * (edge ? 0.75 : theme.tint * 1.3)], pixel);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const images = new WeakMap();

/** The image of a map, made once for each theme, and its place in pixels. */
export function placedMap(map, frame, theme) {
  const key = theme.ink;
  if (images.get(map.cells)?.key !== key) images.set(map.cells, { key, canvas: mapImage(map, theme) });
  const [x0, x1, y0, y1] = map.box;
  const [left, top] = [frame.X(x0), frame.Y(y1)];
  return { canvas: images.get(map.cells).canvas, left, top, width: frame.X(x1) - left, height: frame.Y(y0) - top };
}

const sprites = new Map();

/** A marker painted once; copying it is far cheaper than painting it 5,000 times. */
function sprite(own, isWrong, theme, ratio) {
  const key = [own, isWrong, theme.ink, ratio].join();
  if (!sprites.has(key)) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil(16 * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 8 * ratio, 8 * ratio);
    context.scale(0.7, 0.7);
    const outline = new Path2D(MARKERS[own]);
    context.fillStyle = theme.classes[own];
    context.fill(outline);
    context.lineWidth = isWrong ? 2 : 1;
    context.strokeStyle = isWrong ? theme.ink : theme.paper;
    context.stroke(outline);
    sprites.set(key, canvas);
  }
  return sprites.get(key);
}

/** Many points, in pixels of the context. */
export function paintPoints(context, points, bad, frame, theme, ratio) {
  const { box } = frame;
  const looks = points.classes.map((_, own) => [false, true].map((isWrong) => sprite(own, isWrong, theme, ratio)));
  for (let i = 0; i < points.x.length; i += 1) {
    const [x, y] = points.x[i];
    if (x < box.x0 || x > box.x1 || y < box.y0 || y > box.y1) continue;
    context.drawImage(looks[points.y[i]][bad?.[i] ? 1 : 0], frame.X(x) - 8, frame.Y(y) - 8, 16, 16);
  }
}
