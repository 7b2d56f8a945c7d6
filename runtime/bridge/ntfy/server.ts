import { z } from "zod";
import { isLoopback } from "../http/address.js";
import { pageLink } from "../page-link.js";

/** `ntfy:` of bridge.yaml: the server, and the topic of each account. */
export const ntfyServer = z
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
  .refine(({ server, plain }) => server.startsWith("https:") || plain || isLoopback(new URL(server)), {
    path: ["server"],
    error: "is without TLS: write https://, or `plain: true` beside it if nobody else is on that network",
  });
export type NtfyServer = z.output<typeof ntfyServer>;
