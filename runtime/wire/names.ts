/** Paths that a runtime serves over HTTP. */
export const PATHS = {
  mcp: "/mcp",
  /** The runtime proves here that it knows a token, see proof.ts. */
  proof: "/proof",
  /** A client gets a token for a code here, see pairing.ts. */
  pair: "/pair",
  /** A person on the runtime's own machine makes, sees and voids a code here. */
  pairing: "/pairing",
  /** A person on the runtime's own machine makes links for browsers here, and sees and ends their sessions. */
  sessions: "/sessions",
  /** A browser begins its session here, sees it and ends it, see owner-page.ts. */
  session: "/session",
  /** The page of a person sees and ends the sessions of all browsers here. */
  allSessions: "/session/all",
  /** The configuration in force, for the page of a person. */
  configuration: "/configuration",
  /** The page of a person sees backups here, and makes one, see owner-page.ts. */
  backups: "/backups",
  /** The owner's page has the doctor look at the machine here, see owner-page.ts. */
  doctor: "/doctor",
  /** The owner's page sees and revokes tokens here, see owner-page.ts. */
  tokens: "/tokens",
  /** A person uploads files here, and signed links open them. */
  media: "/media",
  /** Switches everything off; without a token, only from the runtime's own machine. */
  off: "/off",
} as const;

/** A request of the page carries this header with any value: a page of another origin cannot add it unasked. */
export const PAGE_HEADER = "x-tendril-page";

/** The link to the page ends with `#open=CODE`. A browser never sends this part of an address. */
export const LINK_MARK = "open=";

/** Keys of `_meta` in a request: in `tools/call`, and `toolsets` in `tools/list`. */
export const META = {
  /** The name of one of the agents that share a token. */
  agent: "tendril/agent",
  /** Overrides a refusal, by its code. Only a person's token may send it. */
  confirm: "tendril/confirm",
  /** A repeated call with the same key returns the first result and does nothing. */
  idempotencyKey: "tendril/idempotency-key",
  /** The toolsets whose tools are wanted; all tools if it is absent. */
  toolsets: "tendril/toolsets",
  /** The turn in which the agent calls, see chats.ts. */
  turn: "tendril/turn",
} as const;

/** Keys of `_meta` in a result of `tools/call`. */
export const RESULT_META = {
  /** Where words of strangers in the result came from. Absent if there are none. */
  untrusted: "tendril/untrusted",
  /** What in those words reads as if it was written for a model. Advisory; absent if there is nothing. */
  suspicious: "tendril/suspicious",
} as const;

/** Keys of `_meta` of a tool in `tools/list`. */
export const TOOL_META = {
  /** It speaks to people: once a cycle is enough. */
  speaks: "tendril/speaks",
  /** It belongs to the tools for a care cycle. */
  care: "tendril/care",
} as const;

/** The MCP resource that says what needs care, see agenda.ts. */
export const AGENDA_URI = "tendril://agenda";

/** The MCP resource of one photo. */
export const photoUri = (plant: string, timestamp: string): string =>
  `tendril://photos/${plant}/${timestamp}.jpg`;

/** Plant and timestamp of a photo's URI; undefined for any other URI. */
export function photoIn(uri: string): { plant: string; timestamp: string } | undefined {
  const [, plant, timestamp] = /^tendril:\/\/photos\/([a-z0-9_-]+)\/([\d:.TZ-]+)\.jpg$/.exec(uri) ?? [];
  return plant && timestamp ? { plant, timestamp } : undefined;
}

/** The reason of the hold that *Everything off* on the page sets. */
export const OFF_REASON = "switched off on the page";

/** The reason of the hold while the probe is out of its pot. A later calibration takes such a hold over. */
export const OUT_OF_POT = "the probe is out of its pot, being calibrated";
/** The reason of lifting it. */
export const BACK_IN_POT = "the probe is back in its pot";

/** Why a request ended that waited for a person's yes: its plant was put on hold, or everything was switched off. */
export const HELD = "put on hold";
export const ALL_OFF = "everything was switched off";

/** Characters of a message in a chat. A choice: some pages of text. */
export const LONGEST_CHAT_TEXT = 8000;
