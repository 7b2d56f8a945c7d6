import { useEffect, useState } from "preact/hooks";
import { Waiting } from "./approvals.tsx";
import { monotonic } from "./browser-clock.js";
import { Provide, type Shared, useShared, useView } from "./context.tsx";
import type { House, View } from "./house.js";
import { chosenLanguage } from "./kept.js";
import { LANGUAGES } from "./languages.js";
import type { Refusal } from "./link.js";
import { Alerts } from "./notices.tsx";
import { Now } from "./now.tsx";
import { OffButton, OffNote, useOff } from "./off-button.tsx";
import { Select, Trouble } from "./parts.tsx";
import { EN, type Tab } from "./words.js";

const TABS = Object.keys(EN.tabs) as readonly Tab[];

type Views = typeof import("./views.tsx");

/** The other views, fetched once the first one is drawn, or at once where another one is asked for. */
function useViews(isWanted: boolean, state: View["state"]): Views | undefined {
  const [views, setViews] = useState<Views>();
  useEffect(() => {
    // without a connection it is tried again when there is one
    if (isWanted && !views) import("./views.tsx").then(setViews, () => undefined);
  }, [isWanted, state]);
  return views;
}

/** The view that the address names, so that "back" and a bookmark work. */
const tabIn = (hash: string): Tab => TABS.find((tab) => hash === `#${tab}`) ?? "now";

/** Why a link did not let this browser in. */
export type LinkTrouble = Pick<Refusal, "code" | "message">;

export function App({
  house,
  linkTrouble,
}: {
  readonly house: House;
  readonly linkTrouble: LinkTrouble | undefined;
}) {
  const shared = useView(house);
  const off = useOff(shared);
  const [tab, setTab] = useState(tabIn(location.hash));
  useEffect(() => {
    const follow = () => setTab(tabIn(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => scrollTo(0, 0), [tab]); // where the last view was left says nothing about this one
  const { view, words } = shared;
  const isOut = view.state === "out";
  const views = useViews(view.overview !== undefined || tab !== "now", view.state);
  const isOffTold = off.outcome === "held";
  const tabs = TABS.filter((each) => each !== "chat" || house.isHuman || isUnknown(view));
  return (
    <Provide value={shared}>
      <header class="top">
        <span class="brand">Tendril</span>
        {!isOut && <Tabs tabs={tabs} tab={tab} />}
        <OffButton off={off} />
      </header>
      <OffNote off={off} />
      {!isOut && <State />}
      {!isOut && <Refusals />}
      <main class={view.state === "lost" ? "old" : ""}>
        {!isOut && <h1 class="unseen">{words.tabs[tab]}</h1>}
        {!isOut && tab !== "now" && tab !== "house" && view.overview && (
          <Alerts overview={view.overview} isOffTold={isOffTold} />
        )}
        {!isOut && tab !== "now" && <Waiting overview={view.overview} />}
        {isOut && <Out trouble={linkTrouble} />}
        {!isOut && !view.overview && <p class="quiet wide">{words.connecting}</p>}
        {!isOut && view.overview && <Tabbed tab={tab} isOffTold={isOffTold} shared={shared} views={views} />}
      </main>
      {!isOut && <Foot />}
    </Provide>
  );
}

/** Opened without a connection: it is not known yet whose session this is, and nothing can be asked. */
const isUnknown = ({ state, session }: View): boolean => state === "lost" && session === undefined;

function Tabs({ tabs, tab }: { readonly tabs: readonly Tab[]; readonly tab: Tab }) {
  const { words } = useShared();
  return (
    <nav aria-label={words.views}>
      {tabs.map((each) => (
        <a key={each} href={`#${each}`} aria-current={each === tab ? "page" : undefined}>
          {words.tabs[each]}
        </a>
      ))}
    </nav>
  );
}

function Tabbed({
  tab,
  isOffTold,
  views,
  shared: { view, house, words },
}: {
  readonly tab: Tab;
  readonly isOffTold: boolean;
  readonly views: Views | undefined;
  readonly shared: Shared;
}) {
  const { overview } = view;
  if (!overview) return null;
  if (tab === "now" || (tab === "chat" && !house.isHuman && !isUnknown(view)))
    return <Now overview={overview} isOffTold={isOffTold} />;
  if (!views || (isUnknown(view) && tab !== "house"))
    return <p class="card wide">{view.state === "lost" ? words.needsConnection : words.connecting}</p>;
  const Behind = views[tab];
  return <Behind overview={overview} isOffTold={isOffTold} />;
}

/** What is shown may be old: said in words, and everything is grey then. */
function State() {
  const { view, words, clock, nowMs } = useShared();
  if (view.state !== "lost") return null;
  if (view.fetchedAt === undefined)
    return (
      <p class="lost" role="status">
        {words.lostKept(`${clock.minute(nowMs)} ${clock.zone}`)}
      </p>
    );
  const seconds = Math.round((monotonic() - view.fetchedAt) / 1000);
  return (
    <p class="lost" role="status">
      {seconds > 0 ? words.lostFor(seconds) : words.lost}
    </p>
  );
}

/** What the view lacks, because the runtime refused to answer. */
function Refusals() {
  const { view } = useShared();
  return (
    <>
      {view.refusals?.map((refusal) => (
        <div key={refusal.message} class="note fault wide">
          <Trouble error={refusal} />
        </div>
      ))}
    </>
  );
}

function Foot() {
  const { house, view, words, names, clock, nowMs } = useShared();
  const { overview, session } = view;
  return (
    <footer>
      {overview && (
        <span>
          {clock.minute(nowMs)} {clock.zone}
          {overview.board === "bench" && ` · ${words.bench}`}
        </span>
      )}
      {session && (
        <span>{session.role === "observer" ? words.observer : words.actsAs(names.holder(session))}</span>
      )}
      <Select
        label={words.speak}
        value={chosenLanguage()}
        options={[["", `${words.speak}: ${words.speakAuto}`], ...LANGUAGES]}
        choose={(language) => void house.speak(language).catch((error) => house.refused(LANGUAGES, error))}
      />
      <button type="button" class="link" onClick={() => void house.leave()}>
        {words.leave}
      </button>
    </footer>
  );
}

/** For a browser without a session: how to get one. */
function Out({ trouble }: { readonly trouble: LinkTrouble | undefined }) {
  const { words, view } = useShared();
  return (
    <section class="card out">
      <h1>{words.outTitle}</h1>
      {trouble !== undefined && (
        <p class="note fault" role="alert">
          {words.linkFailed} {words.refusals[trouble.code] ?? <span lang="en">{trouble.message}</span>}
        </p>
      )}
      <p>{view.isEnded ? words.outEnded : words.outWhy}</p>
      <p>
        {words.outHow} <code>tendril open</code> {words.outThen}
      </p>
    </section>
  );
}
