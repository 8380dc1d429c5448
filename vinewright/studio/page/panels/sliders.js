/** Sliders of errors: standard deviations, and the range of friction. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { state } from "../store.js";
import { keyWords, numberWords, unitWords } from "./words.js";

/** @typedef {import("../types.js").Known["errorKeys"][number]} ErrorKey */
/** @typedef {number | [number, number]} Value */
/** @typedef {import("../types.js").LearntError} LearntError */
/** @typedef {{row: HTMLElement, show: (value: Value | undefined) => void}} Plain */
/** @typedef {Plain & {showLearnt: (errors: readonly LearntError[], isUsed: boolean) => void}} Slider */

const STEPS = 1000;
const FIELD = 5; // a slider reaches so many times the value of the roughest preset
/** Names that say more than their keys. @type {Record<string, string>} */
const NAMES = {
  obstacle_percent: "Obstacle size and position", start_position_mm: "Base position", start_heading_deg: "Base heading", pressure_kpa: "Pressures",
  pressure_percent: "Pressures", cell_mm: "Cell lengths", cell_common_mm: "All cells together", cell_percent: "Cells and actuators", friction: "Friction",
  curvature_percent: "Curvature of sections", growth_pressure_kpa: "Growth pressure", moment_percent: "Restoring moment", contact_percent: "Compliance of contacts",
};

/** The largest value of a slider: a multiple of what the roughest preset has. */
function reachOf(/** @type {ErrorKey} */ { name, most }) {
  const values = state.known.errors.flatMap(({ numbers }) => numbers[name] ?? []);
  return Math.min(most, values.length ? FIELD * Math.max(...values) : most / 10);
}

/** A slider with a number, and with what was learnt of errors of its kind. @returns {Slider} */
export function errorSlider(/** @type {ErrorKey} */ key, /** @type {(value: Value) => void} */ change) {
  const { row, show } = key.name === "friction" ? rangeSlider(key, change) : plainSlider(key, change);
  const learnt = el("ul", { class: "learnt", "aria-label": `Learnt of ${NAMES[key.name] ?? keyWords(key.name)}`, hidden: true });
  row.append(learnt);
  return {
    row, show,
    showLearnt: (errors, isUsed) => {
      learnt.hidden = !errors.length;
      learnt.replaceChildren(...errors.map((one) => el("li", {}, `${one.error}: `, el("b", {}, learntWords(one)), isUsed ? ", used" : ", learnt")));
    },
  };
}

/** Mean and standard deviation of an error, with as many digits as the latter tells. */
function learntWords(/** @type {LearntError} */ { mean, deviation, unit }) {
  const digits = deviation > 0 ? Math.min(Math.max(1 - Math.floor(Math.log10(deviation)), 0), 4) : 2;
  const sign = unit && mean > 0 ? "+" : "";
  return `${sign}${mean.toFixed(digits)} ± ${deviation.toFixed(digits)} ${unitWords(unit)}`.trim();
}

/** @returns {Plain} */
function plainSlider(/** @type {ErrorKey} */ key, /** @type {(value: Value) => void} */ change) {
  let number = 0;
  const label = NAMES[key.name] ?? keyWords(key.name);
  const apply = (/** @type {number} */ value) => {
    show(value);
    change(value);
  };
  const field = numberField({
    id: `error-${key.name}`, label, unit: unitWords(key.unit), title: `${key.meaning} (${key.name})`, min: 0, max: key.most, digits: 6,
    value: () => number, apply, clear: () => apply(0),
  });
  const slider = sliderOf(key, label, apply);
  function show(/** @type {Value | undefined} */ value) {
    number = typeof value === "number" ? value : 0;
    field.reset();
    slider.show(number);
  }
  return { row: el("div", { class: "slider", "data-error": key.name }, field.element, slider.input), show };
}

/** Two sliders for the least and the greatest value, one of which pushes the other. @returns {Plain} */
function rangeSlider(/** @type {ErrorKey} */ key, /** @type {(value: Value) => void} */ change) {
  /** @type {[number, number]} */
  let pair = [0, 0];
  const text = el("output", { class: "pair" });
  const ends = [0, 1].map((end) =>
    sliderOf(key, `${NAMES[key.name]}, ${end ? "greatest" : "least"}`, (value) => {
      pair = end ? [Math.min(pair[0], value), value] : [value, Math.max(pair[1], value)];
      showPair();
      change(pair);
    }),
  );
  ends.forEach(({ input }, end) => (input.id = `error-${key.name}-${end ? "most" : "least"}`));
  function showPair() {
    text.textContent = `${numberWords(pair[0], 3)} to ${numberWords(pair[1], 3)}`;
    ends.forEach((slider, end) => slider.show(pair[end]));
  }
  function show(/** @type {Value | undefined} */ value) {
    pair = Array.isArray(value) ? value : [0, 0];
    showPair();
  }
  const head = el("div", { class: "number" }, el("span", { title: `${key.meaning} (${key.name})` }, NAMES[key.name]), text, el("span"));
  return { row: el("div", { class: "slider", "data-error": key.name }, head, ...ends.map(({ input }) => input)), show };
}

/** A slider whose small values have more room: the value grows with the square of the way. */
function sliderOf(/** @type {ErrorKey} */ key, /** @type {string} */ name, /** @type {(value: number) => void} */ change) {
  const reach = reachOf(key);
  const input = el("input", {
    type: "range", id: `error-${key.name}-slider`, min: 0, max: STEPS, step: 1, "aria-label": name,
    oninput: () => {
      const value = Number((reach * (input.valueAsNumber / STEPS) ** 2).toPrecision(2));
      speak(value);
      change(value);
    },
  });
  const speak = (/** @type {number} */ value) => input.setAttribute("aria-valuetext", `${numberWords(value, 3)} ${unitWords(key.unit)}`.trim());
  const show = (/** @type {number} */ value) => {
    // While the slider is moved it stays where it is.
    const at = Math.round(STEPS * Math.sqrt(Math.min(value / reach, 1)));
    if (Number((reach * (input.valueAsNumber / STEPS) ** 2).toPrecision(2)) !== value) input.value = String(at);
    speak(value);
  };
  return { input, show };
}
