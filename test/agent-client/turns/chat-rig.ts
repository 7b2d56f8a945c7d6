import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import { type ModelChoice, oneModel } from "../../../agent-client/cycle/cycle.js";
import { Log } from "../../../agent-client/cycle/log.js";
import { Caretaker } from "../../../agent-client/models/caretaker.js";
import type { Model } from "../../../agent-client/models/model.js";
import { DurableFile } from "../../../agent-client/state/state-folder.js";
import { Attempts, attemptsFile } from "../../../agent-client/turns/task.js";
import { WaitingTurns } from "../../../agent-client/turns/waiting-turns.js";
import type { ChatMessages } from "../../../runtime/wire/chats.js";
import { agentOf, type WiredRig, wiredRig } from "../agenda-rig.js";

/** Monday morning; Anna lives two hours ahead of it. */
export const MORNING = "2026-06-01T08:00:00.000Z";
const CONFIG = `server: { calls_per_second: 100000 }
people:
  - { id: anna, name: Anna, zone: Europe/Berlin, tokens: [human.anna] }
  - { id: ben, tokens: [human.ben] }
`;
export const ANNA = { as: "human", token: "human.anna" } as const;

/** Anna and an agent over real sockets; the plant's time stands still. */
export interface ChatRig extends WiredRig {
  /** Anna writes, and the agent does what waits. */
  say(text: string): Promise<string>;
  write(text: string): Promise<unknown>;
  /** The agent does what waits. */
  look(): Promise<void>;
  /** What stands in Anna's chat. */
  chat(): Promise<ChatMessages>;
  /** The text of the newest message, if it is the agent's. */
  answer(): Promise<string>;
  /** Another agent with the same folder and name, as after a restart. */
  agent(model?: Model | ModelChoice, signal?: AbortSignal): Promise<WaitingTurns>;
  readonly folderOfAgent: string;
  /** The lines of the agent's log. */
  readonly lines: string[];
}

export async function chatRig(t: Test, model?: Model | ModelChoice): Promise<ChatRig> {
  const wired = await wiredRig(t, { config: CONFIG, start: MORNING });
  const folderOfAgent = mkdtempSync(join(tmpdir(), "tendril-chat-"));
  t.teardown(() => rmSync(folderOfAgent, { recursive: true, force: true }));
  const lines: string[] = [];
  const agent: ChatRig["agent"] = async (by = new Caretaker(), signal = new AbortController().signal) => {
    const say = (text: string) => void lines.push(text);
    return new WaitingTurns({
      runtime: await agentOf(t, wired, "the-agent"),
      models: "first" in by ? by : oneModel(by),
      log: new Log({ write: (text: string) => lines.push(text) }, {}),
      clock: new SystemClock(),
      signal: ended(t, signal),
      maxRounds: 24,
      newKey: () => randomUUID(),
      say,
      attempts: new Attempts(new DurableFile(join(folderOfAgent, "attempts.json"), attemptsFile), say),
    });
  };
  const first = await agent(model);
  const write = (text: string) => wired.rig.get("send_chat_message", { text }, ANNA);
  const chat = async () => (await wired.rig.get("list_chat_messages", { limit: 100 }, ANNA)) as ChatMessages;
  const answer = async () => {
    const newest = (await chat()).messages.at(-1);
    return newest?.from === "agent" ? newest.text : "";
  };
  const look = () => first.look();
  const say = async (text: string) => {
    await write(text);
    await look();
    return answer();
  };
  return { ...wired, say, write, look, chat, answer, agent, folderOfAgent, lines };
}

/** Aborted with the given one, and at the end of the test: looks that were put off wait no longer. */
function ended(t: Test, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  t.teardown(() => over.abort());
  return AbortSignal.any([signal, over.signal]);
}
