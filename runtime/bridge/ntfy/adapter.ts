import { z } from "zod";
import { outsideAddress, pageLink } from "../http/address.js";
import { bearer } from "../http/fetch.js";
import { accountAddresses, cutTo, definePushChannel, outsideIdOf } from "../push-channel.js";

const PUBLIC = "https://ntfy.sh";

/** Files of earlier versions have `plain` beside `server`. */
function plainWithin(written: unknown): unknown {
  if (typeof written !== "object" || written === null || !("plain" in written)) return written;
  const { plain, server: address = PUBLIC, ...rest } = written as Record<string, unknown>;
  return { ...rest, server: { address, plain } };
}

const ntfyServer = z.strictObject({
  server: outsideAddress().prefault(PUBLIC),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, { error: "must be an access token, such as tk_…" })
    .optional(),
  topics: accountAddresses(
    // as ntfy has them; whoever knows the name can read it, so a short one is none
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "must be 1–64 of A–Z, a–z, 0–9, _ and -" }),
  ),
  link: pageLink.optional(),
});

/** Bytes of a message: ntfy makes a file of a longer one (docs.ntfy.sh/publish, "Limitations"). */
const MAX_BYTES = 4096;
/** ntfy's priorities: 5 rings on and on, 3 is the usual (docs.ntfy.sh/publish, "Message priority"). */
const PRIORITY = { urgent: 5, warning: 4, info: 3 } as const;
/** Short codes of emoji that stand before the title (docs.ntfy.sh/emojis). */
const TAGS = { urgent: ["rotating_light"], warning: ["warning"], info: ["seedling"] } as const;

/** Push to phones by ntfy: `ntfy:` in bridge.yaml has the topic of each account. */
export const ntfyAdapter = definePushChannel({
  name: "ntfy",
  called: "ntfy",
  config: z.preprocess(plainWithin, ntfyServer),
  accounts: "topics",
  secrets: ({ token }) => (token ? [token] : []),
  wrongKey: { statuses: [401, 403], lookAt: "token and topics" },
  // docs.ntfy.sh/config, "Health checks"
  checks: ({ token }) => [
    { path: "v1/health", key: bearer(token), answer: z.object({ healthy: z.literal(true) }) },
  ],
  // docs.ntfy.sh/publish, "Publish as JSON"
  send: (letter, topic, { token, link }) => ({
    path: "",
    key: bearer(token),
    body: {
      topic,
      title: letter.title || "Tendril",
      message: cutTo(MAX_BYTES, letter.text, Buffer.byteLength),
      priority: PRIORITY[letter.severity],
      tags: TAGS[letter.severity],
      // the same again replaces the first (docs.ntfy.sh/publish, "Updating + deleting notifications"; from ntfy 2.16 on)
      sequence_id: outsideIdOf(letter),
      // both only show the page
      ...(link !== undefined && {
        click: link,
        actions: [{ action: "view", label: "Open the page", url: link }],
      }),
    },
    answer: z.object({ id: z.string() }),
  }),
});
