/**
 * The drawing of this tab, kept for when the page is loaded again: the server may remember the drawing of another tab. The server keeps
 * each drawing on disk, under an id that it has from when it is begun or opened.
 */

import { store, loadStored } from "../kept.js";
import { restoreHistory, set, state, storedHistory, subscribe } from "../store.js";
import { besideNow } from "./beside.js";
import { withSource } from "./pictures.js";
import { contentOf, originsOf } from "./shapes.js";

/** @typedef {import("../types.js").Opened} Opened */
/** @typedef {import("../types.js").Tube} Tube */
/** @typedef {ReturnType<typeof storedHistory>} History */

const KEY = "drawing";
const LEFT = "left"; // key of what is kept only when the page is left
const LOCK_MS = 1000; // after which a drawing counts as that of another tab
const MOST_STEPS = 100; // of undo that are kept
const MOST_CHARACTERS = 2e6; // of them, of the 5 million that a storage takes

/** Keep the drawing as it is now, for the page at the present address. */
export function keepDrawing() {
  const { doc, text, saved, file, opened, tube, id } = state;
  store(KEY, { content: contentOf(doc), origins: originsOf(doc), text, saved, file, name: opened, tube, id, beside: besideNow() });
}

/** Keep the drawing, the steps of undo, the open panel and the unit when the page is left. */
export function keepAll() {
  keepDrawing();
  const { panel, unit } = state;
  let steps = MOST_STEPS;
  let history = storedHistory(steps);
  while (steps && JSON.stringify(history).length > MOST_CHARACTERS) {
    steps = Math.floor(steps / 2);
    history = storedHistory(steps);
  }
  store(LEFT, { history, panel, unit });
}

/**
 * Take the steps of undo, the panel and the unit that were kept, once: without what followed, they would not be of the drawing. Returns
 * a function that restores them; the pictures of the steps are fetched before.
 */
export async function takeKept() {
  const left = loadStored(LEFT);
  store(LEFT, null);
  if (!left) return () => {};
  const { past, future } = /** @type {History} */ (left.history);
  for (const entry of [...past, ...future]) entry.background = await withSource(entry.background);
  return () => {
    restoreHistory({ past, future });
    set({ panel: left.panel, unit: left.unit });
  };
}

/** Give the drawing an id of its own if another tab has it: a tab that is duplicated has all that the first one kept. */
export function mountKeeping() {
  let claimed = "";
  let release = () => {};
  subscribe(["id"], async () => {
    const { id } = state;
    if (!id || id === claimed || !navigator.locks) return; // only pages of this machine, or encrypted ones, have locks
    release();
    claimed = id;
    const held = new Promise((done) => (release = () => done(null)));
    try {
      // A page that is loaded again gives its lock back while the next one begins.
      await navigator.locks.request(`drawing ${id}`, { signal: AbortSignal.timeout(LOCK_MS) }, () => held);
    } catch {
      if (state.id === id) set({ id: newDrawingId(), message: "Another tab has this drawing: here is a copy of it." });
    }
  });
}

/** A new id of a drawing. */
export function newDrawingId() {
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The drawing that was kept; null if there is none. @returns {(Opened & {tube: Tube | null}) | null} */
export function keptDrawing() {
  return loadStored(KEY);
}
