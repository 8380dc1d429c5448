/** The gallery: drawings of this page that were replaced before they were saved, those on disk, and shipped environments, with pictures. */

import { attempt, get } from "../api.js";
import { el, svg } from "../dom.js";
import { state } from "../store.js";
import { stage } from "../view.js";
import { openRecent, openShipped, openStored, recent } from "./files.js";
import { docOf } from "./shapes.js";
import { thumbnail } from "./thumbnail.js";

/** @typedef {{id: string, name: string, edited_ms: number, is_changed: boolean, versions: string[]}} Stored */

const MOST_STORED = 40; // drawings on disk that are listed
const AT_FIRST = 9; // of them before a click, so that shipped environments are not far below
let listing = 0; // number of the last list: one that was asked for before is not shown

const flyout = el("div", { id: "gallery", role: "dialog", "aria-label": "Gallery", tabindex: -1, hidden: true });
const POPUP = { "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "gallery" };
const button = el("button", { type: "button", title: "Your recent drawings and shipped environments", ...POPUP }, "Gallery");

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
  const kept = recent.map((one) => makeCard(one.name, "Not saved.", thumbnail(one.doc), () => openRecent(one)));
  flyout.replaceChildren(...part("Recent, not saved", kept));
  const { left, bottom } = button.getBoundingClientRect();
  flyout.style.left = `${left}px`;
  flyout.style.top = `${bottom + 6}px`;
  flyout.hidden = false;
  button.setAttribute("aria-expanded", "true");
  focusFirst();
  attempt(addOthers);
}

function focusFirst() {
  (flyout.querySelector("button") ?? flyout).focus();
}

/** A part of the gallery; none without cards. */
function part(/** @type {string} */ title, /** @type {HTMLElement[]} */ cards) {
  return cards.length ? [el("h2", {}, title), el("div", { class: "cards", role: "group", "aria-label": title }, ...cards)] : [];
}

/** Add the drawings on disk, but for those that this page has, and then the shipped environments, which do not move any more. */
async function addOthers() {
  const asked = (listing += 1);
  /** @type {Stored[]} */
  let found = [];
  await attempt(async () => void (found = await get("/api/drawings")));
  if (asked !== listing) return;
  const here = new Set([state.id, ...recent.map((one) => one.id)]);
  const stored = found.filter(({ id }) => !here.has(id)).slice(0, MOST_STORED);
  const own = found.find(({ id }) => id === state.id);
  const versions = (own?.versions ?? []).map((version) => {
    const time = describe(Number(version), true);
    return el("button", { type: "button", class: "version", onclick: () => leaveFor(() => openStored(state.id, version)) }, time);
  });
  if (versions.length) flyout.append(el("h2", {}, "Earlier versions of this drawing, from"), el("div", { class: "versions" }, ...versions));
  const cards = stored.slice(0, AT_FIRST).map(storedCard);
  const rest = stored.slice(AT_FIRST);
  const more = el("button", { type: "button", class: "wide", onclick: () => showMore(more, rest) }, `Show ${rest.length} more`);
  flyout.append(...part("Kept on this computer", cards), ...(rest.length ? [more] : []));
  const shipped = state.known.environments.map((one) => {
    return makeCard(one.name, one.description, thumbnail(docOf(one.content)), () => openShipped(one));
  });
  flyout.append(...part("Shipped environments", shipped));
  if (document.activeElement === flyout) focusFirst();
  drawPictures(cards, stored);
}

function showMore(/** @type {HTMLElement} */ more, /** @type {Stored[]} */ rest) {
  const cards = rest.map(storedCard);
  more.previousElementSibling?.append(...cards);
  more.remove();
  cards[0].focus();
  drawPictures(cards, rest);
}

/** The card of a drawing on disk, which is not read yet. */
function storedCard(/** @type {Stored} */ { id, name, edited_ms: edited, is_changed: isChanged }) {
  return makeCard(name, describe(edited, isChanged), svg("svg", { class: "thumbnail", "aria-hidden": "true" }), () => openStored(id));
}

/** Read drawings on disk, and draw them on their cards. */
function drawPictures(/** @type {HTMLElement[]} */ cards, /** @type {Stored[]} */ stored) {
  return attempt(async () => {
    for (const [k, card] of cards.entries()) {
      if (!card.isConnected) return; // the gallery was opened again
      const { content } = await get(`/api/drawings/${stored[k].id}`);
      card.querySelector("svg")?.replaceWith(thumbnail(docOf(content)));
    }
  });
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
  listing += 1;
  flyout.hidden = true;
  button.setAttribute("aria-expanded", "false");
  if (back) button.focus();
}

function makeCard(
  /** @type {string} */ name, /** @type {string} */ description, /** @type {Element} */ picture, /** @type {() => void} */ choose,
) {
  const texts = el("span", { class: "card-text" }, el("b", {}, name), el("span", { class: "quiet" }, description));
  return el("button", { type: "button", class: "card", "data-name": name, title: description, onclick: () => leaveFor(choose) }, picture, texts);
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
