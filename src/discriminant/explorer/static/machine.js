// What the weights of a recording say about a point. No procedure is computed here: weights come from the library,
// and the page only evaluates the discriminants g(x) = w₀ + wᵗx that it is given.

import { present } from "./state.js";

/** @typedef {[number, number, number]} Line  c + p x + q y */
/** @typedef {{lines: Line[], owner: number[]}} Machine  the class of the largest discriminant wins */

/**
 * One discriminant for two classes is read as two, 0 and g: then every machine is an argmax.
 * @param {Object} head of the recording @param {number[] | null} weights
 * @returns {Machine | null} null where there are no weights, or all of them are zero: nothing is decided yet
 */
export function machine(head, weights) {
  if (!weights || weights.every((w) => w === 0)) return null;
  const size = head.one_feature ? 2 : 3;
  const lines = [];
  for (let at = 0; at < weights.length; at += size) {
    lines.push([weights[at], weights[at + 1], head.one_feature ? 0 : weights[at + 2]]);
  }
  if (head.rows === 1) return { lines: [[0, 0, 0], lines[0]], owner: present(head.points) };
  return { lines, owner: head.row_class };
}

export const height = ([c, p, q], [x, y]) => c + p * x + q * y;
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const steepness = ([, p, q]) => Math.hypot(p, q);

/** The best line of one's own class and the best of the others at a point; called for every point in every frame. */
export function contenders({ lines, owner }, at, own) {
  let mine = -1;
  let other = -1;
  let high = -Infinity;
  let rival = -Infinity;
  for (let r = 0; r < lines.length; r += 1) {
    const g = lines[r][0] + lines[r][1] * at[0] + lines[r][2] * at[1];
    if (owner[r] === own) {
      if (g > high) {
        mine = r;
        high = g;
      }
    } else if (g > rival) {
      other = r;
      rival = g;
    }
  }
  return { mine, other, gap: high - rival };
}

/** By how much a point's own class wins: aᵗy for two classes; infinite where one of the two sides has no line. */
export const margin = (judge, at, own) => contenders(judge, at, own).gap;

/** The same of all points in units of the plane: signed distances from the boundary. */
export function distances(judge, { x, y }) {
  const steep = judge.lines.map((one) => judge.lines.map((two) => steepness(minus(one, two))));
  return x.map((at, i) => {
    const { mine, other, gap } = contenders(judge, at, y[i]);
    return gap / (steep[mine]?.[other] ?? 1);
  });
}

/**
 * Whether each point is on the wrong side; aᵗy = 0 counts as wrong, as in the book.
 * @returns {boolean[] | null} null where nothing is decided
 */
export function wrong(recording, step, weights, points) {
  if (!recording) return null;
  const map = mapAt(recording.head, step);
  if (map?.open) return null;
  if (map) return points.x.map((at, i) => map.classAt(at) !== points.y[i]);
  const judge = machine(recording.head, weights);
  return judge && points.x.map((at, i) => !(margin(judge, at, points.y[i]) > 0));
}

/** The weights of a step, or what lies between it and the one before while the boundary moves. */
export function weightsAt(recording, step, between = 1) {
  const now = recording.steps[step]?.[0] ?? null;
  const before = recording.steps[step - 1]?.[0];
  if (between >= 1 || !now || !before || before.every((w) => w === 0)) return now;
  return now.map((w, i) => before[i] + between * (w - before[i]));
}

/** How many corrections (of a network: epochs) have been made at a step; of a long run some steps are left out. */
export const numberOf = ({ numbers }, step) => numbers?.[step] ?? step;

/** What `numberOf` counts. */
export const unitOf = ({ batch, maps }) => (batch ? (maps ? "epoch" : "step") : "correction");

/** The weights that the correction of a step began with. */
export const weightsBefore = ({ steps }, step) => steps[step]?.[3] ?? steps[step - 1]?.[0] ?? null;

/** The patterns that a step corrected: one, two that were moved as a pair, or none that could be told. */
export const correctedRows = ({ steps }, step) => [steps[step]?.[1] ?? -1].flat().filter((row) => row >= 0);

/** Whether a step is no correction, but the answer that the procedure gives: an average, the best, a solution. */
export const isAnswer = (head, step) => Boolean(head.answer) && step === head.n_steps;

const OPEN = 255; // a cell that the discriminants leave undecided
const decoded = new WeakMap();

/** The regions of a machine without straight lines at a step: the last picture taken up to then. */
export function mapAt(head, step) {
  if (!head.maps) return null;
  if (!decoded.has(head)) decoded.set(head, new Map());
  const { box, width, height: tall, steps, values } = head.maps;
  const at = Math.max(0, steps.findLastIndex((k) => k <= step));
  const known = decoded.get(head);
  if (!known.has(at)) known.set(at, Uint8Array.from(atob(values[at]), (letter) => letter.charCodeAt(0)));
  const cells = known.get(at);
  const classAt = ([x, y]) => {
    const column = Math.min(width - 1, Math.max(0, Math.floor((width * (x - box[0])) / (box[1] - box[0]))));
    const row = Math.min(tall - 1, Math.max(0, Math.floor((tall * (y - box[2])) / (box[3] - box[2]))));
    return cells[row * width + column];
  };
  return { box, width, height: tall, cells, classAt, open: cells.every((own) => own === OPEN) };
}

/**
 * How the boundary moves at the pattern that was corrected: the displacement of the line g = 0 there, −Δg / ‖w‖
 * along w. With several discriminants it is the line between the one that rose and the one that fell.
 * @returns {[number, number] | null}
 */
export function movement(head, before, after, at) {
  const judge = machine(head, after);
  if (!judge || !before || !after) return null;
  const past = machine(head, before) ?? { lines: judge.lines.map(() => [0, 0, 0]) };
  const change = judge.lines.map((line, r) => height(minus(line, past.lines[r]), at));
  const up = change.indexOf(Math.max(...change));
  const down = change.indexOf(Math.min(...change));
  const normal = minus(judge.lines[up], judge.lines[down]);
  const square = steepness(normal) ** 2;
  if (up === down || square === 0) return null;
  const length = -(change[up] - change[down]) / square;
  return [length * normal[1], length * normal[2]];
}
