import { useEffect, useState } from "preact/hooks";
import { Waiting } from "./approvals.tsx";
import { monotonic } from "./browser-clock.js";
import { Chat } from "./chat.tsx";
import { Provide, type Shared, useShared, useView } from "./context.tsx";
import type { House, View } from "./house.js";
import { HouseView } from "./house-view.tsx";
import { Lists } from "./lists.tsx";
import { Now } from "./now.tsx";
import { OffButton, OffNote, useOff } from "./off-button.tsx";
import { Out } from "./out.tsx";
import { Photos } from "./photos.tsx";
import { Story } from "./story.tsx";

const TABS = ["now", "story", "photos", "chat", "lists", "house"] as const;
type Tab = (typeof TABS)[number];

/** The view that the address names, so that "back" and a bookmark work. */
const tabIn = (hash: string): Tab => TABS.find((tab) => hash === `#${tab}`) ?? "now";

export function App({ house, linkTrouble }: { readonly house: House; readonly linkTrouble: string }) {
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
        {!isOut && <h1 class="unseen">{words[tab]}</h1>}
        {!isOut && tab !== "now" && <Waiting overview={view.overview} />}
        {isOut && <Out trouble={linkTrouble} />}
        {!isOut && !view.overview && <p class="quiet wide">{words.connecting}</p>}
        {!isOut && view.overview && <Tabbed tab={tab} shared={shared} />}
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
          {words[each]}
        </a>
      ))}
    </nav>
  );
}

function Tabbed({ tab, shared: { view, house, words } }: { readonly tab: Tab; readonly shared: Shared }) {
  const { overview } = view;
  if (!overview) return null;
  if (isUnknown(view) && tab !== "now" && tab !== "house")
    return <p class="card wide">{words.needsConnection}</p>;
  if (tab === "story") return <Story overview={overview} />;
  if (tab === "house") return <HouseView overview={overview} />;
  if (tab === "lists") return <Lists />;
  if (tab === "photos") return <Photos overview={overview} />;
  if (tab === "chat" && house.isHuman) return <Chat />;
  return <Now overview={overview} />;
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
  const { view, words } = useShared();
  return (
    <>
      {view.refusals?.map((message) => (
        <p key={message} class="note fault wide" role="alert">
          {words.failed} {message}
        </p>
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
          {words.clock(clock.minute(nowMs), clock.zone)}
          {overview.board === "bench" && ` · ${words.bench}`}
        </span>
      )}
      {session && (
        <span>{session.role === "observer" ? words.observer : words.actsAs(names.holder(session))}</span>
      )}
      <button type="button" class="link" onClick={() => void house.leave()}>
        {words.leave}
      </button>
    </footer>
  );
}
