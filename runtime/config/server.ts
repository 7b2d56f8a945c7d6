import { isAbsolute } from "node:path";
import { z } from "zod";

/** Whether only this machine can reach a port on this address. */
export const isOwnMachine = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

const file = z
  .string()
  .refine(isAbsolute, { error: "must be an absolute path: a service starts in another folder than you do" })
  .optional();

const tls = z
  .strictObject({
    host: z.string().min(1).default("0.0.0.0").describe("address to bind"),
    port: z.int().min(0).max(65_535).default(8732).describe("0 takes a free one"),
    cert: file.describe(
      "PEM, the server's own certificate first; without it, one made here, in the state folder",
    ),
    key: file.describe("PEM, readable by the service alone"),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    path: ["cert"],
    error: "cert and key go together: write both, or neither",
  });

/** Where the runtime listens, and its limits. */
export const server = z
  .strictObject({
    host: z.string().min(1).default("127.0.0.1").describe("address to bind; loopback unless told otherwise"),
    port: z.int().min(0).max(65_535).default(8731).describe("0 takes a free one"),
    tls: tls.optional().describe("a second port with TLS, for the network; {} takes all its defaults"),
    plain_too: z
      .boolean()
      .default(false)
      .describe("open the port without TLS to the network, where host says so"),
    announce: z
      .boolean()
      .default(true)
      .describe(
        "tell the network by mDNS that there is a runtime, for tendril agent --discover; on loopback there is nobody to tell",
      ),
    public_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("how others reach this runtime, for photo links"),
    allowed_hosts: z.array(z.string().min(1)).default([]).describe("further host names that clients may use"),
    max_connections: z
      .int()
      .min(1)
      .max(1000)
      .default(32)
      .describe("WebSocket connections at once, and as many HTTP exchanges"),
    max_frame_bytes: z
      .int()
      .min(16_384)
      .max(16_777_216)
      .default(1_048_576)
      .describe("the largest message over a WebSocket"),
    calls_per_second: z.number().min(1).max(100_000).default(50).describe("sustained rate per token"),
  })
  .superRefine((config, ctx) => {
    const message = plainPortTrouble(config);
    if (message !== undefined) ctx.addIssue({ code: "custom", path: ["host"], message });
  });

export type ServerConfig = z.output<typeof server>;

/** Nobody opens the port without TLS to the network by accident. Undefined if all is well. */
export function plainPortTrouble({
  host,
  plain_too,
}: Pick<ServerConfig, "host" | "plain_too">): string | undefined {
  if (plain_too || isOwnMachine(host)) return undefined;
  return `${host} would leave the port without TLS open to the network, where anybody can read the tokens: leave it out and use tls: {}, or say so with plain_too: true (--plain-too)`;
}
