/** The panel Trust: errors as a preset and sliders, trials as they come in, and what the design tolerates least. */

import { byId, el } from "../dom.js";
import { store, loadStored } from "../kept.js";
import { state, subscribe } from "../store.js";
import { adaptPart } from "./adapt.js";
import { builtOf } from "./built.js";
import { changedLine, countsLine, drawnLine, emptyNotice } from "./designs.js";
import { influencesPart } from "./influences.js";
import { setVisible, visible } from "./layers.js";
import { learnPart } from "./learn.js";
import { weakestPlace } from "./marklayer.js";
import { checkField, folded, optionsOf, selectField, setText, swatch } from "./parts.js";
import { chosenDesign, ownTrials, shownInfluences, shownSuccess, shownTrials } from "./shown.js";
import { errorSlider } from "./sliders.js";
import { countsOf, request, setSource, stopTrials, trySoon, whenRequested } from "./trials.js";
import { triedPart } from "./tried.js";
import { errorsWords, percent } from "./words.js";

/** @typedef {import("../types.js").Success} Success */
/** @typedef {import("../types.js").LearntError} LearntError */
/** @typedef {number | [number, number]} Value */

const USUAL = "workshop";
const NONE_STANDS_OUT = "no single error stands out"; // as in planner/design/estimate.py
const MAIN = [
  "obstacle_position_mm", "obstacle_size_mm", "start_position_mm", "start_heading_deg", "pressure_kpa", "cell_mm", "friction",
];
const KEY = "errors"; // of what the tab keeps
const chosen = { preset: USUAL, numbers: /** @type {Record<string, Value>} */ ({}), count: 200, learnt: false };
/** @type {Map<string, ReturnType<typeof errorSlider>>} */
const sliders = new Map();
/** Choices before the page was loaded again, for the trials that are then shown. @type {(typeof chosen & {run: string}) | null} */
let kept = loadStored(KEY);

const reset = el("button", { type: "button", id: "trust-reset", onclick: () => choosePreset(chosen.preset) }, "Reset to the preset");
const go = el("button", { type: "button", id: "trust-go", class: "wide", onclick: startOrStopTrials });

/** Fill the panel. */
export function mountTrust() {
  const preset = selectField("trust-preset", "Preset", [], choosePreset);
  const count = selectField("trust-count", "Trials", [["100", "100"], ["200", "200"], ["1000", "1000"]], (value) => {
    chosen.count = Number(value);
    trySoon();
  });
  count.select.value = String(chosen.count);
  const [main, more] = [el("div", { class: "fields" }), el("div", { class: "fields" })];
  const hint = el("p", { class: "quiet small" }, "Standard deviations of independent errors; friction is a range.");
  const cloud = checkField("trust-cloud", "Trials on the drawing", true, (on) => setVisible("cloud", on));
  const learn = learnPart({ errors: () => requestedErrors(false), accept: acceptLearnt });
  const content = el(
    "div", {}, changedLine("trust-changed"), resultPart(), cloud.row, drawnLine("trust"), builtPart(learn.element),
    el("h2", {}, "Errors"), preset.row, count.row, go, hint, main, folded("More errors", more), reset,
  );
  byId("panel-trust", HTMLElement).append(emptyNotice(content), content);
  setSource({ errors: () => requestedErrors(chosen.learnt), count: () => chosen.count });
  subscribe(["known"], () => {
    preset.select.replaceChildren(...optionsOf(state.known.errors.map(({ name }) => [name, name])));
    makeSliders(main, more);
    showNumbers(presetOf(chosen.preset));
    preset.select.value = chosen.preset;
  });
  subscribe(["run"], () => {
    if (kept && state.run) {
      const before = kept;
      kept = null;
      if (before.run === state.run.name) return showChosen(before);
    }
    // Begin with the errors of the plan.
    const used = chosenDesign()?.success?.errors;
    if (!used || !state.known.errors.some(({ name }) => name === used)) return;
    chosen.preset = preset.select.value = used;
    showNumbers(presetOf(used));
  });
  function showChosen(/** @type {typeof chosen} */ { preset: name, numbers, count: trials, learnt }) {
    [chosen.preset, chosen.count, chosen.learnt] = [name, trials, learnt === true];
    [preset.select.value, count.select.value] = [name, String(trials)];
    showNumbers(numbers);
  }
  subscribe(["panel"], () => (cloud.input.checked = visible.cloud));
  subscribe(["built", "run", "design"], () => {
    const learnt = builtOf()?.learnt ?? null;
    // What was learnt may be gone, with the trials or by another design.
    if (state.built && !learnt) chosen.learnt = false;
    learn.used.checked = chosen.learnt;
    showLearnt(learnt?.errors ?? []);
  });
}

/** What belongs to a tube that was built; it is open where something was measured. */
function builtPart(/** @type {HTMLElement} */ learn) {
  const part = folded("This tube is built", triedPart(), learn, adaptPart(() => requestedErrors(false)));
  part.id = "trust-built";
  let known = "";
  subscribe(["built", "design"], () => {
    const name = state.built ? `${state.built.run}/${state.design}` : "";
    if (name && name !== known && (state.built?.items.length || state.built?.problem)) part.open = true;
    known = name || known;
  });
  return part;
}

// ---- errors ----

/** Use what was learnt in place of the errors of the sliders, or no longer. */
function acceptLearnt(/** @type {boolean} */ on) {
  chosen.learnt = on;
  showLearnt(builtOf()?.learnt?.errors ?? []);
  trySoon();
}

/** Show beside each slider what was learnt of single errors of its kind. */
function showLearnt(/** @type {readonly LearntError[]} */ errors) {
  for (const [name, slider] of sliders) slider.showLearnt(errors.filter((one) => one.slider === name), chosen.learnt);
}

/** @returns {Record<string, Value>} */
function presetOf(/** @type {string} */ name) {
  return state.known.errors.find((one) => one.name === name)?.numbers ?? {};
}

function choosePreset(/** @type {string} */ name) {
  chosen.preset = name;
  showNumbers(presetOf(name));
  trySoon();
}

function makeSliders(/** @type {HTMLElement} */ main, /** @type {HTMLElement} */ more) {
  sliders.clear();
  for (const key of state.known.errorKeys) {
    sliders.set(key.name, errorSlider(key, (value) => {
      chosen.numbers = { ...chosen.numbers, [key.name]: value };
      reset.hidden = !isChanged();
      trySoon();
    }));
  }
  const rows = (/** @type {string[]} */ names) => names.map((name) => sliders.get(name)?.row).filter((row) => row !== undefined);
  main.replaceChildren(...rows(MAIN));
  more.replaceChildren(...rows(state.known.errorKeys.map(({ name }) => name).filter((name) => !MAIN.includes(name))));
}

function showNumbers(/** @type {Record<string, Value>} */ numbers) {
  chosen.numbers = numbers;
  for (const [name, slider] of sliders) slider.show(numbers[name]);
  reset.hidden = !isChanged();
}

/** Numbers that differ from the preset. */
function differingNumbers() {
  const preset = presetOf(chosen.preset);
  const none = (/** @type {Value} */ value) => JSON.stringify(value) === "0";
  return Object.entries(chosen.numbers).filter(([name, value]) =>
    name in preset ? JSON.stringify(value) !== JSON.stringify(preset[name]) : !none(value),
  );
}

function isChanged() {
  return differingNumbers().length > 0;
}

/** Errors of the request: all numbers that are shown, so that the trials have exactly these, or those that were learnt in their place. */
function requestedErrors(/** @type {boolean} */ learnt) {
  const numbers = Object.fromEntries(
    state.known.errorKeys
      .map(({ name }) => /** @type {[string, Value]} */ ([name, chosen.numbers[name] ?? 0]))
      // A range of friction is the only number that can be missing.
      .filter(([name]) => name !== "friction" || name in chosen.numbers),
  );
  store(KEY, { ...chosen, run: state.run?.name });
  return { preset: chosen.preset, numbers, learnt };
}

// ---- result ----

function startOrStopTrials() {
  if (isBusy()) stopTrials();
  else trySoon(0);
}

function isBusy() {
  return request.waiting || ownTrials()?.busy === true;
}

function resultPart() {
  const big = el("span", { id: "trust-success", class: "big" });
  const small = el("span", { id: "trust-interval", class: "quiet" });
  const bar = el("progress", { id: "trust-progress", "aria-label": "Trials made" });
  const spoken = el("p", { class: "unseen", role: "status" });
  const weakest = el("p", { id: "trust-weakest" });
  const explained = influencesPart();
  const fault = el("p", { id: "trust-fault", class: "error", role: "status" });
  const [good, bad] = [el("li"), el("li")];
  const legend = el("ul", { class: "legend" }, good, bad);
  const show = () => {
    const [success, trials, busy] = [shownSuccess(), shownTrials(), isBusy()];
    setText(big, success ? `${percent(success.reached / success.trials)} %` : "–");
    setText(small, success ? intervalWords(success) : "no trials of this design yet");
    bar.hidden = !busy;
    if (busy && state.trials && !request.waiting) [bar.max, bar.value] = [state.trials.asked, state.trials.reached.length];
    else bar.removeAttribute("value");
    showWeakest(weakest, busy, success?.weakest ?? null);
    explained.show(busy, success, shownInfluences());
    const counts = countsOf();
    legend.hidden = !trials?.lines.length;
    good.replaceChildren(swatch("reached"), `${counts.good} reached the goal`);
    bad.replaceChildren(swatch("missed"), `${counts.bad} missed it`);
    setText(fault, request.message);
    setText(go, busy ? "Stop" : `Make ${chosen.count} trials`);
    if (!busy && success) setText(spoken, `${big.textContent} ${small.textContent}. ${weakest.textContent}`);
  };
  subscribe(["run", "design", "trials", "panel"], show);
  whenRequested(show);
  return el("div", { id: "trust-result" }, el("p", { class: "success" }, big, " ", small), countsLine(), bar, weakest, fault, legend, explained.element, spoken);
}

function intervalWords(/** @type {Success} */ { low, high, trials, errors }) {
  return `(${percent(low)}–${percent(high)}) of ${trials} trials under ${errorsWords(errors)}`;
}

function showWeakest(/** @type {HTMLElement} */ line, /** @type {boolean} */ busy, /** @type {string | null} */ ofPlan) {
  const place = weakestPlace();
  const text = busy ? null : (place?.text ?? (state.trials ? null : ofPlan));
  line.hidden = !text;
  if (text === NONE_STANDS_OUT) line.replaceChildren("No single error stands out.");
  else if (text) line.replaceChildren(place?.obstacles.length || place?.section ? swatch("halo") : "", el("b", {}, "Weakest: "), text);
}
