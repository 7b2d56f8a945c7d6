import { html, type Markup } from "./markup.js";
import { STYLE } from "./style.js";

/**
 * A page of its own: the policy forbids it to ask for anything, and to run scripts, whatever its texts hold.
 */
export const page = (title: string, main: Markup, footer: Markup): string => `<!DOCTYPE html>
${html`<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<link rel="icon" href="data:,"/>
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>${main}</main>
<footer>${footer}</footer>
</body>
</html>`}
`;
