import { render } from "preact";
import { App, type LinkTrouble } from "./app.tsx";
import { House } from "./house.js";
import { keepPage, wanted } from "./kept.js";
import { fetchWords, wordsFor } from "./languages.js";
import { beginSession, takeCode } from "./session.js";
import { Taps } from "./taps.js";

/** For the whole page but "Everything off", which always works. Keys are no taps: a click of theirs has no count. */
function guardTaps(): void {
  const taps = new Taps();
  const guard = (event: MouseEvent) => {
    const on = (event.target as Element).closest("button, a, summary");
    if (!on || event.detail === 0 || on.matches(".off")) return;
    const { timeStamp: at, clientX: x, clientY: y } = event;
    if (!taps.isSecond({ at, x, y, on, isAct: on.matches("[data-act], [type=submit]") })) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("click", guard, { capture: true });
}

/** Where the page begins: a link's code becomes a session, then everything is drawn. */
async function begin(): Promise<void> {
  const root = document.getElementById("page");
  if (!root) throw new Error("the page has no place to be drawn");
  guardTaps();
  const code = takeCode();
  let linkTrouble: LinkTrouble | undefined;
  const house = new House();
  const begun = code === undefined ? house.begin() : undefined; // the words come meanwhile
  await fetchWords(wanted()).catch(() => undefined); // then it speaks English
  if (code !== undefined) {
    root.textContent = wordsFor(wanted()).linkOpening;
    await beginSession(code).catch((error: LinkTrouble) => {
      linkTrouble = error;
    });
  }
  root.textContent = "";
  render(<App house={house} linkTrouble={linkTrouble} />, root);
  await (begun ?? house.begin());
  // a link that is opened while the page is open already
  addEventListener("hashchange", () => {
    const another = takeCode();
    if (another !== undefined) void beginSession(another).finally(() => location.reload());
  });
  for (const woken of ["online", "focus", "pageshow"]) addEventListener(woken, () => house.look());
  document.addEventListener("visibilitychange", () => house.look());
  void keepPage();
}

void begin();
