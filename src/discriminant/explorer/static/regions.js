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
    return { d: polyline(outline, true), fill: faded(theme.classes[judge.owner[r]], theme.tint) };
  });
}

/** Regions given cell by cell (kernels, networks), tinted. */
function mapImage({ width, height, cells }, theme) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const tints = theme.classes.map((color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
  cells.forEach((own, at) => {
    const row = height - 1 - Math.floor(at / width);
    if (tints[own]) image.data.set([...tints[own], 255 * theme.tint], 4 * (row * width + (at % width)));
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Where two classes meet between the centers of four cells (marching squares), in cells from the lower left. */
function contour({ width, height, cells }) {
  const segments = [];
  for (let row = 0; row + 1 < height; row += 1) {
    for (let column = 0; column + 1 < width; column += 1) {
      const at = row * width + column;
      const around = [cells[at], cells[at + 1], cells[at + width + 1], cells[at + width]];
      const middles = [[1, 0.5], [1.5, 1], [1, 1.5], [0.5, 1]].map(([x, y]) => [column + x, row + y]);
      const crossed = middles.filter((_, side) => around[side] !== around[(side + 1) % 4]);
      if (crossed.length === 2) segments.push(crossed);
      else for (const end of crossed) segments.push([end, [column + 1, row + 1]]);
    }
  }
  return segments;
}

const contours = new WeakMap();

/** The curved boundaries of a map. */
export function contourShapes(map, frame, theme) {
  if (!contours.has(map.cells)) contours.set(map.cells, contour(map));
  const [x0, x1, y0, y1] = map.box;
  const pixel = ([u, v]) => [frame.X(x0 + (u * (x1 - x0)) / map.width), frame.Y(y0 + (v * (y1 - y0)) / map.height)];
  const d = contours.get(map.cells).map((segment) => polyline(segment.map(pixel))).join("");
  return d ? [{ d, stroke: theme.ink, width: 2.2 }] : [];
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

const stamps = new Map();

/** A marker as pixels: where each is from the center, and its color. */
function stamp(own, isWrong, theme, ratio, stride) {
  const key = [own, isWrong, theme.ink, ratio, stride].join();
  if (stamps.has(key)) return stamps.get(key);
  const size = 2 * Math.ceil(6 * ratio) + 1;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.setTransform(0.7 * ratio, 0, 0, 0.7 * ratio, size / 2, size / 2);
  const outline = new Path2D(MARKERS[own]);
  context.fillStyle = theme.classes[own];
  context.fill(outline);
  context.lineWidth = isWrong ? 2 : 1;
  context.strokeStyle = isWrong ? theme.ink : theme.paper;
  context.stroke(outline);
  const pixels = new Uint32Array(context.getImageData(0, 0, size, size).data.buffer);
  const places = [...pixels.keys()].filter((at) => pixels[at] >>> 24 > 100);
  const half = (size - 1) / 2;
  const offsets = Int32Array.from(places, (at) => (Math.floor(at / size) - half) * stride + (at % size) - half);
  const made = { half, offsets, colors: Uint32Array.from(places, (at) => pixels[at]) };
  stamps.set(key, made);
  return made;
}

/** Many points (null is none), stamped pixel by pixel: 5,000 take 2 ms, where as many calls of a canvas take 50. */
export function paintPoints(context, points, bad, frame, theme, ratio) {
  const { width, height } = context.canvas;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const looks = points.classes.map((_, own) => [false, true].map((isWrong) => stamp(own, isWrong, theme, ratio, width)));
  for (let i = 0; i < points.x.length; i += 1) {
    if (!points.x[i]) continue;
    const { half, offsets, colors } = looks[points.y[i]][bad?.[i] ? 1 : 0];
    const [x, y] = [Math.round(frame.X(points.x[i][0]) * ratio), Math.round(frame.Y(points.x[i][1]) * ratio)];
    if (x < half || y < half || x >= width - half || y >= height - half) continue;
    const center = y * width + x;
    for (let k = 0; k < offsets.length; k += 1) pixels[center + offsets[k]] = colors[k];
  }
  context.putImageData(image, 0, 0);
}
