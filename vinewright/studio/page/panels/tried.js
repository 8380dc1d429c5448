/** What was measured of the design that was built: a form for a growth or a bend, and the list of all that was measured. */

import { el } from "../dom.js";
import { show, whenShown, live } from "../draw/live.js";
import { lengthOptions } from "../draw/fields.js";
import { numberField } from "../number_input.js";
import { set, state, subscribe } from "../store.js";
import { repaint } from "../view.js";
import { addMeasured, builtOf, removeMeasured } from "./built.js";
import { chooseDesign } from "./designs.js";
import { folded, messageOf, selectField, setText, optionsOf } from "./parts.js";
import { actuatedOf, chosenDesign, designOf } from "./shown.js";
import { withFirstLarge } from "./words.js";

/** @typedef {import("../number_input.js").NumberInput} NumberInput */

const MOST_PRESSURE = 200; // of files [kPa]
const NOTHING = { reached: /** @type {boolean | null} */ (null), x: /** @type {number | null} */ (null), y: /** @type {number | null} */ (null), length: /** @type {number | null} */ (null), note: "" };
/** What is typed and not yet added. */
export const draft = { ...NOTHING };
const bend = { section: 1, pressure: /** @type {number | null} */ (null), angle: /** @type {number | null} */ (null) };

/** Inputs that show the draft. @type {NumberInput[]} */
let fields = [];
/** @type {HTMLElement} */
const growthFields = el("div", { class: "numbers" });
/** @type {HTMLElement} */
const bendFields = el("div", { class: "numbers" });
const fault = el("p", { id: "tried-fault", class: "error", role: "alert" });
const told = el("p", { id: "tried-told", class: "quiet small", role: "status" });
const point = el("button", { type: "button", id: "tried-point", "aria-pressed": "false", onclick: () => ask(!live.asking) }, "Point at it on the drawing");

/** The form and the list. */
export function triedPart() {
  const form = formPart();
  const elsewhere = elsewherePart();
  const element = el("section", { id: "tried", "aria-label": "I tried it" }, el("h2", {}, "I tried it"), elsewhere, form, listPart());
  subscribe(["unit"], makeFields);
  subscribe(["run", "design"], () => {
    forget();
    setText(told, "");
    setText(fault, "");
  });
  subscribe(["panel", "run"], () => state.panel !== "trust" && ask(false));
  whenShown(() => {
    point.setAttribute("aria-pressed", String(live.asking !== null));
    setText(point, live.asking ? "Click where the tip ended" : "Point at it on the drawing");
  });
  window.addEventListener("keydown", (event) => void (event.key === "Escape" && live.asking && ask(false)));
  subscribe(["built", "run", "design"], () => (form.hidden = Boolean(state.built?.problem) || isOfAnother()));
  return element;
}

// ---- the form ----

function formPart() {
  const results = /** @type {[string, boolean][]} */ ([["Reached the goal", true], ["Missed it", false]]).map(([text, reached]) => {
    const input = el("input", { type: "radio", name: "tried-reached", value: String(reached), onchange: () => (draft.reached = reached) });
    return el("label", { class: "check" }, input, text);
  });
  const note = el("input", { type: "text", id: "tried-note", maxlength: 500, oninput: () => (draft.note = note.value) });
  const section = selectField("tried-section", "Section", [], (value) => (bend.section = Number(value)));
  const bends = folded(
    "A bend in free space",
    el("p", { class: "quiet small" }, "One actuator alone, the tube lying free: the angle between the tube before it and behind it, positive to the side of the actuator."),
    section.row, bendFields, el("button", { type: "button", id: "tried-add-bend", class: "wide", onclick: addBend }, "Add this bend"),
  );
  bends.id = "tried-bends";
  subscribe(["run", "design"], () => {
    const design = chosenDesign();
    const actuated = design ? actuatedOf(design) : [];
    section.select.replaceChildren(...optionsOf(actuated.map(({ side }, k) => [String(k + 1), `${k + 1}, on the ${side}`])));
    bend.section = 1;
    bends.hidden = !actuated.length;
  });
  return el(
    "div", { id: "tried-form" }, el("fieldset", { class: "boxes" }, ...results),
    el("p", { class: "quiet small" }, "Where the tip ended; all is optional."), growthFields, point,
    el("label", { class: "text" }, el("span", { class: "name" }, "Note"), note),
    el("button", { type: "button", id: "tried-add", class: "wide", onclick: addGrowth }, "Add this growth"), bends, fault, told,
  );
}

/** Make the inputs for lengths again, in the unit of the panels. */
function makeFields() {
  const lengths = lengthOptions();
  const ofGrowth = /** @type {["x" | "y" | "length", string, object][]} */ ([
    ["x", "Tip x", lengths], ["y", "Tip y", lengths], ["length", "Stalled at", { ...lengths, min: 0, title: "Length grown along the film when it stalled or was stopped" }],
  ]);
  fields = ofGrowth.map(([key, label, options]) => numberField({
    ...options, id: `tried-${key}`, label, value: () => draft[key], clear: () => setDraft({ [key]: null }), apply: (value) => setDraft({ [key]: value }),
  }));
  const ofBend = /** @type {["pressure" | "angle", string, object][]} */ ([
    ["pressure", "At", { unit: "kPa", min: 0, max: MOST_PRESSURE }], ["angle", "Bend", { unit: "°", min: -3600, max: 3600 }],
  ]);
  const bends = ofBend.map(([key, label, options]) => numberField({
    ...options, id: `tried-${key}`, label, value: () => bend[key], clear: () => (bend[key] = null), apply: (value) => (bend[key] = value),
  }));
  growthFields.replaceChildren(...fields.map(({ element }) => element));
  bendFields.replaceChildren(...bends.map(({ element }) => element));
  fields.push(...bends);
  for (const { update } of fields) update();
}

function setDraft(/** @type {Partial<typeof draft>} */ changes) {
  Object.assign(draft, changes);
  for (const { update } of fields) update();
  repaint();
}

/** Empty the form. */
function forget() {
  ask(false);
  Object.assign(bend, { pressure: null, angle: null });
  for (const input of document.querySelectorAll('input[name="tried-reached"], #tried-note')) {
    if (input instanceof HTMLInputElement) [input.checked, input.value] = [false, input.type === "radio" ? input.value : ""];
  }
  setDraft(NOTHING);
  for (const { reset } of fields) reset();
}

/** Begin to wait for a click on the drawing, or end it. */
function ask(/** @type {boolean} */ on) {
  if (!on && !live.asking) return;
  show({ asking: on ? takePoint : null });
}

function takePoint(/** @type {import("../types.js").Point} */ [x, y]) {
  ask(false);
  setDraft({ x: Math.round(10 * x) / 10, y: Math.round(10 * y) / 10 });
  point.focus({ preventScroll: true });
}

async function addGrowth() {
  const { reached, x, y, length, note } = draft;
  if ((x === null) !== (y === null)) return setText(fault, "Give both x and y of the tip.");
  if (reached === null && x === null && length === null) return setText(fault, "Say whether it reached the goal, where its tip ended, or where it stalled.");
  await add({ growth: { reached, tip_mm: x === null || y === null ? null : [x, y], length_mm: length, note: note.trim() } }, "tried-add");
}

async function addBend() {
  const { section, pressure, angle } = bend;
  if (pressure === null || angle === null) return setText(fault, "Give the pressure and the bend.");
  await add({ bend: { section, pressure_kpa: pressure, bend_deg: angle } }, "tried-add-bend");
}

let adding = false;

async function add(/** @type {Parameters<typeof addMeasured>[0]} */ measured, /** @type {string} */ button) {
  if (adding) return;
  adding = true;
  setText(fault, "");
  setText(told, "");
  try {
    const notes = await addMeasured(measured);
    forget();
    setText(told, ["Added.", ...notes.map((note) => `${withFirstLarge(note)}.`)].join(" "));
    document.getElementById(button)?.focus({ preventScroll: true });
  } catch (error) {
    setText(fault, `${withFirstLarge(messageOf(error))}.`);
  }
  adding = false;
}

// ---- the list ----

/** Return whether something was measured, but of another design of the run. */
function isOfAnother() {
  const { built, design } = state;
  return Boolean(built?.items.length && !built.designs.includes(design));
}

/** Of which design the trials are, if it is not the one that is shown. */
function elsewherePart() {
  const line = el("p", {});
  const go = el("button", { type: "button", id: "tried-other", onclick: () => chooseDesign(state.built?.designs[0] ?? "best") }, "Show that design");
  const element = el("div", { id: "tried-elsewhere" }, line, go);
  subscribe(["built", "design", "run"], () => {
    const { built } = state;
    element.hidden = !built?.problem && !isOfAnother();
    const whose = designOf(built?.designs[0] ?? null)?.title;
    go.hidden = Boolean(built?.problem) || !whose;
    setText(line, built?.problem ? `${withFirstLarge(built.problem)}.` : `What was measured in this run is of another design: ${whose ?? "one that it no longer has"}.`);
  });
  return element;
}

function listPart() {
  const summary = el("p", { id: "tried-summary", class: "quiet" });
  const list = el("ol", { id: "tried-items", "aria-label": "What was measured" });
  const legend = el("p", { class: "quiet small" }, "On the drawing, in a ring: a dot for a growth that reached the goal, a cross for one that missed it, else a square.");
  const notes = el("ul", { id: "tried-notes", class: "notes", "aria-label": "Notes on what was measured" });
  subscribe(["built", "design", "run"], () => {
    const built = builtOf();
    const items = built?.items ?? [];
    list.hidden = !items.length;
    legend.hidden = !built?.tips.length;
    list.replaceChildren(...items.map(rowOf));
    setText(summary, built ? summaryWords(built) : state.built?.problem || isOfAnother() ? "" : "Nothing was measured of this design yet. Grow the tube that you built, and add how it ended.");
    summary.hidden = !summary.textContent;
    notes.replaceChildren(...(built?.notes ?? []).map((note) => el("li", {}, `${withFirstLarge(note)}.`)));
  });
  return el("div", {}, summary, list, legend, notes);
}

function summaryWords(/** @type {import("../types.js").BuiltView} */ { items, summary }) {
  const growths = items.filter(({ what }) => what === "growth").length;
  const hint = growths === 1 ? " One growth says little: three show whether the tips lie near each other." : "";
  return items.length ? `${withFirstLarge(summary)}.${hint}` : "Nothing is left of what was measured.";
}

function rowOf(/** @type {import("../types.js").BuiltView["items"][number]} */ { what, words, note }, /** @type {number} */ place) {
  const remove = async () => {
    try {
      await removeMeasured(place);
      setText(told, "Removed.");
    } catch (error) {
      set({ message: messageOf(error) });
    }
  };
  const button = el("button", { type: "button", "aria-label": `Remove ${what} ${place + 1}`, onclick: remove }, "Remove");
  return el("li", {}, el("span", {}, el("b", {}, what), ` ${words}`, note && el("span", { class: "quiet" }, `, ${note}`)), button);
}
