/** The menu of the stage: a right click, Shift+F10 or the menu key opens it at what is selected. */

import { el } from "../dom.js";
import { set, state } from "../store.js";
import { pixels, stage, toDrawing, toStage } from "../view.js";
import { deleteSelected, duplicate, markSelected, selectAll, showHidden } from "./actions.js";
import { withGroup } from "./arrange.js";
import { ACTIONS, usableActions } from "./arrange_panel.js";
import { isEditable } from "./editing.js";
import { objectAt } from "./hit.js";
import { isDragging } from "./pointer.js";
import { tubeRadius } from "./scene.js";
import { extentOf, shapesIn } from "./shapes.js";

/** @typedef {import("../types.js").Point} Point */

const NEAR = 5; // distance at which an object is still hit [px]
const menu = el("div", { id: "menu", role: "menu", "aria-label": "Objects", hidden: true });

/** Open the menu at right clicks and by the keyboard. */
export function mountMenu() {
  document.body.append(menu);
  stage.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (!isEditable() || isDragging()) return;
    const { left, top } = stage.getBoundingClientRect();
    const id = event.button === 2 ? objectAt(state.doc, toDrawing(event.clientX - left, event.clientY - top), pixels(NEAR), tubeRadius()) : null;
    if (id !== null && !state.selection.has(id)) set({ tool: "select", selection: new Set(withGroup(state.doc, id)) });
    openMenu(event.button === 2 ? [event.clientX, event.clientY] : placeOfSelection());
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) close();
  }, true);
  window.addEventListener("blur", close);
  menu.addEventListener("keydown", handleKey);
}

/** The place of the selection in the window, at which the keyboard opens the menu. @returns {Point} */
function placeOfSelection() {
  const { left, top } = stage.getBoundingClientRect();
  const extent = extentOf(state.doc, state.selection);
  const [x, y] = toStage(extent ? extent.max : [state.view.x, state.view.y]);
  return [left + x, top + y];
}

function openMenu(/** @type {Point} */ [x, y]) {
  menu.replaceChildren(...items());
  menu.hidden = false;
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(Math.min(x, window.innerWidth - width - 4), 4)}px`;
  menu.style.top = `${Math.max(Math.min(y, window.innerHeight - height - 4), 4)}px`;
  menu.querySelector("button")?.focus();
}

/** The items that can be chosen now. */
function items() {
  const shapes = shapesIn(state.doc, state.selection);
  const [count, locked] = [shapes.length, shapes.some((shape) => shape.locked)];
  const hidden = state.doc.shapes.some((shape) => shape.hidden);
  const groups = [
    count ? [item("Duplicate (Ctrl+D)", duplicate), item("Delete (Del)", deleteSelected)] : [],
    ...ACTIONS.map((row) => (count ? usableActions(row).map(({ title, act }) => item(title, act)) : [])),
    [
      locked && item("Unlock", () => markSelected({ locked: false })), hidden && item("Show what is hidden", showHidden),
      state.doc.shapes.some((shape) => shape.locked) && !locked && item("Select what is locked", selectLocked),
      item("Select all (Ctrl+A)", selectAll),
    ],
  ];
  return groups.flatMap((group, k) => {
    const shown = group.filter((one) => one instanceof HTMLElement);
    return k && shown.length ? [el("hr"), ...shown] : shown;
  });
}

function selectLocked() {
  set({ tool: "select", selection: new Set(state.doc.shapes.filter((shape) => shape.locked).map((shape) => shape.id)) });
}

function item(/** @type {string} */ text, /** @type {() => void} */ act) {
  const choose = () => {
    close();
    act();
  };
  return el("button", { type: "button", role: "menuitem", tabindex: -1, onclick: choose }, text);
}

function handleKey(/** @type {KeyboardEvent} */ event) {
  const buttons = [...menu.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") close();
  else if (next !== undefined) buttons.at(next % buttons.length)?.focus();
  else if (event.key !== "Enter" && event.key !== " ") return;
  else return event.stopPropagation(); // the button is pressed
  event.preventDefault();
  event.stopPropagation();
}

function close() {
  if (menu.hidden) return;
  const focused = menu.contains(document.activeElement);
  menu.hidden = true;
  if (focused) stage.focus({ preventScroll: true });
}
