// Wires the page: one store, one transport (the socket of the server, or the recordings in this file), the views.

import { byId } from "./dom.js";
import { Store, newSlot } from "./state.js";
import { openFile, openSocket } from "./transport.js";
import { Runner } from "./runner.js";
import { Plane } from "./plane.js";
import { handle } from "./pointer.js";
import { controlsView } from "./controls.js";
import { curveView } from "./curve.js";
import { dataView } from "./data.js";
import { lessonView } from "./lesson.js";
import { decoded, hasState } from "./link.js";
import { marginsView } from "./margins.js";
import { numbersView } from "./numbers.js";
import { playerView } from "./player.js";
import { raceView } from "./race.js";
import { takeawayView } from "./takeaway.js";
import { verdictView } from "./verdict.js";
import { weightsView } from "./weights.js";

const FIRST = "table-1-2"; // two classes of the book's table: they can be separated, and it takes a while

const file = byId("recording");
const token = new URLSearchParams(location.search).get("token") ?? "";
const store = new Store();
const { recordings = null, verdict = null } = file ? JSON.parse(file.textContent) : {};
if (recordings) {
  store.replay = true;
  store.verdict = verdict;
  store.points = recordings[0].head.points;
  store.oneFeature = recordings[0].head.one_feature;
  store.slots = recordings.map(({ head }) => newSlot(head.procedure ?? head.title, head.parameters));
  for (const live of document.querySelectorAll("[data-live]")) live.hidden = true;
  for (const proof of document.querySelectorAll("[data-proof]")) proof.hidden = !verdict;
  byId("plane-keys").textContent = "Drag to pan, turn the wheel or press + and − to zoom, 0 to see all points.";
  document.body.classList.add("replay");
  document.title = `${recordings[0].head.title}: a replay`;
}

const runner = new Runner(store, recordings ? openFile(recordings) : openSocket(location.href, token));
const planes = [new Plane(byId("plane"), store, 0)];
const drawPlanes = () => planes.forEach((plane) => plane.draw());
const race = raceView(store, runner, planes);

/** Brings a state (of a link, of a lesson, of the command line) onto the page. */
function restore(state) {
  store.seed = state.seed ?? 0;
  const others = (state.race ?? []).map(({ procedure, parameters }) => newSlot(procedure, parameters ?? {}));
  store.load(state.points, state.title ?? "", Boolean(state.one_feature));
  store.wanted = state.step ?? null;
  race([newSlot(state.procedure ?? store.slots[0].procedure, state.parameters ?? {}), ...others]);
}

store.on("points selection recording step verdict view theme", drawPlanes);
byId("fit").addEventListener("click", () => planes[0].fit());
handle(planes[0], store);
numbersView(byId("numbers"), store);
curveView(byId("curve"), byId("curve-caption"), store);
marginsView(byId("margins"), byId("margins-least"), store);
weightsView(byId("weights"), store);
verdictView(byId("verdict"), store);
playerView(store);
takeawayView(store, runner, planes);
if (recordings) {
  race(store.slots);
} else {
  controlsView(store, runner);
  const showDataset = dataView(store, runner, token);
  lessonView(store, restore);
  const follow = async (otherwise) => {
    const state = await decoded(location.hash, store.catalog);
    if (state) return restore(state);
    await otherwise();
    if (hasState(location.hash)) store.tell("this link is broken; copy the whole of it", true);
  };
  store.on("catalog", () => follow(() => (store.catalog.start ? restore(store.catalog.start) : showDataset(FIRST))));
  window.addEventListener("hashchange", () => store.catalog && follow(() => {}));
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => store.change("theme"));
store.change("points", "recording", "step", "selection");
