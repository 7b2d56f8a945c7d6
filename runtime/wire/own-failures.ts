/**
 * What our own adapters say of a failure: sentences whose every word is in this program. To read one of these is not to read words of
 * strangers, whoever sends it. A captured bridge, or a server that has a say in an error, can say nothing with them that is not here.
 */

/** Of Node and its resolver (errno(3), getaddrinfo(3)), as far as connections end with them. */
const SYSTEM =
  "(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|no reason)";
const SERVER = "(?:the search engine|the calendar|the embedding model|the model for answers)'s server";
/** A status of HTTP, or a reply of SMTP. */
const STATUS = "\\(\\d{3}\\)";

const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  NOT_CONNECTED: [
    "the connection to Home Assistant (?:is not there yet|was lost|has ended)",
    "Home Assistant did not answer: (?:Home Assistant took too long|the time was over|the connection ended)",
    "Home Assistant (?:does not answer the log-in|closed the connection)",
    `Home Assistant cannot be reached \\(${SYSTEM}\\)`,
    `the name of Home Assistant's computer cannot be looked up \\(${SYSTEM}\\)`,
  ],
  NOT_CONFIGURED: [
    "bridge\\.yaml has no act_token under home: the home can only be read",
    "the bridge's file has no `home`: docs/bridge\\.md",
    "the bridge's file has no address for (?:duckduckgo|searxng)",
  ],
  TOO_SLOW: [
    `${SERVER} took too long`,
    "the search engine's page takes too long to read",
    "the mail server took too long to answer",
    "the time was over before the call was sent",
  ],
  UNREACHABLE: [
    `${SERVER} cannot be reached \\(${SYSTEM}\\)`,
    `the name of ${SERVER} cannot be looked up \\(${SYSTEM}\\)`,
    "the name of the mail server cannot be looked up",
    `the mail server cannot be reached \\(${SYSTEM}\\)`,
  ],
  CUT_OFF: [`${SERVER} ended in the middle`, "the connection to the mail server ended in the middle"],
  TRY_LATER: [`the mail server says to try again later ${STATUS}: in ten minutes, for example`],
  RECIPIENT_REFUSED: [`the mail server refused this recipient ${STATUS}`],
  MAIL_REFUSED: [`the mail server refused the mail ${STATUS}`],
  LOGIN_REFUSED: [
    `the mail server refused the login: look at user and password in bridge\\.yaml(?: ${STATUS})?`,
  ],
  PROVIDER_REFUSED: [
    "(?:duckduckgo|searxng) takes no more searches for now: wait, or use another",
    "DuckDuckGo asks if a person searches: wait, or use SearXNG",
    "\\d{1,3} search engines did not answer SearXNG",
  ],
  NO_REASON: ["the bridge gives no reason"],
};

const PATTERNS = new Map(
  Object.entries(SENTENCES).map(([code, all]) => [code, new RegExp(`^(?:${all.join("|")})$`)]),
);

export const isOwnFailure = (code: string, message: string): boolean =>
  PATTERNS.get(code)?.test(message) === true;
