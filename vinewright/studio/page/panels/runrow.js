/** A run in the list: its small picture, its numbers, and what can be done with it. */

import { attempt, get, post } from "../api.js";
import { docOf } from "../draw/shapes.js";
import { thumbnail } from "../draw/thumbnail.js";
import { el, svg } from "../dom.js";
import { state } from "../store.js";
import { compareWith } from "./compare.js";
import { actuatorsWords, dateWords, lengthWords, percent } from "./words.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Success} Success */
/** @typedef {{name: string, environment: string, actuators: number, length: number, success: Success | null, changed: string}} Row */
/** @typedef {{content: Content, line: Point[], radius: number}} Small */

const MOST_PICTURES = 300; // that are kept

/** What is open in the list: the actions of a run, its new name, or the question whether it shall be deleted. */
const opened = { name: "", part: /** @type {"actions" | "rename" | "delete"} */ ("actions"), text: "" };

/** Small pictures by name and time of their runs; null for one without. @type {Map<string, Small | null>} */
const pictures = new Map();

/** Pictures are made when they come into view. */
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    showPicture(target);
  }
});

/**
 * @typedef {object} Calls
 * @property {() => void} open opens the run
 * @property {() => void} redraw shows the list again, after a change of what is open in it
 * @property {() => Promise<void>} refresh asks for the list again, after a change of the runs
 */

/** Make the row of a run. */
export function runRow(/** @type {Row} */ { name, environment, actuators, length, success, changed }, /** @type {Calls} */ calls) {
  const facts = `${actuatorsWords(actuators)}, ${lengthWords(length)}${success ? `, ${percent(success.reached / success.trials)} %` : ""}`;
  const picture = el("span", { class: "picture", "data-picture": name, "data-changed": changed });
  observer.observe(picture);
  const button = el(
    "button",
    { type: "button", class: "run", "data-run": name, "data-focus": `run ${name}`, title: `Open ${name}, a plan in ${environment}`, onclick: calls.open },
    picture, el("span", { class: "name" }, name), el("span", { class: "quiet" }, dateWords(changed)), el("span", { class: "facts-line" }, facts),
  );
  const isOpen = opened.name === name;
  const toggle = () => {
    Object.assign(opened, { name: isOpen ? "" : name, part: "actions", text: name });
    calls.redraw();
  };
  const more = el("button", {
    type: "button", class: "more", "aria-expanded": String(isOpen), "aria-label": `Compare, rename or delete ${name}`,
    title: "Compare, rename, delete", "data-focus": `more ${name}`, onclick: toggle,
  }, "⋯");
  return el("div", { class: "run-row" }, button, more, isOpen && openedPart(name, calls));
}

/** Focus an element of the list by what it is. */
export function focusOn(/** @type {string} */ what) {
  const found = document.querySelector(`#runs [data-focus="${CSS.escape(what)}"]`);
  if (found instanceof HTMLElement) found.focus();
}

async function showPicture(/** @type {Element} */ place) {
  const name = place.getAttribute("data-picture") ?? "";
  const key = `${name} ${place.getAttribute("data-changed")}`;
  if (!pictures.has(key)) {
    for (const old of pictures.keys()) if (pictures.size >= MOST_PICTURES) pictures.delete(old);
    pictures.set(key, await get(`/api/runs/${encodeURIComponent(name)}/thumbnail`).catch(() => null));
  }
  const found = pictures.get(key);
  if (!found) return;
  const picture = thumbnail(docOf(found.content));
  const d = found.line.map(([x, y], k) => `${k ? "L" : "M"}${x} ${y}`).join("");
  picture.querySelector("g")?.append(svg("path", { class: "small-tube", d, "stroke-width": 2 * found.radius }));
  place.replaceChildren(picture);
}

/** The part that is open below a run. */
function openedPart(/** @type {string} */ name, /** @type {Calls} */ { redraw, refresh }) {
  const show = (/** @type {"rename" | "delete"} */ part) => {
    opened.part = part;
    redraw();
    focusOn(part === "rename" ? `name ${name}` : `keep ${name}`);
    const { activeElement } = document;
    if (activeElement instanceof HTMLInputElement) activeElement.select();
    activeElement?.closest(".run-row")?.scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    opened.name = "";
    redraw();
    focusOn(`more ${name}`);
  };
  const done = async (/** @type {string | undefined} */ now) => {
    opened.name = "";
    await refresh();
    if (now !== undefined) focusOn(`more ${now}`);
    else /** @type {HTMLElement | null} */ (document.querySelector("#runs .run"))?.focus();
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  const parts = { actions: actionsPart, rename: renamePart, delete: deletePart };
  return el("div", { class: "run-actions", onkeydown: key }, ...parts[opened.part](name, { show, close, done }));
}

/**
 * @typedef {object} Ways
 * @property {(part: "rename" | "delete") => void} show
 * @property {() => void} close
 * @property {(now?: string) => Promise<void>} done shows the list after a change, with the focus at the run
 */
/** @typedef {(name: string, ways: Ways) => HTMLElement[]} Part */

/** @type {Part} */
function actionsPart(name, { show, close }) {
  const shown = state.run?.name;
  const why = !shown ? "Open a run first: it is compared with that." : shown === name ? "This run is shown." : "";
  const compare = () => {
    close();
    compareWith(name);
  };
  return [
    button("Compare", `compare ${name}`, compare, why || `Compare it with ${shown}`, Boolean(why)),
    button("Rename…", `rename ${name}`, () => show("rename")), button("Delete…", `delete ${name}`, () => show("delete")),
  ];
}

/** @type {Part} */
function renamePart(name, { close, done }) {
  const input = el("input", {
    type: "text", value: opened.text, maxlength: 80, "aria-label": `New name of ${name}`, "data-focus": `name ${name}`, spellcheck: "false",
    oninput: () => (opened.text = input.value),
    onkeydown: (/** @type {KeyboardEvent} */ event) => void (event.key === "Enter" && save()),
  });
  const save = () => attempt(async () => {
    await done((await post(`/api/runs/${encodeURIComponent(name)}/rename`, { name: input.value.trim() })).name);
  });
  return [input, button("Rename", `save ${name}`, save), button("Cancel", `cancel ${name}`, close)];
}

/** @type {Part} */
function deletePart(name, { close, done }) {
  const remove = () => attempt(async () => {
    await post(`/api/runs/${encodeURIComponent(name)}/delete`, {});
    await done();
  });
  const question = `Delete ${name} with all its files? This cannot be undone.`;
  return [el("p", {}, question), button("Delete", `remove ${name}`, remove), button("Keep", `keep ${name}`, close)];
}

function button(
  /** @type {string} */ text, /** @type {string} */ focus, /** @type {() => void} */ onclick, title = "", disabled = false,
) {
  return el("button", { type: "button", "data-focus": focus, title: title || null, disabled, onclick }, text);
}
