/** The line at the bottom: the last error or note, until the next change, or for 12 s. */

import { byId } from "./dom.js";
import { live } from "./panels/shown.js";
import { set, state, subscribe } from "./store.js";

const LASTS = 12_000; // [ms]

/** Show the line, and clear it when it is no longer of interest. While the connection is lost it stays. */
export function mountMessage() {
  let isNew = false;
  let timer = 0;
  const clear = () => {
    clearTimeout(timer);
    if (live.lost) timer = setTimeout(clear, LASTS);
    else set({ message: "" });
  };
  subscribe(["message"], () => {
    const line = byId("message", HTMLElement);
    line.textContent = line.title = state.message;
    clearTimeout(timer);
    if (!state.message) return;
    timer = setTimeout(clear, LASTS);
    // What is changed together with the message is what it is about.
    isNew = true;
    setTimeout(() => (isNew = false));
  });
  subscribe(["doc", "panel", "tool", "run", "design", "tube", "saved", "background", "selection", "pack"], () => {
    if (state.message && !isNew && !live.lost) clear();
  });
}
