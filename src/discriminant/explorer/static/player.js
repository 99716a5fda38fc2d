// Time: play, pause, one step forward or back, rewind, a slider over all corrections, and the status line that tells
// in words what the present step did.

import { byId, counted, plural, write } from "./dom.js";
import { correctedRows, numberOf, unitOf, weightsAt, wrong } from "./machine.js";
import { present } from "./state.js";

const SMOOTH = 10; // steps a second up to which the boundary glides from step to step
const pace = (speed) => 0.5 * 10 ** (speed / 25); // the slider's 0 to 75 are 0.5 to 500 steps a second

/** What happened at the present step, in words. @param {import("./state.js").Store} store */
function told(store) {
  const slot = store.slots[0];
  const recording = slot?.recording;
  if (!store.catalog && !store.replay) return "connecting";
  if (!store.points.x.length) return "click on the plane to place points, or choose a data set";
  if (present(store.points).length < 2) return "place points of two classes";
  if (slot.error) return slot.error;
  if (!recording || slot.fresh) return "at work";
  const { head } = recording;
  const step = store.stepOf(slot);
  const atEnd = step === head.n_steps && head.n_steps > 0;
  const seen = wrong(recording, step, weightsAt(recording, step), store.points)?.filter(Boolean).length;
  const bad = head.maps && atEnd ? head.final.errors : seen; // the cells of a map are coarse
  const errors = bad === undefined ? "nothing decided yet" : `${bad} wrong`;
  if (atEnd) return `${errors}. ${head.final.sentence}`;
  const rows = correctedRows(recording, step).map((row) => `row ${row}, class ${head.points.classes[head.points.y[row]]}`);
  const made = rows.length ? `corrected by ${rows.join(", and ")}; ${errors}` : errors;
  if (!head.thinned) return made;
  const [k, all] = [step, head.n_steps].map((at) => counted(numberOf(head, at)));
  return `${made}; ${unitOf(head)} ${k} of ${all}, of which ${counted(head.n_steps)} are shown`;
}

/** @param {import("./state.js").Store} store */
export function playerView(store) {
  const [play, status, slider, speed] = [byId("play"), byId("status"), byId("step"), byId("speed")];
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let position = 0;
  let last = 0;

  function frame(now) {
    if (!store.playing) return;
    const rate = pace(speed.valueAsNumber);
    if (store.step !== Math.ceil(position)) position = store.step; // a new run has moved time
    position = Math.min(store.length, position + (rate * (now - last)) / 1000);
    last = now;
    store.step = Math.ceil(position);
    const gone = position - Math.floor(position) || 1;
    store.between = still.matches || rate > SMOOTH ? 1 : Math.min(1, gone * 1.8);
    if (position >= store.length) stop();
    else requestAnimationFrame(frame);
    store.change("step");
  }
  function start() {
    if (store.step >= store.length) store.go(0);
    store.playing = true;
    position = store.step;
    last = performance.now();
    store.tell("");
    store.change("step");
    requestAnimationFrame(frame);
  }
  function stop() {
    store.playing = false;
    store.between = 1;
    store.change("step");
  }
  const to = (step) => {
    stop();
    store.tell("");
    store.go(step);
  };
  play.addEventListener("click", () => (store.playing ? stop() : start()));
  byId("forward").addEventListener("click", () => to(store.step + 1));
  byId("back").addEventListener("click", () => to(store.step - 1));
  byId("rewind").addEventListener("click", () => to(0));
  slider.addEventListener("input", () => to(slider.valueAsNumber));
  const sayPace = () => {
    const rate = pace(speed.valueAsNumber);
    speed.setAttribute("aria-valuetext", `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} steps a second`);
  };
  speed.addEventListener("input", sayPace);
  sayPace();

  store.on("recording step note points problem", () => {
    const n = store.length;
    if (store.playing && n === 0) stop();
    write(play, store.playing ? "Pause" : "Play");
    play.classList.toggle("playing", store.playing);
    play.disabled = n === 0;
    byId("forward").disabled = store.step >= n;
    byId("back").disabled = byId("rewind").disabled = store.step <= 0;
    slider.disabled = n === 0;
    slider.max = n;
    slider.value = store.step;
    slider.setAttribute("aria-valuetext", `step ${counted(store.step)} of ${counted(n)}`);
    status.setAttribute("aria-live", store.playing ? "off" : "polite"); // nobody wants every step of a film read out
    status.classList.toggle("fault", store.fault);
    write(status, `step ${counted(store.step)} of ${counted(n)} · ${store.note || told(store)}`);
    write(byId("size"), plural(store.points.x.length, "point"));
  });
}
