/** The state of the page: one object, changed only through `set` and `edit`. */

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Background} Background */
/** @typedef {import("./types.js").Doc} Doc */
/** @typedef {import("./types.js").PlanState} PlanState */

/** An empty drawing. @type {Doc} */
export const EMPTY = {
  name: "bench",
  description: "",
  tube: null,
  bounds: { min: [0, 0], max: [1500, 1000], edge: "open", stacked: false },
  start: { position: [150, 500], heading_deg: 0, mount: "free" },
  goal: { position: [1350, 500], radius: 60 },
  shapes: [],
  ends: "flat",
  friction: null,
};

/** @type {PlanState} */
export const IDLE = {
  phase: "idle", seconds: 0, left: 0, iterations: 0, nodes: 0, message: "", best: null, success: null, run: null, front: [],
  drawing: null, name: "",
};

/** @type {State} */
export const state = {
  doc: EMPTY, id: "", text: "", opened: "", file: null, saved: "", selection: new Set(), tool: "select",
  view: { x: 750, y: 500, scale: 0.5 }, unit: "mm", snap: true, check: null, tube: null, background: null, panel: "draw",
  options: null, plan: IDLE, run: null, design: "best", other: null, growths: [], time: Infinity, trials: null, pack: null,
  compared: null, built: null, learning: null, adapting: null, message: "",
  known: { version: "", environments: [], tubes: [], tubeKeys: [], errors: [], errorKeys: [], propagators: [], planOptions: {} },
};

/** @type {{keys: (keyof State)[], listener: () => void}[]} */
const subscribers = [];
/** @type {Set<keyof State>} */
const changed = new Set();

/** Call a listener once now, and after every change of one of the keys. Changes of one event are gathered. */
export function subscribe(/** @type {(keyof State)[]} */ keys, /** @type {() => void} */ listener) {
  subscribers.push({ keys, listener });
  listener();
}

/** Change a part of the state. */
export function set(/** @type {Partial<State>} */ changes) {
  const before = changed.size;
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(changes))) {
    if (state[key] !== changes[key]) changed.add(key);
  }
  Object.assign(state, changes);
  if (!before && changed.size) queueMicrotask(notify);
}

function notify() {
  const keys = new Set(changed);
  changed.clear();
  for (const one of subscribers) if (one.keys.some((key) => keys.has(key))) one.listener();
}

/** @typedef {{doc: Doc, background: Background | null, selection: ReadonlySet<number | string>}} HistoryEntry */
/** @type {HistoryEntry[]} */
let past = [];
/** @type {HistoryEntry[]} */
let future = [];
/** @type {string | null} */
let merging = null;

/**
 * Change the drawing; undo takes it back.
 * @param {(doc: Doc) => Doc} change
 * @param {string | null} merge consecutive edits with the same word, as in a drag, are one step of undo
 */
export function edit(change, merge = null) {
  const doc = change(state.doc);
  if (doc !== state.doc) record({ doc }, merge);
}

/**
 * Change the picture beneath the drawing; undo takes it back, in turn with the edits of the drawing.
 * @param {Background | null} background
 * @param {string | null} merge as in `edit`
 */
export function editBackground(background, merge = null) {
  if (background !== state.background) record({ background }, merge);
}

function record(/** @type {Partial<HistoryEntry>} */ changes, /** @type {string | null} */ merge) {
  if (!merge || merge !== merging) past.push(present());
  merging = merge;
  future = [];
  set(changes);
}

/** @returns {HistoryEntry} */
function present() {
  const { doc, background, selection } = state;
  return { doc, background, selection };
}

/**
 * Note the drawing, and the picture beneath it, before a gesture. The function that is returned goes back to both, as if there had
 * been no edit since: what could be redone can be redone again, and what was cancelled cannot.
 */
export function beginGesture() {
  const [doc, background, entries, count, redoable, word] = [state.doc, state.background, past, past.length, future, merging];
  return () => {
    if (past !== entries) return; // another drawing was opened meanwhile
    past.length = count;
    future = redoable;
    merging = word;
    set({ doc, background });
  };
}

/** Replace the drawing by a drawing that was opened, with an empty history. */
export function open(/** @type {Partial<State>} */ changes) {
  past = [];
  future = [];
  merging = null;
  set({ selection: new Set(), check: null, ...changes });
}

/** Take back the last edit; returns whether there was one. */
export function undo() {
  return step(past, future);
}

/** Make the last edit again that was taken back; returns whether there was one. */
export function redo() {
  return step(future, past);
}

/** Number of steps that undo and redo can take. */
export function steps() {
  return { undo: past.length, redo: future.length };
}

/** The last steps of undo and redo, as values for a storage: the addresses of pictures are of this page only. */
export function storedHistory(/** @type {number} */ most) {
  const stored = (/** @type {HistoryEntry[]} */ entries) =>
    entries.slice(-most).map(({ doc, background, selection }) => {
      return { doc, background: background && { ...background, src: "" }, selection: [...selection] };
    });
  return { past: stored(past), future: stored(future) };
}

/** Set the steps of undo and redo from a storage; new shapes and groups get ids that none of them has. */
export function restoreHistory(/** @type {ReturnType<typeof storedHistory>} */ stored) {
  const restored = (/** @type {typeof stored.past} */ entries) =>
    entries.map(({ doc, background, selection }) => ({ doc, background, selection: new Set(selection) }));
  [past, future] = [restored(stored.past), restored(stored.future)];
  for (const { doc } of [...past, ...future]) for (const { id, group } of doc.shapes) last = Math.max(last, id, group ?? 0);
}

function step(/** @type {HistoryEntry[]} */ from, /** @type {HistoryEntry[]} */ to) {
  const entry = from.pop();
  if (!entry) return false;
  to.push(present());
  merging = null;
  set(entry);
  return true;
}

let last = 0;

/** A new id of a shape. */
export function newId() {
  last += 1;
  return last;
}
