import type { RunResult } from "../result.js";
import { alarmsSection } from "./alarms.js";
import { cyclesSection } from "./cycles.js";
import { html, type Markup } from "./markup.js";
import { page } from "./page.js";
import { plantSection } from "./plant-section.js";
import { refusalsSection } from "./refusals.js";
import { scoreSection } from "./score-section.js";
import { stageOf } from "./stage.js";
import { eventsSection, messagesSection } from "./story.js";
import { verdict } from "./verdict.js";

/**
 * A run as one HTML file for people. It needs no script, asks for nothing from anywhere, and is the same to the byte
 * for the same result.
 * @throws where a time is none, or the hourly lists of a plant are not of one length.
 */
export function renderReport(result: RunResult): string {
  const stage = stageOf(result);
  return page(
    `${result.scenario.title}: ${result.model}`,
    html`${head(result)}
${scoreSection(result)}
${result.plants.map((plant, index) => plantSection(plant, stage, `plant-${index + 1}`))}
${eventsSection(stage.events)}
${alarmsSection(result)}
${cyclesSection(result, stage)}
${refusalsSection(result)}
${messagesSection(result)}`,
    html`<p>Times are UTC. Everything on this page, and more, is in <a href="report.json">report.json</a>, which lies beside it.</p>`,
  );
}

const head = (result: RunResult): Markup => html`
<header><h1>${result.scenario.title}</h1>
<p class="verdict">${verdict(result)}</p>
${paragraphs(result.scenario.story)}
</header>`;

const paragraphs = (text: string): Markup[] =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => html`<p>${part.trim()}</p>`);
