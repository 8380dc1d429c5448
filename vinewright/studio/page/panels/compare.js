/** Comparison of the run that is shown with another one: their numbers side by side. Both tubes are on the drawing. */

import { attempt } from "../api.js";
import { fetchRun } from "../draw/beside.js";
import { el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { environmentText } from "./obstacles.js";
import { dashSwatch, swatch, table } from "./parts.js";
import { chosenDesign, shownSuccess } from "./shown.js";
import { actuatorsWords, errorsWords, lengthWords, numberWords, secondsWords, successShort } from "./words.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").RunView} RunView */
/** @typedef {import("../types.js").Success} Success */

/** Dash of the tube that is compared [px]. */
export const COMPARED_DASH = [7, 4];

/** Compare the run that is shown with another one. */
export function compareWith(/** @type {string} */ name) {
  const { id } = state;
  return attempt(async () => {
    const compared = await fetchRun(name);
    if (state.id !== id || !state.run) return;
    set({ compared, panel: "plan" });
    document.getElementById("comparison")?.scrollIntoView({ block: "nearest" });
  });
}

/** The design of the other run that is compared: the one to make. */
export function comparedDesign() {
  return state.compared?.designs[0] ?? null;
}

/** The table, kept up to date. */
export function comparisonPart() {
  const part = el("section", { id: "comparison", "aria-label": "Comparison of two runs" });
  subscribe(["compared", "run", "design", "trials"], () => {
    const { run, compared } = state;
    const [design, other] = [chosenDesign(), comparedDesign()];
    part.hidden = !run || !compared || !design || !other;
    if (!run || !compared || !design || !other) return part.replaceChildren();
    const rows = rowsOf([run, design, shownSuccess()], [compared, other, other.success]);
    const made = table(`${run.name} and ${compared.name}`, ["", run.name, compared.name], rows);
    const close = el("button", { type: "button", id: "comparison-close", onclick: () => set({ compared: null }) }, "End the comparison");
    const isOther = environmentText(run.content) !== environmentText(compared.content);
    const legend = el(
      "ul", { class: "legend", "aria-label": "Tubes" },
      el("li", {}, swatch("main-tube"), run.name), el("li", {}, dashSwatch("other", COMPARED_DASH), compared.name),
    );
    const note = isOther && el("p", { class: "quiet small" }, `${compared.name} was planned in another drawing.`);
    return part.replaceChildren(
      el("h2", {}, "Comparison"), legend, made, note || "", close,
    );
  });
  return part;
}

/** @typedef {[RunView, Design, Success | null]} Side */

/** Rows of the table; numbers that differ are marked. */
function rowsOf(/** @type {Side} */ one, /** @type {Side} */ other) {
  return FACTS.map(([name, words]) => {
    const [first, second] = [words(...one), words(...other)];
    const cell = (/** @type {string} */ text) => el("span", { class: first === second ? null : "differs" }, text);
    return [name, cell(first), cell(second)];
  });
}

/** @type {[string, (run: RunView, design: Design, success: Success | null) => string][]} */
const FACTS = [
  ["Design", (_, { title }) => title],
  ["Actuators", (_, { actuators }) => actuatorsWords(actuators)],
  ["Length", (_, { length }) => lengthWords(length)],
  ["Success", (_, __, success) => (success ? successShort(success) : "no trials")],
  ["Trials", (_, __, success) => (success ? `${success.trials}, ${errorsWords(success.errors)}` : "none")],
  ["As planned", (_, { missed }) => missed || "reaches the goal"],
  ["After a jump", (_, { jumps }) => (jumps ? "yes" : "no")],
  ["Tube diameter", (_, { radius }) => `${numberWords(2 * radius)} mm`],
  ["Solutions", ({ designs }) => String(designs.length - 1)],
  ["First solution", ({ facts }) => `${numberWords(facts.first_s, 2)} s`],
  ["Search", ({ facts }) => `${secondsWords(facts.seconds)}, ${facts.iterations} iterations`],
  ["Time allowed", ({ options }) => (options.iterations ? `${options.iterations} iterations` : `${options.time_budget_s} s`)],
  ["Wanted success", ({ options }) => (options.fast ? "search only" : `${options.success ?? 90} %`)],
  ["Seed", ({ options }) => String(options.seed)],
  ["Model", ({ options }) => String(options.propagator)],
];
