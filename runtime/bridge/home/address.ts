import { z } from "zod";
import { mayBeAsked, urlBelow, withoutTls } from "../http/address.js";

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

/** What stands under `home` in bridge.yaml; without `act_token` the home can only be read. `url`: of the WebSocket API. */
export const homeConfig = z
  .strictObject({ url, read_token: token, act_token: token.optional(), plain: z.boolean().default(false) })
  .refine(({ url, plain }) => mayBeAsked(url, plain), { path: ["url"], error: withoutTls("https") })
  .transform(({ url, read_token, act_token }) => ({ url: socketUrl(url), read_token, act_token }))
  .optional();

export type HomeConfig = NonNullable<z.output<typeof homeConfig>>;

export const homeSecrets = (config: HomeConfig | undefined): readonly string[] =>
  config ? [config.read_token, ...(config.act_token ? [config.act_token] : [])] : [];
