import type { MessageRecord, RunResult } from "../result.js";
import type { NumberedEvent } from "./marks.js";
import { html, type Markup } from "./markup.js";
import { quoted, when } from "./table.js";

/** What the numbers in the charts stand for. */
export const eventsSection = (events: readonly NumberedEvent[]): Markup => html`
<section id="events"><h2>What happened</h2>
${events.length === 0 ? html`<p class="quiet">Nothing out of the ordinary.</p>` : html`<ol class="events">${events.map(eventItem)}</ol>`}
</section>`;

const eventItem = ({ number, at, by, text }: NumberedEvent): Markup =>
  html`
<li value="${number}"><span class="badge ${by}">${number}</span>${when(at)}<span>${by === "person" ? "the person: " : ""}${quoted(text)}</span></li>`;

/** Everything that was said, in the order of the record. */
export const messagesSection = ({ messages }: Pick<RunResult, "messages">): Markup => html`
<section><h2>Messages</h2>
${messages.length === 0 ? html`<p class="quiet">Nobody wrote anything.</p>` : html`<ol class="talk">${messages.map(messageItem)}</ol>`}
</section>`;

const messageItem = ({ at, from, text }: MessageRecord): Markup => html`
<li class="${from}"><p class="who">${from} ${when(at)}</p><p>${quoted(text)}</p></li>`;
