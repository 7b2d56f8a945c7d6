import type { ServerResponse } from "node:http";

/**
 * What every answer tells a browser. A route that needs something else says so in its own headers, which win.
 * Sources: W3C CSP Level 3, Permissions Policy and Referrer Policy; WHATWG Fetch (nosniff, CORP), WHATWG HTML (COOP).
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  // our own files and our own wire; no inline code, no frames, nothing from elsewhere
  "Content-Security-Policy": [
    "default-src 'none'",
    ...["script", "style", "img", "font", "connect", "manifest"].map((kind) => `${kind}-src 'self'`),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  // a signed photo link must not travel on to other sites
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}
