import { z } from "zod";
import type { LetterToSend } from "../../wire/channels.js";
import { defineAdapter, JobFailure, notConfigured } from "../adapter.js";
import { reportMissing } from "../channel-reports.js";
import { mayBeAsked, pageLink, withoutTls } from "../http/address.js";
import { bearer, fetchText } from "../http/fetch.js";
import { outsideIdOf, PushChannel, pushFailure } from "../push-channel.js";

/** `ntfy:` of bridge.yaml: the server, and the topic of each account. */
const ntfyServer = z
  .strictObject({
    server: z.url({ protocol: /^https?$/ }).default("https://ntfy.sh"),
    plain: z.boolean().default(false),
    token: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, { error: "must be an access token, such as tk_…" })
      .optional(),
    topics: z.record(
      z.string(),
      // as ntfy has them; whoever knows the name can read it, so a short one is none
      z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "must be 1–64 of A–Z, a–z, 0–9, _ and -" }),
    ),
    link: pageLink.optional(),
  })
  .refine(({ server, plain }) => mayBeAsked(new URL(server), plain), {
    path: ["server"],
    error: withoutTls("https"),
  });
type NtfyServer = z.output<typeof ntfyServer>;

const CHANNEL = "ntfy";

/** Push to phones by ntfy: `ntfy:` in bridge.yaml has the topic of each account. */
export const ntfyAdapter = defineAdapter({
  name: CHANNEL,
  key: CHANNEL,
  config: ntfyServer.optional(),
  secrets: (server) =>
    server ? [...Object.values(server.topics), ...(server.token ? [server.token] : [])] : [],
  open: (server, context) => {
    if (!server) {
      reportMissing(CHANNEL, context);
      return { deliver: notConfigured("`ntfy:`") };
    }
    const channel = new PushChannel(CHANNEL, context, {
      check: (signal) => assertHealthy(server, signal),
      send: (letter, signal) => publish(server, letter, signal),
    });
    void channel.run();
    return { deliver: channel.deliver };
  },
});

/** Bytes of a message: ntfy makes a file of a longer one (docs.ntfy.sh/publish, "Limitations"). */
const MAX_BYTES = 4096;
const CUT = "… (the rest is on the page)";
/** ntfy's priorities: 5 rings on and on, 3 is the usual (docs.ntfy.sh/publish, "Message priority"). */
const PRIORITY = { urgent: 5, warning: 4, info: 3 } as const;
/** Short codes of emoji that stand before the title (docs.ntfy.sh/emojis). */
const TAGS = { urgent: ["rotating_light"], warning: ["warning"], info: ["seedling"] } as const;

/** Publishes as JSON (docs.ntfy.sh/publish, "Publish as JSON"). Throws JobFailure. */
async function publish(server: NtfyServer, letter: LetterToSend, signal: AbortSignal): Promise<void> {
  const { to, title, text, severity } = letter;
  const topic = Object.hasOwn(server.topics, to) ? server.topics[to] : undefined;
  if (topic === undefined)
    throw new JobFailure(
      "NOT_CONFIGURED",
      "the bridge's file has no topic for this account under ntfy: topics:",
    );
  const { link } = server;
  const message = {
    topic,
    title: title || "Tendril",
    message: fitting(text),
    priority: PRIORITY[severity],
    tags: TAGS[severity],
    // the same again replaces the first (docs.ntfy.sh/publish, "Updating + deleting notifications"; from ntfy 2.16 on)
    sequence_id: outsideIdOf(letter),
    // both only show the page
    ...(link !== undefined && {
      click: link,
      actions: [{ action: "view", label: "Open the page", url: link }],
    }),
  };
  await ask(server, "", signal, message);
}

/** Whether the server is there (docs.ntfy.sh/config, "Health checks"). Throws JobFailure. */
const assertHealthy = (server: NtfyServer, signal: AbortSignal): Promise<void> =>
  ask(server, "v1/health", signal);

/** Whole characters, and a mark where something is cut off. */
function fitting(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  let left = MAX_BYTES - Buffer.byteLength(CUT);
  let kept = "";
  for (const sign of text) {
    left -= Buffer.byteLength(sign);
    if (left < 0) break;
    kept += sign;
  }
  return `${kept}${CUT}`;
}

/** Bytes of ntfy's answer. A choice: it repeats the message and says a few words more. */
const MAX_ANSWER = 100_000;

async function ask(
  { server, plain, token }: NtfyServer,
  path: string,
  signal: AbortSignal,
  body?: object,
): Promise<void> {
  const request = {
    what: "the ntfy service",
    address: { url: new URL(path, server.replace(/\/*$/, "/")), plain },
    accept: "application/json",
    most: MAX_ANSWER,
    key: bearer(token),
    ...(body && { body: JSON.stringify(body) }),
  };
  await fetchText(request, signal).catch((error: unknown) => {
    throw error instanceof JobFailure ? pushFailure("ntfy", "token and topics", error) : error;
  });
}
