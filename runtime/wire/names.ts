/** Paths that a runtime serves over HTTP. */
export const PATHS = {
  mcp: "/mcp",
  /** Where a runtime shows that it knows a token, see identity.ts. */
  proof: "/proof",
  /** Where a client fetches a token for a code, see pairing.ts. */
  pair: "/pair",
  /** Where a person on the runtime's own machine opens, sees and voids a code. */
  pairing: "/pairing",
  /** Switches everything off; without a token, on the runtime's own machine alone. */
  off: "/off",
} as const;

/** Keys of `_meta` in a request: of `tools/call`, and `toolsets` of `tools/list`. */
export const META = {
  /** Names the agent where several share a token. */
  agent: "tendril/agent",
  /** Overrides a refusal, by its code. Only a person's token may send it. */
  confirm: "tendril/confirm",
  /** A repeated call with the same key returns the first result and moves nothing. */
  idempotencyKey: "tendril/idempotency-key",
  /** The names of the toolsets whose tools are wanted; all tools where it is absent. */
  toolsets: "tendril/toolsets",
} as const;

/** Keys of `_meta` of a tool in `tools/list`. */
export const TOOL_META = {
  /** It speaks to people: once a cycle is enough. */
  speaks: "tendril/speaks",
  /** It is part of what a care cycle needs. */
  care: "tendril/care",
} as const;

/** The MCP resource that says what calls for care, see agenda.ts. */
export const AGENDA_URI = "tendril://agenda";

/** The MCP resource of one photo. */
export const photoUri = (plant: string, timestamp: string): string =>
  `tendril://photos/${plant}/${timestamp}.jpg`;

/** Plant and timestamp of a photo's URI; undefined for any other URI. */
export function photoIn(uri: string): { plant: string; timestamp: string } | undefined {
  const [, plant, timestamp] = /^tendril:\/\/photos\/([a-z0-9_-]+)\/([\d:.TZ-]+)\.jpg$/.exec(uri) ?? [];
  return plant && timestamp ? { plant, timestamp } : undefined;
}
