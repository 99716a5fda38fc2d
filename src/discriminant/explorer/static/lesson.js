// A lesson: eight scenes from the books. Each brings its points and its procedure, says one paragraph, asks one
// question, and keeps the answer until it is asked for.

import { byId } from "./dom.js";

/** @param {import("./state.js").Store} store @param {(state: Object) => void} restore brings a state onto the page */
export function lessonView(store, restore) {
  const [panel, button, answer] = [byId("lesson"), byId("lesson-button"), byId("lesson-answer")];
  let scene = 0;

  function show(index) {
    const { lessons } = store.catalog;
    scene = Math.max(0, Math.min(index, lessons.length - 1));
    const found = lessons[scene];
    byId("lesson-count").textContent = `Scene ${scene + 1} of ${lessons.length}`;
    byId("lesson-title").textContent = found.title;
    byId("lesson-paragraph").textContent = found.paragraph;
    byId("lesson-question").textContent = found.question;
    byId("lesson-reply").textContent = found.answer;
    answer.open = false;
    byId("previous-scene").disabled = scene === 0;
    byId("next-scene").disabled = scene === lessons.length - 1;
    restore({ ...found, step: null });
  }
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (panel.hidden) return;
    show(scene);
    byId("lesson-title").focus();
  });
  byId("previous-scene").addEventListener("click", () => show(scene - 1));
  byId("next-scene").addEventListener("click", () => show(scene + 1));
  store.on("catalog", () => {
    button.disabled = !store.catalog.lessons.length;
  });
}
