/** The panel of the tube: shipped tubes, the numbers of a tube file, and figures derived from them. */

import { post } from "../api.js";
import { byId, el } from "../dom.js";
import { numberField } from "../number_input.js";
import { set, state, subscribe } from "../store.js";
import { folded, messageOf, optionsOf, selectField, setText, table } from "./parts.js";
import { keyWords, numberWords } from "./words.js";

/** @typedef {import("../types.js").Figure} Figure */
/** @typedef {import("../types.js").Tube} Tube */
/** @typedef {import("../types.js").TubeKey} TubeKey */
/** @typedef {import("../number_input.js").NumberInput} NumberInput */

const OWN = "own";
const MAIN = ["radius_mm", "growth_pressure_kpa", "friction", "least_height", "collapse_share"];
/** Names of keys that their file name does not tell well. @type {Record<string, string>} */
const NAMES = { least_height: "Squeezed height", collapse_share: "Folds at", tube_radius: "Actuator radius", friction: "Friction on walls" };

/** @type {Map<string, NumberInput>} */
const fields = new Map();
let asked = 0;

/** Fill the panel. */
export function mountTube() {
  const choice = selectField("tube-name", "Tube", [], chooseTube);
  const about = el("p", { id: "tube-about", class: "quiet" });
  const kind = selectField("tube-actuator", "Type", actuatorKinds(), chooseType);
  const others = el("p", { id: "tube-others", class: "quiet" });
  const fault = el("p", { id: "tube-fault", class: "error", role: "status" });
  const [main, cells, more] = [el("div", { class: "fields" }), el("div", { class: "fields" }), el("div", { class: "fields" })];
  const figures = el("div", { id: "tube-figures", "aria-live": "polite" });
  byId("panel-tube", HTMLElement).append(
    choice.row, about, fault, el("h2", {}, "Film and pressure"), main, el("h2", {}, "Actuators"), kind.row, others, cells,
    el("h2", {}, "What follows from it"), figures, folded("All other numbers", more),
  );
  subscribe(["known"], () => {
    const shipped = state.known.tubes.map(({ name }) => /** @type {[string, string]} */ ([name, name]));
    choice.select.replaceChildren(...optionsOf([...shipped, [OWN, "own"]]));
  });
  subscribe(["tube", "known"], () => {
    const { tube, known } = state;
    if (!tube) return;
    choice.select.value = tube.name;
    if (!choice.select.value) choice.select.value = OWN;
    setText(about, known.tubes.find(({ name }) => name === tube.name)?.description ?? "Your own numbers.");
    kind.select.value = tube.content.actuator?.type ?? "";
    others.hidden = !tube.content.other_actuators;
    setText(others, othersOf(tube));
    showFields(tube, main, cells, more);
    setText(fault, "");
  });
  subscribe(["tube", "panel"], () => {
    if (state.tube && state.panel === "tube") showFigures(state.tube, figures);
  });
}

/** Types of actuators, from the shipped tubes and the others that exist. @returns {[string, string][]} */
function actuatorKinds() {
  return [
    ["spam", "sPAMs (with rings)"], ["pouch", "pouches (welded)"], ["fpam", "fPAMs (bias-cut fabric)"],
    ["cpam", "cPAMs (pouches with folded sides)"],
  ];
}

/** Return the sentence about other types of actuators along the tube; empty if there are none. */
function othersOf(/** @type {Tube} */ { content }) {
  const types = (content.other_actuators ?? []).map((/** @type {{type: string}} */ { type }) => type);
  return types.length ? `May be mixed with ${types.join(", ")} along the tube.` : "";
}

/** Ask for the tube with actuators of another type. */
async function chooseType(/** @type {string} */ type) {
  const fault = await send({ ...state.tube?.content, actuator: { type } });
  if (fault !== null) setText(byId("tube-fault", HTMLElement), fault);
}

function chooseTube(/** @type {string} */ name) {
  asked += 1; // what was asked for before must not come in its place
  const shipped = state.known.tubes.find((one) => one.name === name)?.tube;
  if (shipped) {
    set({ tube: shipped });
    for (const field of fields.values()) field.reset();
  } else if (state.tube) set({ tube: { ...state.tube, name: OWN } });
}

// ---- fields ----

/** Keys of the tube that is shown; keys of other types of actuators are left out. */
function keysOf(/** @type {Tube} */ { content }) {
  return state.known.tubeKeys.filter(({ table: place, name }) => place !== "actuator" || name in (content.actuator ?? {}));
}

let shownKeys = "";

function showFields(
  /** @type {Tube} */ tube, /** @type {HTMLElement} */ main, /** @type {HTMLElement} */ cells, /** @type {HTMLElement} */ more,
) {
  const keys = keysOf(tube);
  const names = keys.map((key) => `${key.table}.${key.name}`).join();
  if (names !== shownKeys) {
    shownKeys = names;
    fields.clear();
    const made = keys.map((key) => ({ key, field: fieldOf(key) }));
    const rows = (/** @type {(key: TubeKey) => boolean} */ wanted) => made.filter(({ key }) => wanted(key)).map(({ field }) => field.element);
    main.replaceChildren(...MAIN.flatMap((name) => rows((key) => key.table === "" && key.name === name)));
    cells.replaceChildren(...rows((key) => key.table === "actuator"));
    more.replaceChildren(...rows((key) => key.table === "" && !MAIN.includes(key.name)));
  }
  for (const field of fields.values()) field.update();
}

function fieldOf(/** @type {TubeKey} */ key) {
  const { table: place, name, unit, least: min, most: max, meaning } = key;
  const range = `${numberWords(min)} to ${numberWords(max)}${unit && ` ${unit}`}`;
  const label = NAMES[name.replace(/_mm$/, "")] ?? keyWords(name);
  const field = numberField({
    id: `tube-${name}`, label, unit, min, max, digits: 6, title: `${meaning} (${name}, ${range})`,
    value() {
      const value = (place ? state.tube?.content[place] : state.tube?.content)?.[name];
      return typeof value === "number" ? value : null;
    },
    apply: (value) => change(key, value), clear: () => change(key, null),
  });
  fields.set(name, field);
  return field;
}

/** Set a key, or unset it with null; returns why the tube cannot be used. */
function change(/** @type {TubeKey} */ { table: place, name }, /** @type {number | null} */ value) {
  const content = structuredClone(state.tube?.content ?? {});
  const target = place ? (content[place] ??= {}) : content;
  if (value === null) delete target[name];
  else target[name] = value;
  return send(content);
}

/** Ask the server for a tube and show it; if it cannot be used, the old one stays, and the reason is returned. */
async function send(/** @type {Record<string, any>} */ content) {
  asked += 1;
  const number = asked;
  try {
    const tube = await post("/api/tube", { content });
    if (number === asked) set({ tube });
  } catch (error) {
    if (number === asked) return messageOf(error);
  }
  return null;
}

// ---- figures ----

/** Figures of tubes that came without them: they are computed when they are first shown. @type {WeakMap<Tube, Figure[]>} */
const derived = new WeakMap();

async function showFigures(/** @type {Tube} */ tube, /** @type {HTMLElement} */ place) {
  if (!tube.figures && !derived.has(tube)) {
    setText(place, "Being computed.");
    try {
      derived.set(tube, (await post("/api/tube", { content: tube.content })).figures);
    } catch (error) {
      if (state.tube === tube) setText(place, messageOf(error));
      return;
    }
    if (state.tube !== tube) return;
  }
  const rows = (tube.figures ?? derived.get(tube) ?? []).map(({ label, value, note }) => [el("span", { title: note }, label), value]);
  const made = table("Derived figures", ["Figure", ">Value"], rows);
  if (place.textContent !== made.textContent) place.replaceChildren(made);
}
