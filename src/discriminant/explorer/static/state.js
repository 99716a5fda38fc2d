// The one store of the page: points with undo and redo, the procedures in their slots, time. A view says which kinds
// of change it draws; changes are gathered and every view concerned is drawn once in the next animation frame.

/** @typedef {{x: [number, number][], y: number[], classes: string[], features: string[]}} Points */
/** @typedef {[number[] | null, number | [number, number], number | null, number[] | null, number | null]} Step  weights,
 *   pattern corrected or a pair of them, η(k), weights just before where that is not the step before, factor c of a(k+1) = a(k) + c yᵏ */
/** @typedef {{head: Object, steps: Step[]}} Recording */
/** @typedef {{procedure: string, parameters: Object, recording: Recording | null, busy: boolean, fresh: boolean,
 *   error: string, parameter: string | null}} Slot */
/** @typedef {"points" | "selection" | "problem" | "recording" | "step" | "verdict" | "view" | "theme" | "note" |
 *   "catalog"} Kind */

const NAMES = ["ω₁", "ω₂", "ω₃", "ω₄", "ω₅", "ω₆"];
export const MOST_RACERS = 4;
const KEPT = 200; // steps of undo

/** @returns {Points} */
export const noPoints = () => ({ x: [], y: [], classes: NAMES.slice(0, 2), features: ["x₁", "x₂"] });

/** @returns {Slot} */
export const newSlot = (procedure, parameters = {}) =>
  ({ procedure, parameters, recording: null, busy: false, fresh: true, error: "", parameter: null });

export class Store {
  constructor() {
    this.catalog = null;
    this.replay = false;
    this.points = noPoints();
    this.title = "";
    this.past = [];
    this.future = [];
    this.chosen = 0;
    this.selected = -1;
    this.oneFeature = false;
    this.seed = 0;
    /** @type {Slot[]} */
    this.slots = [newSlot("perceptron")];
    this.step = 0;
    this.between = 1; // how far the boundary has moved from step - 1 to step, while playing
    this.playing = false;
    this.wanted = null; // the step to go to when the run of a restored state has come
    this.box = null; // what the plane shows, in the units of the features; null until it is fitted to the points
    this.moved = false; // whether the user has panned or zoomed
    this.verdict = null;
    this.proof = true;
    this.note = "";
    this.fault = false; // true, or "run" where a run that goes well takes it back
    this.listeners = [];
    this.changed = new Set();
  }

  /** @param {string} kinds separated by spaces @param {() => void} draw */
  on(kinds, draw) {
    this.listeners.push([new Set(kinds.split(" ")), draw]);
  }

  /** @param {...Kind} kinds */
  change(...kinds) {
    if (this.changed.size === 0) requestAnimationFrame(() => this.flush());
    for (const kind of kinds) this.changed.add(kind);
  }

  flush() {
    const kinds = [...this.changed];
    this.changed.clear();
    for (const [wanted, draw] of this.listeners) if (kinds.some((kind) => wanted.has(kind))) draw();
  }

  /** New points; `fresh` marks the begin of a change that Undo takes back as one, and with it the `view` of then. */
  edit(points, fresh = true, view = null) {
    if (fresh) {
      this.past = [...this.past.slice(1 - KEPT), { points: this.points, view }];
      this.future = [];
    }
    this.points = points;
    if (this.selected >= points.x.length) this.selected = -1;
    if (this.chosen >= points.classes.length) this.chosen = 0;
    this.verdict = points.x.length ? this.verdict : null;
    this.tell("");
    this.change("points", "selection");
  }

  undo() {
    this.exchange(this.past, this.future);
  }

  redo() {
    this.exchange(this.future, this.past);
  }

  /** Goes back to the last of `from`; what was there is put onto `to`. Other points altogether come with their view. */
  exchange(from, to) {
    if (from.length === 0) return;
    const { points, view } = from.pop();
    to.push({ points: this.points, view: view && this.view() });
    if (view) this.show(view);
    this.edit(points, false);
  }

  /** What is seen of the points, and how they are used; a view that nobody has moved is fitted anew. */
  view() {
    const { title, oneFeature, moved } = this;
    return { title, oneFeature, moved, box: moved ? this.box : null };
  }

  show(view) {
    Object.assign(this, view);
    for (const slot of this.slots) slot.fresh = true;
    this.change("view");
  }

  /** @param {[number, number]} at */
  place(at) {
    const { x, y } = this.points;
    this.edit({ ...this.points, x: [...x, at], y: [...y, this.chosen] });
    this.select(x.length);
  }

  /** @param {[number, number]} at @param {boolean} fresh false while the same drag goes on */
  move(row, at, fresh) {
    this.edit({ ...this.points, x: this.points.x.with(row, at) }, fresh);
  }

  remove(row) {
    const { x, y } = this.points;
    this.edit({ ...this.points, x: x.toSpliced(row, 1), y: y.toSpliced(row, 1) });
    this.select(-1);
  }

  /** Other points altogether: time starts anew. @param {Points} points */
  load(points, title, oneFeature = this.oneFeature) {
    const before = this.view();
    this.wanted = null;
    this.show({ title, oneFeature, moved: false, box: null });
    this.edit(points, this.points.x.length > 0, before);
    this.select(-1);
  }

  addClass() {
    const { classes } = this.points;
    const name = NAMES.find((candidate) => !classes.includes(candidate)) ?? `class ${classes.length + 1}`;
    this.points = { ...this.points, classes: [...classes, name] };
    this.chosen = classes.length;
    this.change("selection");
  }

  select(row) {
    this.selected = row;
    this.change("selection");
  }

  /** What the status line says besides the step. */
  tell(note, fault = false) {
    this.note = note;
    this.fault = fault;
    this.change("note");
  }

  /** Steps of the longest recording. */
  get length() {
    return Math.max(0, ...this.slots.map((slot) => slot.recording?.head.n_steps ?? 0));
  }

  /** The present step of a slot: the shorter run waits at its end. */
  stepOf(slot) {
    return Math.min(this.step, slot.recording?.head.n_steps ?? 0);
  }

  go(step) {
    this.step = Math.max(0, Math.min(step, this.length));
    this.between = 1;
    this.change("step");
  }
}

const found = new WeakMap();

/** The classes that have points, by index; found once for an array, which a drag leaves as it is. @param {Points} points */
export function present({ y }) {
  if (!found.has(y)) found.set(y, [...new Set(y)].sort((a, b) => a - b));
  return found.get(y);
}
