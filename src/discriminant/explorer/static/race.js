// A race: two to four procedures on the same points and seed, side by side on the same clock, with their counts. The
// first is the procedure chosen beside the plane, on the plane that can be edited.

import { byId, counted, element } from "./dom.js";
import { fillProcedures } from "./controls.js";
import { MOST_RACERS, newSlot } from "./state.js";
import { Plane } from "./plane.js";

const RIVALS = ["relaxation", "least-squares", "support-vector-machine", "ho-kashyap", "perceptron"];

/**
 * @param {import("./state.js").Store} store @param {import("./runner.js").Runner} runner
 * @param {Plane[]} planes the first is the plane itself; those of the race are added and taken away
 */
export function raceView(store, runner, planes) {
  const [host, button, add] = [byId("planes"), byId("race"), byId("add-racer")];
  const named = ({ procedure, recording }) =>
    recording?.head.title ?? store.catalog?.procedures.find(({ name }) => name === procedure)?.title ?? procedure;

  function rival() {
    const taken = store.slots.map((slot) => slot.procedure);
    const known = store.catalog.procedures.map((plan) => plan.name);
    return [...RIVALS, ...known].find((name) => known.includes(name) && !taken.includes(name)) ?? known[0];
  }

  function caption(index) {
    const slot = store.slots[index];
    if (store.replay) return element("div", { class: "racer" });
    const select = element("select", { "aria-label": `Contestant ${index + 1}` });
    fillProcedures(select, store.catalog.procedures, slot.procedure);
    select.addEventListener("change", () => {
      store.slots[index] = { ...newSlot(select.value), fresh: false };
      runner.run(index);
    });
    const out = () => {
      runner.cancel(index);
      set(store.slots.toSpliced(index, 1), index);
    };
    const leave = element("button", { type: "button", class: "quiet", click: out }, "×");
    leave.setAttribute("aria-label", `Remove contestant ${index + 1}`);
    return element("div", { class: "racer" }, select, leave);
  }

  /** Other racers: their planes are made anew; those without a recording run, and from `moved` on those that have got
   * another place, as the server keeps the recordings by their places. */
  function set(slots, moved = Infinity) {
    store.slots = slots;
    for (const plane of planes.splice(1)) {
      plane.close();
      plane.cell.remove();
    }
    for (let index = 1; index < slots.length; index += 1) {
      const surface = element("div", { class: "plane" });
      const heading = caption(index);
      const cell = element("div", { class: "cell" }, heading, surface);
      host.append(cell);
      const plane = new Plane(surface, store, index);
      [plane.cell, plane.caption] = [cell, heading];
      planes.push(plane);
      if (!slots[index].recording || index >= moved) runner.run(index);
    }
    host.classList.toggle("racing", slots.length > 1);
    button.setAttribute("aria-pressed", String(slots.length > 1));
    byId("race-panel").hidden = slots.length < 2;
    add.disabled = slots.length >= MOST_RACERS || store.replay;
    store.change("recording", "view", "problem");
  }

  button.addEventListener("click", () => {
    const racing = store.slots.length > 1;
    store.slots.slice(1).forEach((_, i) => runner.cancel(i + 1));
    set(racing ? store.slots.slice(0, 1) : [store.slots[0], newSlot(rival())]);
    if (racing) store.go(store.step);
  });
  add.addEventListener("click", () => set([...store.slots, newSlot(rival())]));

  store.on("recording step problem", () => {
    if (store.slots.length < 2) return;
    const rows = store.slots.map((slot) => {
      const final = slot.recording?.head.final;
      const counts = final && [final.corrections, final.iterations, final.errors].map(counted);
      const cells = final
        ? [...counts, final.status.toLowerCase().replaceAll("_", " ")]
        : ["–", "–", "–", slot.error || (slot.busy ? "at work" : "waiting")];
      return element("tr", {}, element("th", { scope: "row" }, named(slot)), ...cells.map((text) => element("td", {}, text)));
    });
    byId("race-rows").replaceChildren(...rows);
    byId("first-racer").textContent = named(store.slots[0]);
    if (store.replay) for (const plane of planes.slice(1)) plane.caption.textContent = named(store.slots[plane.index]);
  });
  return set;
}
