/** The gallery: shipped environments with pictures, drawings of this page that were replaced before they were saved, and those on disk. */

import { attempt, get } from "../api.js";
import { el } from "../dom.js";
import { state } from "../store.js";
import { stage } from "../view.js";
import { openRecent, openShipped, openStored, recent } from "./files.js";
import { docOf } from "./shapes.js";
import { thumbnail } from "./thumbnail.js";

/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {{id: string, name: string, edited_ms: number, is_changed: boolean, versions: string[]}} Stored */

const MOST_STORED = 40; // drawings on disk that are listed
let listing = 0; // number of the last list: one that was asked for before is not shown

const flyout = el("div", { id: "gallery", role: "dialog", "aria-label": "Gallery", hidden: true });
const POPUP = { "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "gallery" };
const button = el("button", { type: "button", title: "Shipped environments and recent drawings", ...POPUP }, "Gallery");

/** Mount the button beneath which the gallery opens. */
export function mountGallery() {
  document.body.append(flyout);
  button.addEventListener("click", () => (flyout.hidden ? openGallery() : closeGallery(true)));
  flyout.addEventListener("keydown", handleKey);
  document.addEventListener("pointerdown", (event) => {
    const { target } = event;
    if (!flyout.hidden && target instanceof Node && !flyout.contains(target) && !button.contains(target)) closeGallery(false);
  }, true);
  return button;
}

function openGallery() {
  const cards = state.known.environments.map((one) => {
    const choose = () => openShipped(one);
    return makeCard(one.name, one.description, docOf(one.content), choose);
  });
  flyout.replaceChildren(el("h2", {}, "Shipped environments"), el("div", { class: "cards" }, ...cards));
  if (recent.length) {
    const kept = recent.map((one) => makeCard(one.name, "Not saved.", one.doc, () => openRecent(one)));
    flyout.append(el("h2", {}, "Recent, not saved"), el("div", { class: "cards" }, ...kept));
  }
  attempt(addStored);
  const { left, bottom } = button.getBoundingClientRect();
  flyout.style.left = `${left}px`;
  flyout.style.top = `${bottom + 6}px`;
  flyout.hidden = false;
  button.setAttribute("aria-expanded", "true");
  flyout.querySelector("button")?.focus();
}

/** Add the drawings that are kept on disk, but for those that this page has. */
async function addStored() {
  const asked = (listing += 1);
  /** @type {Stored[]} */
  const found = await get("/api/drawings");
  const here = new Set([state.id, ...recent.map((one) => one.id)]);
  const cards = [];
  for (const one of found.filter(({ id }) => !here.has(id)).slice(0, MOST_STORED)) {
    const { content } = await get(`/api/drawings/${one.id}`);
    cards.push(makeCard(one.name, describe(one.edited_ms, one.is_changed), docOf(content), () => openStored(one.id)));
  }
  const own = found.find(({ id }) => id === state.id);
  const versions = (own?.versions ?? []).map((version) => {
    const time = describe(Number(version), true);
    return el("button", { type: "button", class: "version", onclick: () => leaveFor(() => openStored(state.id, version)) }, time);
  });
  if (asked !== listing) return;
  if (versions.length) flyout.append(el("h2", {}, "Earlier versions of this drawing, from"), el("div", { class: "versions" }, ...versions));
  if (cards.length) flyout.append(el("h2", {}, "Kept on this computer"), el("div", { class: "cards" }, ...cards));
}

/** Time of an edit, and whether it is in a file. */
function describe(/** @type {number} */ time, /** @type {boolean} */ isChanged) {
  return new Date(time).toLocaleString() + (isChanged ? "" : ", saved");
}

function leaveFor(/** @type {() => void} */ choose) {
  closeGallery(false);
  choose();
  stage.focus({ preventScroll: true });
}

function closeGallery(/** @type {boolean} */ back) {
  flyout.hidden = true;
  button.setAttribute("aria-expanded", "false");
  if (back) button.focus();
}

function makeCard(
  /** @type {string} */ name, /** @type {string} */ description, /** @type {Doc} */ doc, /** @type {() => void} */ choose,
) {
  const texts = el("span", { class: "card-text" }, el("b", {}, name), el("span", { class: "quiet" }, description));
  return el("button", { type: "button", class: "card", "data-name": name, title: description, onclick: () => leaveFor(choose) }, thumbnail(doc), texts);
}

/** Go through the cards with the arrows, and close with Escape. */
function handleKey(/** @type {KeyboardEvent} */ event) {
  const cards = [...flyout.querySelectorAll("button")];
  const at = cards.findIndex((one) => one === document.activeElement);
  const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
  if (event.key === "Escape") closeGallery(true);
  else if (event.key === "Home") cards[0]?.focus();
  else if (event.key === "End") cards[cards.length - 1]?.focus();
  else if (way) cards[(at + way + cards.length) % cards.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
