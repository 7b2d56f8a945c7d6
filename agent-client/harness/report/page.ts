import { html, Markup } from "./markup.js";

/** A self-contained page. Its policy forbids requests and scripts, whatever its texts contain. */
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

/**
 * Colours after Okabe and Ito, "Color Universal Design" (2008), which differ with any kind of colour vision. Lighter variants
 * on a dark ground; paper uses the colours of the light page.
 */
const COLOURS = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f5f6f4;--ink:#1c211e;--quiet:#5a635d;--rule:#dfe3df;--grid:#e6e9e6;
--blue:#0072b2;--sky:#56b4e9;--green:#009e73;--vermilion:#d55e00;--orange:#e69f00;--purple:#a8447f;--sun:#f2df6b;--faint:#e3b55a}
@media screen and (prefers-color-scheme:dark){:root{--ground:#141816;--raised:#1e2421;--ink:#e4e9e5;--quiet:#9aa59e;--rule:#333b36;--grid:#29302c;
--blue:#56b4e9;--sky:#2f7fb5;--green:#2fbf93;--vermilion:#ff7f3a;--orange:#f0b53c;--purple:#e08fc0;--sun:#6d6224;--faint:#8a6a22}}`;

const TEXT = `
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
main,footer{max-width:1080px;margin:0 auto;padding:0 24px}
header{padding-top:28px}
h1{font-size:30px;line-height:1.2;margin:0 0 8px}
h2{font-size:20px;line-height:1.3;margin:40px 0 10px;padding-top:12px;border-top:1px solid var(--rule)}
p{margin:0 0 10px;max-width:75ch}
.verdict{font-size:19px}
.species,.quiet,li time,footer{color:var(--quiet)}
.species{font-weight:400;font-style:italic;font-size:16px}
time{white-space:nowrap}
.quoted{white-space:pre-wrap;overflow-wrap:anywhere}
code{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
a{color:var(--blue)}
footer{margin-top:40px;padding-bottom:32px;font-size:14px}`;

const TABLES = `
table{border-collapse:collapse;margin:0 0 16px;font-size:15px}
th,td{text-align:left;vertical-align:top;padding:5px 20px 5px 0;border-bottom:1px solid var(--rule)}
th{font-weight:400}
tr>:last-child{padding-right:0}
thead th{color:var(--quiet);font-size:13px}
tfoot th,tfoot td{font-weight:600;border-bottom:0}
.figures{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(124px,1fr));gap:10px 16px;margin:0 0 16px}
.facts div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
.facts dt{font-size:13px;color:var(--quiet)}
.facts dd{margin:0;font-size:18px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
.late,.never{color:var(--vermilion);font-weight:600}`;

/** The left margin has the numbers of the axes. */
const CHARTS = `
.chart{margin:16px 0 8px}
.panel{margin:0 16px 10px 40px}
.panel>svg{display:block;width:100%;overflow:visible}
.panel-head{display:flex;flex-wrap:wrap;gap:0 16px;margin:0 0 5px;max-width:none;font-size:13px;line-height:1.5}
.panel-head b{font-weight:600}
.key{color:var(--quiet)}
.swatch{vertical-align:-1px;margin-right:5px}
.grid{stroke:var(--grid);stroke-width:1;shape-rendering:crispEdges}
.axis{stroke:var(--quiet);stroke-width:1;shape-rendering:crispEdges}
.tick{font-size:11px;fill:var(--quiet);font-variant-numeric:tabular-nums}
.line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.moisture,.hydration{stroke:var(--blue)}
.reading{stroke:var(--faint);stroke-width:4}
.unread{fill:var(--quiet);opacity:.16}
.vigour{stroke:var(--purple);stroke-dasharray:5 3;stroke-linecap:butt}
.temperature{stroke:var(--quiet);stroke-width:1}
.good{fill:var(--green);opacity:.2}
.arrived{fill:var(--blue)}
.lost{fill:var(--vermilion)}
.lamp{fill:var(--orange)}
.daylight{fill:var(--sun)}
.completed{stroke:var(--sky);stroke-linecap:butt;stroke-width:1}
.incomplete{stroke:var(--vermilion);stroke-linecap:butt}
.event{stroke:var(--ink);stroke-width:1;opacity:.55}
line.person{stroke-dasharray:2 3}
.mark{font-size:11px;font-weight:600;fill:var(--ink)}
.mark.person{font-style:italic}`;

const STORY = `
.events,.talk{list-style:none;margin:0;padding:0}
.events li{display:flex;gap:10px;align-items:baseline;margin-bottom:5px}
.badge{flex:none;min-width:24px;padding:0 5px;text-align:center;font-size:12px;font-weight:600;line-height:18px;background:var(--ink);color:var(--ground);border:1px solid var(--ink);border-radius:2px}
.badge.person{background:var(--ground);color:var(--ink);border-radius:9px}
.events time{flex:none;min-width:7em}
.talk li{max-width:640px;margin:0 0 10px;padding:8px 12px;background:var(--raised);border-left:3px solid var(--green);border-radius:3px}
.talk .person{margin-left:auto;border-color:var(--blue)}
.talk .runtime{border-color:var(--quiet)}
.talk p{margin:0}
.who{font-size:13px;font-weight:600}
.who time{font-weight:400;margin-left:6px}`;

const PAPER = `
@media print{body{font-size:11pt}main,footer{max-width:none;padding:0}h2{break-after:avoid}.chart,tr,.talk li,.events li{break-inside:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}`;

/** Contains no characters that need escaping. */
const STYLE = new Markup([COLOURS, TEXT, TABLES, CHARTS, STORY, PAPER].join(""));
