// The whole state in a link: points, procedures, parameters, seed and step, deflated and written in the alphabet of
// URLs after the #, so that it never leaves the browser unless its reader sends it.

import { MOST_RACERS } from "./state.js";

const PREFIX = "#s=";
const MOST_BYTES = 2e6; // of a state: a short link can unfold to anything

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MOST_BYTES) throw new RangeError(`a state of more than ${MOST_BYTES} bytes`);
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** @param {import("./state.js").Store} store @returns {Promise<string>} the part of the link from the # on */
export async function encoded(store) {
  const [first, ...others] = store.slots.map(({ procedure, parameters }) => ({ procedure, parameters }));
  const state = {
    v: 1, points: store.points, title: store.title, ...first, race: others.length ? others : null,
    seed: store.seed, one_feature: store.oneFeature, step: store.step,
  };
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const areTexts = (value, low, high) =>
  Array.isArray(value) && value.length >= low && value.length <= high && value.every((text) => typeof text === "string");

/** @param {Object} points @param {{points: number, classes: number}} limits */
function arePoints({ x, y, classes, features }, limits) {
  const isPair = (at) => Array.isArray(at) && at.length === 2 && at.every(Number.isFinite);
  return areTexts(classes, 1, limits.classes) && areTexts(features, 2, 2) && Array.isArray(x) && Array.isArray(y) &&
    x.length === y.length && x.length <= limits.points && x.every(isPair) &&
    y.every((own) => isCount(own) && own < classes.length);
}

/** Whether a page can show this state; a link may have been cut short or written by anybody. */
function isState(state, { procedures, limits }) {
  const { points, race, seed, step, title } = state;
  const isRun = ({ procedure, parameters }) =>
    procedures.some(({ name }) => name === procedure) && isObject(parameters);
  return state.v === 1 && isObject(points) && arePoints(points, limits) && isRun(state) &&
    (race === null || (Array.isArray(race) && race.length < MOST_RACERS && race.every(isObject) && race.every(isRun))) &&
    isCount(seed) && isCount(step) && typeof title === "string" && typeof state.one_feature === "boolean";
}

export const hasState = (hash) => hash.startsWith(PREFIX);

/**
 * @param {string} hash @param {Object} catalog what the server knows
 * @returns {Promise<Object | null>} null where the link holds no state that can be shown
 */
export async function decoded(hash, catalog) {
  if (!hasState(hash)) return null;
  try {
    const letters = atob(hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
    return isObject(state) && isState(state, catalog) ? state : null;
  } catch {
    return null;
  }
}
