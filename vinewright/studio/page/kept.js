/**
 * Values that a tab keeps when its page is loaded again: in the storage of the browser for the tab, by the token of the studio, so that
 * another studio finds nothing of it.
 */

const PREFIX = "vinewright ";

/** The prefix of the keys of the studio at the present address, which changes before the page is loaded again. */
function prefix() {
  return `${PREFIX}${location.hash.slice(1)} `;
}

/** Store a value; a full or forbidden storage keeps nothing. */
export function store(/** @type {string} */ key, /** @type {unknown} */ value) {
  try {
    sessionStorage.setItem(prefix() + key, JSON.stringify(value));
  } catch {
    // The page works without it, until it is loaded again.
  }
}

/** Load a stored value; null if there is none. @returns {any} */
export function loadStored(/** @type {string} */ key) {
  try {
    const text = sessionStorage.getItem(prefix() + key);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Remove what was kept for studios that have ended. */
function tidyUp() {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX) && !key.startsWith(prefix())) sessionStorage.removeItem(key);
    }
  } catch {
    // Without a storage there is nothing to remove.
  }
}

tidyUp();
