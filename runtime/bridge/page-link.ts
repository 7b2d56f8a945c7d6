import { z } from "zod";

/** Where the page is for whoever reads a letter. A link of one's own: it carries no token, and opening it does nothing. */
export const pageLink = z
  .url({ protocol: /^https?$/, error: "must be an address such as https://tendril.local:8732/" })
  .refine((link) => !/[?#@]/.test(link), {
    error: "must have no ?, # or @: a link in a letter carries no secret",
  });
