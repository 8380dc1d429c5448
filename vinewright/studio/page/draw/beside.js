/** Everything that belongs to a drawing and is not in its file: its picture, its groups and locks, the options of plans, and the run that is shown. */

import { get } from "../api.js";
import { stateOfRun } from "../panels/shown.js";
import { state } from "../store.js";
import { statesOf } from "./object_states.js";
import { withSource } from "./pictures.js";

/** @typedef {import("../types.js").Background} Background */
/** @typedef {import("../types.js").Beside} Beside */
/** @typedef {import("../types.js").RunView} RunView */
/** @typedef {import("../types.js").State} State */

/** What belongs to the drawing now, as it is kept. @returns {Beside} */
export function besideNow() {
  const { doc, background, options, run, design } = state;
  return { background: background && withoutSource(background), objects: statesOf(doc), options, run: run?.name ?? null, design };
}

/** The state that shows what was kept with a drawing. A picture or a run that is gone is not shown; options are else those of the run. @returns {Promise<Partial<State>>} */
export async function stateBeside(/** @type {Partial<Beside> | null | undefined} */ kept) {
  const { run: name, design } = kept ?? {};
  const background = await withSource(kept?.background);
  const missing = kept?.background && !background ? { message: "The picture beneath this drawing is not kept any more." } : {};
  const run = name ? await fetchRun(name).catch(() => null) : null;
  const options = kept?.options ?? run?.again;
  return { background, ...missing, ...(options ? { options } : {}), ...(run ? { ...stateOfRun(run), design: designIn(run, design) } : {}) };
}

/** @returns {import("../types.js").KeptBackground} */
function withoutSource(/** @type {Background} */ { src: _, ...kept }) {
  return kept;
}

function designIn(/** @type {RunView} */ { designs }, /** @type {string | undefined} */ wanted) {
  return designs.find(({ id }) => id === wanted)?.id ?? "best";
}

/** Fetch a run. @returns {Promise<RunView>} */
export function fetchRun(/** @type {string} */ name) {
  return get(`/api/runs/${encodeURIComponent(name)}`);
}
