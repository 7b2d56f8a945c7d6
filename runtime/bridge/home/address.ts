import { z } from "zod";
import { mayBeAsked, urlBelow, withoutTls } from "../http/address.js";

/** What stands under `home` in bridge.yaml. */
export interface HomeConfig {
  /** Of the WebSocket API: ws://HOST:PORT/api/websocket */
  readonly url: URL;
  readonly read_token: string;
  /** Without it the home can only be read. */
  readonly act_token?: string | undefined;
}

const ADDRESS =
  "must be Home Assistant's address, as https://home.example.com or http://homeassistant.local:8123";

/** [developers.home-assistant.io, WebSocket API: /api/websocket]; below the path of the address, for a proxy. */
function socketUrl(address: URL): URL {
  const socket = urlBelow(address, "api/websocket");
  socket.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return socket;
}

const url = z
  .string()
  .trim()
  .refine((text) => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text), { error: ADDRESS, abort: true })
  .refine((text) => !/[?#@]/.test(text), { error: ADDRESS, abort: true })
  .transform((text) => new URL(text));

/** A long-lived access token; nothing else could be one. */
const token = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{20,}$/, {
    error: "must be a long-lived access token: Home Assistant makes one (profile, security)",
  });

export const homeConfig = z
  .strictObject({ url, read_token: token, act_token: token.optional(), plain: z.boolean().default(false) })
  .refine(({ url, plain }) => mayBeAsked(url, plain), { path: ["url"], error: withoutTls("https") })
  .transform(({ url, read_token, act_token }): HomeConfig => ({ url: socketUrl(url), read_token, act_token }))
  .optional();

export const homeSecrets = (config: HomeConfig | undefined): readonly string[] =>
  config ? [config.read_token, ...(config.act_token ? [config.act_token] : [])] : [];
