/** The theme: that of the system, light or dark. The choice is kept for all studios at this address. */

import { byId } from "./dom.js";

const KEY = "vinewright theme";
/** Themes, in the order of the switch, and where the dark colours apply. */
const MEDIA = { system: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };
const NAMES = /** @type {(keyof typeof MEDIA)[]} */ (Object.keys(MEDIA));

/** @type {(() => void)[]} */
const listeners = [];

/** The theme that is chosen. */
export let theme = stored();

function stored() {
  try {
    return NAMES.find((name) => name === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system"; // without a storage
  }
}

/** Choose the next theme, and keep it. */
export function chooseNextTheme() {
  theme = NAMES[(NAMES.indexOf(theme) + 1) % NAMES.length];
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The page has it until it is loaded again.
  }
  apply();
}

/** Call a listener when the colours have changed. */
export function whenThemeChanges(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

function apply() {
  byId("dark", HTMLLinkElement).media = MEDIA[theme];
  notify();
}

function notify() {
  for (const listener of listeners) listener();
}

matchMedia(MEDIA.system).addEventListener("change", notify);
byId("dark", HTMLLinkElement).addEventListener("load", notify); // its colours may come after the choice
apply();
