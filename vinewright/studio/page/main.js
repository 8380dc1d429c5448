/** Start of the page: ask the server for the present state, show the first drawing, and connect the parts. */

import { attempt, get, listen, addHandler } from "./api.js";
import { byId, el } from "./dom.js";
import { stateBeside } from "./draw/beside.js";
import { mountDraw } from "./draw/index.js";
import { openContent } from "./draw/files.js";
import { keepAll, keptDrawing, takeKept } from "./draw/keeping.js";
import { mountMessage } from "./message.js";
import { mountPanels } from "./panels/index.js";
import { noteFirstPlan } from "./panels/events.js";
import { set, state, subscribe } from "./store.js";

/** @typedef {import("./types.js").Beside} Beside */
/** @typedef {import("./types.js").Opened} Opened */
/** @typedef {import("./types.js").PlanState} PlanState */

const TABS = [
  ["draw", "Draw"], ["tube", "Tube"], ["plan", "Plan"], ["look", "Look"], ["trust", "Trust"], ["make", "Make"],
];

function mountTabs() {
  const tabs = byId("tabs", HTMLElement);
  for (const [name, title] of TABS) {
    tabs.append(
      el("button", { role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => set({ panel: name }) }, title),
    );
  }
  tabs.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const at = TABS.findIndex(([name]) => name === state.panel);
    const [name] = TABS[(at + way + TABS.length) % TABS.length];
    set({ panel: name });
    byId(`tab-${name}`, HTMLElement).focus();
    event.preventDefault();
  });
  // What is new is shown from its beginning.
  /** @type {Set<string>} */
  let unread = new Set();
  subscribe(["run"], () => (unread = new Set(["plan", "look", "trust", "make"])));
  subscribe(["panel", "run"], () => {
    for (const [name] of TABS) {
      const chosen = name === state.panel;
      byId(`panel-${name}`, HTMLElement).hidden = !chosen;
      const tab = byId(`tab-${name}`, HTMLElement);
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    if (unread.delete(state.panel)) byId(`panel-${state.panel}`, HTMLElement).scrollTop = 0;
  });
}

/** What belongs to a drawing; a plan of it that ended after it was kept has the newest run. @returns {Partial<Beside>} */
function besideOf(/** @type {Opened | null} */ drawing, /** @type {PlanState} */ { drawing: planned, run }) {
  const kept = /** @type {Partial<Beside>} */ (drawing?.beside ?? {});
  return run && planned === drawing?.id && run !== kept.run ? { ...kept, run, design: "best" } : kept;
}

async function start() {
  mountTabs();
  mountMessage();
  const found = await get("/api/state");
  // The drawing of this tab, as it was before the page was loaded again; else the one that the server has.
  const kept = keptDrawing();
  const drawing = kept ?? found.document;
  const [beside, restore] = [await stateBeside(besideOf(drawing, found.plan)), await takeKept()];
  set({ known: found.known, tube: kept?.tube ?? found.tube });
  mountDraw();
  if (drawing) openContent(drawing, beside);
  mountPanels();
  noteFirstPlan(found.plan);
  if (state.run) set({ panel: "plan" });
  if (kept) restore();
  addHandler("connected", () => document.body.setAttribute("data-connected", ""));
  listen();
  // The address of a studio that was started again: go on there with this drawing.
  window.addEventListener("hashchange", () => {
    keepAll();
    location.reload();
  });
}

// Without the program the reason is said below.
attempt(start).finally(() => byId("opening", HTMLElement).remove());
