/** Starts the page: asks the server for the present state, shows the first drawing, and connects the parts. */

import { attempt, get, listen, on } from "./api.js";
import { byId, el } from "./dom.js";
import { mountDraw } from "./draw/index.js";
import { openContent } from "./draw/files.js";
import { keptDrawing } from "./draw/keeping.js";
import { mountPanels } from "./panels/index.js";
import { set, state, subscribe } from "./store.js";

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
  subscribe(["panel"], () => {
    for (const [name] of TABS) {
      const chosen = name === state.panel;
      byId(`panel-${name}`, HTMLElement).hidden = !chosen;
      const tab = byId(`tab-${name}`, HTMLElement);
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
  });
}

async function start() {
  mountTabs();
  subscribe(["message"], () => (byId("message", HTMLElement).textContent = state.message));
  const found = await get("/api/state");
  // The drawing of this tab, as it was before the page was loaded again; else the one that the server has.
  const kept = keptDrawing();
  set({ known: found.known, tube: kept?.tube ?? found.tube, plan: found.plan });
  mountDraw();
  mountPanels();
  const drawing = kept ?? found.document;
  if (drawing) openContent(drawing);
  if (found.run) await attempt(async () => set({ run: await get(`/api/runs/${encodeURIComponent(found.run)}`), panel: "plan" }));
  on("connected", () => document.body.setAttribute("data-connected", ""));
  listen();
}

attempt(start);
