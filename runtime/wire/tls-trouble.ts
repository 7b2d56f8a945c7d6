import { z } from "zod";

/** What is wrong with key and certificate of the TLS port: as values, and in English for whoever shows it. */

const file = z.string();
const day = z.iso.date();

const tlsProblem = z.discriminatedUnion("is", [
  z.object({ is: z.literal("unreadable"), file, code: z.string() }),
  z.object({ is: z.literal("open_to_all"), file }),
  z.object({ is: z.literal("wrong_key"), file, certificate: z.string() }),
  z.object({ is: z.literal("no_certificate"), file }),
  z.object({ is: z.literal("no_key"), file }),
  z.object({ is: z.literal("encrypted_key"), file }),
  z.object({ is: z.literal("unusable"), file, certificate: z.string(), reason: z.string() }),
  z.object({ is: z.literal("not_yet_valid"), day }),
  z.object({ is: z.literal("expired"), day }),
  z.object({ is: z.literal("expires_soon"), day }),
  z.object({ is: z.literal("other"), reason: z.string().describe("what the system says") }),
]);
export type TlsProblem = z.output<typeof tlsProblem>;

export const tlsTrouble = z.object({
  problem: tlsProblem,
  serves: z.enum(["nothing", "earlier", "this"]).describe("which certificate the port serves"),
});
export type TlsTrouble = z.output<typeof tlsTrouble>;

const NEXT = "Correct that: it is looked at again every minute, and the plain port serves meanwhile";

export function tlsTroubleWords({ problem, serves }: TlsTrouble): string {
  const words = tlsProblemWords(problem);
  if (serves === "this") return words;
  const state = serves === "earlier" ? "the earlier certificate still serves" : "TLS is not served";
  return `${state}: ${words}. ${NEXT} (TLS_FAILED)`;
}

export function tlsProblemWords(problem: TlsProblem): string {
  switch (problem.is) {
    case "unreadable":
      return `${problem.file} cannot be read (${problem.code})`;
    case "open_to_all":
      return `${problem.file} is open to every user; run: chmod o-rwx ${problem.file}`;
    case "wrong_key":
      return `${problem.file} is not the key of the first certificate in ${problem.certificate}`;
    case "no_certificate":
      return `${problem.file} holds no certificate in PEM form`;
    case "no_key":
      return `${problem.file} holds no private key in PEM form`;
    case "encrypted_key":
      return `${problem.file} is protected by a passphrase`;
    case "unusable":
      return `${problem.certificate} and ${problem.file} cannot be used: ${problem.reason}`;
    case "not_yet_valid":
      return `the certificate is not valid before ${problem.day}`;
    case "expired":
      return `the certificate expired on ${problem.day}: renew it; agents that know the key go on`;
    case "expires_soon":
      return `the certificate expires on ${problem.day}: renew it`;
    case "other":
      return problem.reason;
  }
}
