// Asks the server and files its answers. Of each kind (the run of a slot, the verdict, the data) only the newest
// question counts; while one is under way the next waits a moment for it, so that a drag never piles up questions.

import { present } from "./state.js";

const PATIENCE = 2000; // ms until a newer question goes out although the older is not answered: the server ends that run

export class Runner {
  /** @param {import("./state.js").Store} store @param {import("./transport.js").Transport} transport */
  constructor(store, transport) {
    [this.store, this.transport] = [store, transport];
    this.jobs = new Map(); // kind → {id, at, again, timer, part, resolve}
    this.lastId = 0;
    transport.onmessage = (message) => this.receive(message);
    store.on("points", () => this.followPoints());
  }

  /** Sends a question of a kind now, or soon where one is under way. */
  ask(kind, make) {
    const job = this.jobs.get(kind);
    const age = job ? performance.now() - job.at : Infinity;
    if (age < PATIENCE) {
      clearTimeout(job.timer);
      job.again = make;
      job.timer = setTimeout(() => job === this.jobs.get(kind) && this.start(kind, make), PATIENCE - age);
    } else {
      this.start(kind, make);
    }
  }

  start(kind, make) {
    clearTimeout(this.jobs.get(kind)?.timer);
    const message = make();
    if (!message) return;
    this.lastId += 1;
    this.jobs.set(kind, { id: this.lastId, at: performance.now(), again: null, part: null });
    this.transport.send({ ...message, id: this.lastId });
  }

  /** The job is answered: the question that waited goes out. */
  finish(kind) {
    const job = this.jobs.get(kind);
    clearTimeout(job.timer);
    this.jobs.delete(kind);
    if (job.again) this.start(kind, job.again);
  }

  followPoints() {
    if (this.store.replay) return;
    if (this.store.points.x.length === 0) this.jobs.delete("verdict");
    else this.ask("verdict", () => ({ type: "verdict", points: this.store.points, one_feature: this.store.oneFeature }));
    this.store.slots.forEach((_, slot) => this.run(slot));
  }

  /** @param {number} index of the slot whose procedure, parameters or points changed */
  run(index) {
    const { store } = this;
    if (store.replay) return;
    const slot = store.slots[index];
    if (present(store.points).length < 2) {
      this.cancel(index);
      Object.assign(slot, { recording: null, busy: false, fresh: true, error: "", parameter: null });
      store.go(0);
      store.change("recording");
      return;
    }
    this.ask(`run ${index}`, () => {
      const now = store.slots[index];
      if (!now || present(store.points).length < 2) return null;
      now.busy = true;
      return {
        type: "run", slot: index, procedure: now.procedure, parameters: now.parameters,
        seed: store.seed, points: store.points, one_feature: store.oneFeature,
      };
    });
  }

  cancel(index) {
    const job = this.jobs.get(`run ${index}`);
    if (!job) return;
    clearTimeout(job.timer);
    this.jobs.delete(`run ${index}`);
    this.transport.send({ type: "cancel", id: job.id, slot: index });
  }

  /** A data set, a generator, a page: one answer each. @returns {Promise<Object>} */
  fetch(kind, message) {
    return new Promise((resolve) => {
      this.start(kind, () => message);
      this.jobs.get(kind).resolve = resolve;
    });
  }

  receive(message) {
    if (message.type === "welcome") return this.welcome(message);
    if (message.id === null) return this.store.tell(message.message, true);
    const kind = this.store.replay ? `run ${message.slot}` : [...this.jobs].find(([, job]) => job.id === message.id)?.[0];
    if (kind === undefined) return; // the answer to a question that has been asked anew
    if (this.store.replay && !this.jobs.has(kind)) this.jobs.set(kind, { id: message.id });
    this[`on_${message.type}`]?.(message, kind, this.jobs.get(kind));
  }

  welcome(catalog) {
    this.store.catalog = catalog;
    this.store.change("catalog");
  }

  on_waiting({ ahead }) {
    this.store.tell(`all workers are busy; ${ahead} ahead`);
  }

  on_progress({ seconds }) {
    this.store.tell(`at work for ${Math.round(seconds)} s`);
  }

  on_recording({ head }, kind, job) {
    job.part = { head, steps: [] };
  }

  on_frames({ steps, last }, kind, job) {
    job.part.steps.push(...steps);
    if (!last) return;
    const { store } = this;
    const slot = store.slots[Number(kind.slice(4))];
    if (slot?.fresh && job.again) return this.finish(kind); // of another procedure or other data: not wanted any more
    const atEnd = store.length > 0 && store.step >= store.length;
    if (slot) {
      Object.assign(slot, { recording: job.part, busy: false, error: "", parameter: null });
      this.place(slot, atEnd);
    }
    if (store.fault !== true) this.complain();
    store.change("recording", "problem");
    this.finish(kind);
  }

  /** Where time stands after a new recording: where a link says, at the answer of a direct procedure, or where it was. */
  place(slot, atEnd) {
    const { store } = this;
    const plan = store.catalog?.procedures.find(({ name }) => name === slot.procedure);
    const direct = plan ? !plan.iterative : slot.recording.head.n_steps < 2;
    const first = slot.fresh && slot === store.slots[0];
    slot.fresh = false;
    if (store.wanted !== null) store.go(store.wanted);
    else if (first) store.go(direct ? store.length : 0);
    else store.go(atEnd ? store.length : store.step);
    this.arrive();
  }

  /** All runs of a restored state have come, or will not come. */
  arrive() {
    const { slots } = this.store;
    const some = slots.some(({ recording }) => recording);
    if (some && slots.every(({ recording, error }) => recording || error)) this.store.wanted = null;
  }

  /** The status line tells of the first run that was refused, and of none when all is well again. */
  complain() {
    const refused = this.store.slots.find(({ error }) => error);
    this.store.tell(refused?.error ?? "", refused ? "run" : false);
  }

  on_verdict({ verdict }, kind) {
    this.store.verdict = verdict;
    this.store.change("verdict");
    this.finish(kind);
  }

  on_data(message, kind, job) {
    job.resolve(message);
    this.finish(kind);
  }

  on_page(message, kind, job) {
    job.resolve(message);
    this.finish(kind);
  }

  on_cancelled(message, kind) {
    this.finish(kind);
  }

  on_error({ message, parameter }, kind) {
    const { store } = this;
    const slot = kind.startsWith("run ") ? store.slots[Number(kind.slice(4))] : null;
    if (slot) this.refuse(slot, message, parameter);
    else if (kind === "verdict") store.verdict = { verdict: "none", headline: message };
    else store.tell(message, true);
    store.change("problem", "verdict");
    this.finish(kind);
  }

  /** Nothing is shown of what was not run; when it runs again, time goes on where it was. */
  refuse(slot, message, parameter) {
    const { store } = this;
    const atEnd = store.step >= store.length;
    if (slot.recording && !slot.fresh) store.wanted ??= atEnd ? Infinity : store.step;
    Object.assign(slot, { recording: null, busy: false, error: message, parameter });
    this.arrive();
    store.go(store.step);
    this.complain();
    store.change("recording");
  }
}
