/** Removal of a drawing's plan when another drawing is opened. */

import { whenReplaced } from "../draw/files.js";
import { store } from "../kept.js";
import { set, state, subscribe } from "../store.js";
import { isPlanning, live } from "./shown.js";
import { clearTree } from "./treelayer.js";

/** Key of what the tab keeps: whether the drawing was opened after the last run was shown. */
export const WITHOUT_RUN = "without run";

/** Forget the run that is shown when another drawing is opened; a plan under way goes on. */
export function mountLeaving() {
  let isElsewhere = false; // whether the plan under way is in another drawing
  // After a reload, too.
  subscribe(["run"], () => void (state.run && store(WITHOUT_RUN, false)));
  whenReplaced(() => {
    store(WITHOUT_RUN, true);
    set({ run: null, design: "best", other: null, growths: [], time: Infinity, trials: null, pack: null });
    isElsewhere = isPlanning();
    if (!isElsewhere) forget();
  });
  subscribe(["plan"], () => {
    if (!isElsewhere || isPlanning()) return;
    isElsewhere = false;
    forget();
  });
}

/** Forget the best design and the tree of the search. */
function forget() {
  live.best = null;
  clearTree();
  set({ plan: { ...state.plan } });
}
