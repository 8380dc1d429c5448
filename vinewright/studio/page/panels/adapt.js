/** What to change at the built tube so that it reaches the goal: proposals as they are found, cheapest first. */

import { el } from "../dom.js";
import { freeNumberField, lengthOptions } from "../draw/fields.js";
import { state, subscribe } from "../store.js";
import { asked, builtOf, chooseProposal, isWorking, shownAdapting, startBuilt, stopBuilt, whenBuilt } from "./built.js";
import { drawnProposal } from "./builtlayer.js";
import { rangeWords } from "./learn.js";
import { lengthText } from "../text.js";
import { folded, setText, showDisabled, swatch, table } from "./parts.js";
import { actuatedOf } from "./shown.js";
import { numberWords, percent, withFirstLarge } from "./words.js";

/** @typedef {import("../types.js").Adapting} Adapting */
/** @typedef {import("../types.js").Proposal} Proposal */
/** @typedef {import("../number_input.js").NumberInput} NumberInput */

/** What can be changed, in mm, degrees, seconds and percent. */
const options = { shift: 10, turn: 3, move: 0, seconds: 30, success: 95 };

/** The part of the panel. */
export function adaptPart(/** @type {() => import("./trials.js").Errors} */ errors) {
  const go = el("button", { type: "button", id: "adapt-go", class: "wide" });
  const bar = el("progress", { id: "adapt-progress", "aria-label": "Changes tried" });
  const [line, failed] = [el("p", { id: "adapt-line", class: "quiet small", role: "status" }), el("p", { id: "adapt-fault", class: "error", role: "status" })];
  const [notes, warnings] = [el("ul", { id: "adapt-notes", class: "notes" }), el("ul", { id: "adapt-warnings", class: "warnings", "aria-label": "Warnings" })];
  const list = el("div", { id: "adapt-proposals", class: "designs", role: "radiogroup", "aria-label": "Changes, cheapest first" });
  go.addEventListener("click", () => {
    if (isWorking("adapt")) return void stopBuilt("adapt");
    if (state.built?.problem) return;
    const { shift, turn, move, seconds, success } = options;
    startBuilt("adapt", {
      errors: errors(), mount_shift_mm: shift, mount_turn_deg: turn, move_obstacles_mm: move, seconds, success: success / 100,
    });
  });
  const show = () => {
    const [busy, adapting] = [isWorking("adapt"), shownAdapting()];
    setText(go, busy ? (asked.stopping.adapt ? "Stopping …" : "Stop, keep what was found") : adapting?.proposals.length ? "Search again" : "Search changes");
    showDisabled(go, busy || !state.built?.problem ? "" : "What was measured cannot be used.", "Cheapest first, until one is enough");
    bar.hidden = !busy;
    if (busy && typeof adapting?.share === "number") [bar.max, bar.value] = [1, adapting.share];
    else bar.removeAttribute("value");
    setText(line, lineWords(busy, adapting));
    line.hidden = !line.textContent;
    setText(failed, asked.faults.adapt && `${withFirstLarge(asked.faults.adapt)}.`);
    const told = adapting?.notes ?? [];
    const said = (/** @type {string} */ text) => el("li", {}, `${withFirstLarge(text.replace(/^(note|warning): /, ""))}.`);
    notes.replaceChildren(...told.filter((text) => !isWarning(text)).map(said));
    warnings.replaceChildren(...told.filter(isWarning).map(said));
    warnings.hidden = !told.some(isWarning);
    showProposals(list, adapting);
  };
  subscribe(["adapting", "built", "run", "design"], show);
  whenBuilt(show);
  return el(
    "section", { id: "adapt", "aria-label": "Adapt" }, el("h2", {}, "Adapt"),
    el("p", { class: "quiet small" }, "What to change at the tube so that it reaches the goal; other pressures are tried first."),
    optionsPart(), go, bar, failed, warnings, notes, line, list, chosenPart(),
  );
}

function optionsPart() {
  const place = el("div", { class: "numbers" });
  subscribe(["unit"], () => {
    const length = { ...lengthOptions(), min: 0 };
    const field = (/** @type {keyof typeof options} */ key, /** @type {string} */ label, /** @type {object} */ more, /** @type {string} */ title) => {
      const made = freeNumberField({ ...more, id: `adapt-${key}`, label, title }, options[key]);
      made.input.addEventListener("change", () => (options[key] = made.read() ?? options[key]));
      return made.element;
    };
    place.replaceChildren(
      field("shift", "Base may shift", { ...length, max: 1000 }, "In x and in y"), field("turn", "Base may turn", { unit: "°", min: 0, max: 90 }, "To either side"),
      field("move", "An obstacle may move", { ...length, max: 10_000 }, "One of those next to the tube, in x and in y; 0 for none"),
      field("seconds", "Time", { unit: "s", min: 0.1, max: 3600 }, "For the search of all changes"),
      field("success", "Wanted", { unit: "%", min: 1, max: 100 }, "Share of growths that must reach the goal"),
    );
  });
  const part = folded("What can be changed", place);
  part.id = "adapt-options";
  return part;
}

function isWarning(/** @type {string} */ note) {
  return note.startsWith("warning: ");
}

function lineWords(/** @type {boolean} */ busy, /** @type {Adapting | null} */ adapting) {
  if (busy) {
    if (!adapting || adapting.stage === "weighing") return "Weighing the errors by what was measured …";
    return `${adapting.proposals.length} of ${adapting.total} kinds of change tried …`;
  }
  if (!adapting) return builtOf()?.items.length ? "" : "Nothing was measured: changes are then sought for tubes with the errors of the sliders.";
  const { proposals, recommended, best, stopped, wanted } = adapting;
  if (!proposals.length) return "Stopped before anything was found.";
  const later = stopped ? " Stopped: costlier changes were not tried." : "";
  if (adapting.notes.some(isWarning)) return "Nothing is recommended: every success is that of another tube than the one that was measured.";
  if (recommended === 0) return "Leave the tube as it is: it reaches the goal often enough.";
  if (recommended !== null) return `Recommended: ${proposals[recommended].change}, the cheapest change that is enough.`;
  const success = `${percent(proposals[best].success.mean)} % of ${percent(wanted)} % wanted.`;
  const sofar = best ? `Not enough: the best change is ${proposals[best].change}, ${success}` : `No change is better than the tube as it is, ${success}`;
  return `${sofar}${later || " If more time does not help, learn from what was measured, and plan another tube that begins with this design."}`;
}

function showProposals(/** @type {HTMLElement} */ list, /** @type {Adapting | null} */ adapting) {
  const focused = document.activeElement instanceof HTMLInputElement && list.contains(document.activeElement) ? document.activeElement.value : null;
  list.hidden = !adapting?.proposals.length;
  list.replaceChildren(...(adapting?.proposals ?? []).map((one, k) => proposalRow(one, k, adapting?.chosen === k, adapting?.recommended === k)));
  if (focused !== null) /** @type {HTMLElement | null} */ (list.querySelector(`input[value="${focused}"]`))?.focus();
}

function proposalRow(/** @type {Proposal} */ { change, to_do, success, better }, /** @type {number} */ place, /** @type {boolean} */ chosen, /** @type {boolean} */ recommended) {
  const input = el("input", { type: "radio", name: "proposal", value: String(place), checked: chosen, onchange: () => chooseProposal(place) });
  const tag = recommended ? el("span", { class: "tag" }, "recommended") : place && !better ? el("span", { class: "tag" }, "no better") : null;
  const words = place ? to_do.map((text) => el("span", { class: "to-do" }, text)) : [];
  return el("label", { class: "design" }, input, el("span", { class: "name" }, withFirstLarge(change)), el("span", { class: "quiet" }, rangeWords(success)), tag, ...words);
}

// ---- the proposal that is chosen ----

function chosenPart() {
  const legend = el("p", { class: "quiet small" }, swatch("jumped"), " The tube with this change, and where its tip may end: with the errors that fit what was measured.");
  const pressures = el("div", { id: "adapt-pressures" });
  const save = el("button", { type: "button", id: "adapt-save", class: "wide" }, "Save the adapted design");
  const [kept, failed] = [el("p", { id: "adapt-kept", role: "status" }), el("p", { id: "adapt-save-fault", class: "error", role: "status" })];
  const element = el("div", { id: "adapt-chosen" }, legend, pressures, save, kept, failed);
  save.addEventListener("click", () => {
    const adapting = shownAdapting();
    if (adapting && !saveFault(adapting)) startBuilt("keep", { search: adapting.search, proposal: adapting.chosen });
  });
  const show = () => {
    const [adapting, proposal] = [shownAdapting(), drawnProposal()];
    element.hidden = !adapting || !proposal;
    if (!adapting || !proposal) return;
    save.hidden = adapting.chosen === 0;
    const rows = (save.hidden ? [] : proposal.pressures).map((pair, k) => [String(k + 1), actuatedOf(proposal.design)[k]?.side ?? "", ...pair.map(pressureWords)]);
    pressures.replaceChildren(...(rows.length ? [table("Pressures in kPa, before and after", ["Section", "side", ">kPa now", ...proposal.marks.map(markWords)], rows)] : []));
    showDisabled(save, saveFault(adapting), `Writes a folder beside that of ${state.run?.name}, as vinewright adapt does`);
    setText(save, asked.keep ? "Saving …" : "Save the adapted design");
    setText(failed, asked.faults.keep && `${withFirstLarge(asked.faults.keep)}.`);
    const { kept: found } = adapting;
    kept.hidden = !found;
    if (found) kept.replaceChildren("Saved as ", el("b", {}, found.folder), ". Growths of the tube as it is then are added there: ", el("code", {}, `vinewright trials add ${found.path}`));
  };
  subscribe(["adapting", "run", "design", "unit"], show);
  whenBuilt(show);
  return element;
}

/** Heading of the pressures that hold from a length on. */
function markWords(/** @type {number} */ mark, /** @type {number} */ place, /** @type {readonly number[]} */ marks) {
  return marks.length > 1 ? `>from ${lengthText(mark, state.unit)} ${state.unit}` : ">kPa then";
}

function pressureWords(/** @type {number | null} */ pressure) {
  return pressure === null ? "–" : numberWords(pressure);
}

function saveFault(/** @type {Adapting} */ { busy, chosen }) {
  if (busy) return "The search is under way.";
  return chosen ? (asked.keep ? "It is being saved." : "") : "This is the tube as it is: there is nothing to save.";
}
