import { JobFailure } from "../adapter.js";

/** What nodemailer says of a failure. Its message has the server's words, so nobody is shown it. */
export interface SmtpError extends Error {
  readonly code?: string;
  /** The system's own code, if `code` is nodemailer's. */
  readonly originalCode?: string;
  /** The server's reply, if it gave one (RFC 5321, 4.2). */
  readonly responseCode?: number;
  readonly command?: string;
}

const REFUSED: Readonly<Record<string, { readonly code: string; readonly what: string }>> = {
  "RCPT TO": { code: "RECIPIENT_REFUSED", what: "refused this recipient" },
  "MAIL FROM": { code: "SENDER_REFUSED", what: "refused the sender: look at `from` in bridge.yaml" },
};

/** `isWhole`: the server may have got all of the mail, and so may have taken it. */
export function smtpFailure(
  error: SmtpError,
  { isWhole, isLate }: { isWhole: boolean; isLate: boolean },
): JobFailure {
  const { code = "", originalCode, responseCode } = error;
  // a reply settles it; only one with which the server hangs up may come before it has looked at the mail
  if (responseCode !== undefined && !(code === "ECONNECTION" && isWhole)) return replied(error, responseCode);
  const outcome = isWhole ? "unknown" : "failed";
  if (isLate || code === "ETIMEDOUT")
    return new JobFailure("TOO_SLOW", "the mail server took too long to answer", outcome);
  if (code === "EAUTH") return new JobFailure("LOGIN_REFUSED", LOGIN);
  return unreachable(code, originalCode ?? code) ?? new JobFailure("CUT_OFF", CUT_OFF, outcome);
}

/** Undefined if there was a connection. */
function unreachable(code: string, system: string): JobFailure | undefined {
  if (code === "ETLS" || /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO/.test(system))
    return new JobFailure("TLS_FAILED", `this computer does not trust the mail server's TLS (${system})`);
  if (code === "EDNS" || /^(ENOTFOUND|EAI_AGAIN)$/.test(system))
    return new JobFailure("UNREACHABLE", "the name of the mail server cannot be looked up");
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(system))
    return new JobFailure("UNREACHABLE", `the mail server cannot be reached (${system})`);
  return undefined;
}

const CUT_OFF = "the connection to the mail server ended in the middle";
const LOGIN = "the mail server refused the login: look at user and password in bridge.yaml";

function replied({ code, command = "" }: SmtpError, reply: number): JobFailure {
  if (reply < 500) {
    const what = `the mail server says to try again later (${reply}): in ten minutes, for example`;
    return new JobFailure("TRY_LATER", what);
  }
  if (code === "EAUTH") return new JobFailure("LOGIN_REFUSED", `${LOGIN} (${reply})`);
  if (command === "STARTTLS" || code === "ETLS")
    return new JobFailure("TLS_FAILED", `the mail server has no STARTTLS (${reply}): nothing was sent`);
  const { code: refused, what } = REFUSED[command] ?? { code: "MAIL_REFUSED", what: "refused the mail" };
  return new JobFailure(refused, `the mail server ${what} (${reply})`);
}
