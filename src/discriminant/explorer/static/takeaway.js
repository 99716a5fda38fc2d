// What one can take home: the Python that reproduces the run, the points, the picture (sharp, painted or moving), a
// link that holds the state, and one HTML file that replays the run without a server.

import { byId, download, element } from "./dom.js";
import { encodeGif } from "./gif.js";
import { encoded } from "./link.js";
import { theme } from "./look.js";
import { paint, svgDocument, svgText } from "./render.js";

const MOST_FRAMES = 60;
const GIF_WIDTH = 480;

/** @param {import("./state.js").Points} points */
export function csv({ x, y, classes, features }) {
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const width = features[1] === "" ? 1 : 2; // a replay of one feature has no name for a second
  const rows = x.map((at, i) => [...at.slice(0, width).map(String), cell(classes[y[i]])].join(","));
  return `${[...features.slice(0, width).map(cell), "class"].join(",")}\n${rows.join("\n")}\n`;
}

/** Copies text; where the browser refuses, a dialog shows it selected. */
async function copy(text, store, what, more = "") {
  try {
    await navigator.clipboard.writeText(text);
    store.tell(`${what} is on the clipboard${more}`);
  } catch {
    const area = byId("copy-text");
    area.value = text;
    byId("copy-dialog").showModal();
    area.select();
  }
}

/** Where each plane of a race goes in one picture: two beside each other. */
const places = (planes) => planes.map((plane, i) => {
  const { width, height } = planes[0].size;
  return { plane, x: (i % 2) * (width + 12), y: Math.floor(i / 2) * (height + 12) };
});

function extent(planes) {
  const { width, height } = planes[0].size;
  return [planes.length > 1 ? 2 * width + 12 : width, planes.length > 2 ? 2 * height + 12 : height];
}

/** The names of the procedures in the corners of their planes; a picture of one needs none. */
function names(planes, store) {
  const { ink, paper } = theme();
  return places(planes).slice(planes.length > 1 ? 0 : 1).map(({ plane, x, y }) => ({
    text: store.slots[plane.index].recording?.head.title ?? "",
    at: [x + plane.size.width - 10, y + 20], anchor: "end", size: 14, weight: 600, fill: ink, halo: paper,
  }));
}

function svgOf(planes, store) {
  const step = (plane) => store.stepOf(store.slots[plane.index]);
  if (planes.length === 1) return planes[0].svg(step(planes[0]));
  const parts = places(planes).map(({ plane, x, y }) => plane.svg(step(plane)).replace("<svg ", `<svg x="${x}" y="${y}" `));
  const colors = theme();
  const body = parts.join("") + svgText(names(planes, store));
  return svgDocument(...extent(planes), body, colors.paper, colors.font);
}

/** All planes on one canvas at a step. */
function paintedOf(planes, store, step, ratio) {
  const [width, height] = extent(planes);
  const canvas = element("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = theme().paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const { plane, x, y } of places(planes)) {
    const own = Math.min(step, store.slots[plane.index].recording?.head.n_steps ?? 0);
    context.drawImage(plane.painted(own, ratio), Math.round(x * ratio), Math.round(y * ratio));
  }
  context.scale(ratio, ratio);
  paint(context, names(planes, store));
  return canvas;
}

/** A film of the run; a breath between frames keeps the page alive. */
async function film(planes, store) {
  const n = store.length;
  const count = Math.min(n, MOST_FRAMES);
  const steps = Array.from({ length: count + 1 }, (_, i) => Math.round((i * n) / Math.max(1, count)));
  const ratio = Math.min(1, GIF_WIDTH / extent(planes)[0]);
  const frames = [];
  for (const step of steps) {
    const canvas = paintedOf(planes, store, step, ratio);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    frames.push({ pixels, delay: step === n ? 200 : n > 30 ? 12 : 50 });
    store.tell(`GIF: frame ${frames.length} of ${steps.length}`);
    await new Promise((resume) => setTimeout(resume));
  }
  return encodeGif(frames);
}

/**
 * @param {import("./state.js").Store} store @param {import("./runner.js").Runner} runner
 * @param {import("./plane.js").Plane[]} planes
 */
export function takeawayView(store, runner, planes) {
  const name = () => `discriminant-${store.slots[0].procedure}`;
  const on = (id, action) => byId(id).addEventListener("click", action);
  const sources = () => store.slots.map((slot) => slot.recording?.head.python ?? "").filter(Boolean).join("\n\n");

  on("copy-python", () => copy(sources(), store, "the Python"));
  on("download-csv", () => download("points.csv", csv(store.points), "text/csv"));
  on("download-svg", () => download(`${name()}.svg`, svgOf(planes, store), "image/svg+xml"));
  on("download-png", () => {
    paintedOf(planes, store, store.step, 2).toBlob((blob) => download(`${name()}.png`, blob, "image/png"));
  });
  on("download-gif", async (event) => {
    event.target.disabled = true;
    const bytes = await film(planes, store);
    download(`${name()}.gif`, bytes, "image/gif");
    event.target.disabled = false;
    store.tell(`the GIF is saved, ${Math.ceil(bytes.length / 1000)} kB`);
  });
  on("download-page", async () => {
    const slots = store.slots.flatMap((slot, index) => (slot.recording ? [index] : []));
    const { html } = await runner.fetch("page", { type: "page", slots });
    download(`${name()}.html`, html, "text/html");
    store.tell("the page is saved; it replays the run without a server");
  });
  on("share-link", async () => {
    history.replaceState(null, "", await encoded(store));
    const later = "it opens while the explorer runs; later: discriminant explore 'LINK'";
    copy(location.href, store, "the link", `; ${later}`);
  });
  on("copy-close", () => byId("copy-dialog").close());

  store.on("recording points", () => {
    const none = store.slots[0].recording === null;
    for (const id of ["copy-python", "download-gif", "download-page"]) byId(id).disabled = none;
    byId("download-csv").disabled = store.points.x.length === 0;
  });
}

