import { readFileSync } from "node:fs";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { CallRequest, ResourceContent, RuntimeApi, ToolListing } from "../../runtime/tools/host.js";
import { RateLimit } from "../../runtime/tools/rate-limit.js";
import { NO_BACKUPS, NO_DOCTOR } from "../runtime/server/fixture-host.js";

/** One red pixel, and a WAV file of no samples: the suite wants something of the type, not something to look at. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const audio = { type: "audio" as const, data: WAV, mimeType: "audio/wav" };
const text = (words: string) => ({ type: "text" as const, text: words });
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

type Content = CallToolResult["content"];

/** The suite's names for tools, each with what it has to answer. */
const CONTENT: Readonly<Record<string, Content>> = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource."),
  ],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data"}'),
  ],
};
const FAILING = "test_error_handling";
const PROGRESSING = "test_tool_with_progress";
const BINARY = "test://static-binary";

/** A schema of the keywords that a server must hand on untouched (SEP-1613, SEP-2106). */
const KEYWORDS_FILE = "test/fixtures/conformance/json-schema-2020-12.json";
const KEYWORDS = JSON.parse(readFileSync(KEYWORDS_FILE, "utf8")) as ToolListing["inputSchema"];

const listing = (
  name: string,
  inputSchema: ToolListing["inputSchema"] = { type: "object" },
): ToolListing => ({
  name,
  description: `the conformance suite's ${name}`,
  inputSchema,
  outputSchema: { type: "object" },
  title: name,
  annotations: { openWorldHint: false },
});

/** The part of the suite's fixture that a server of Tendril's kind can have: tools, and binary resources. */
export class ConformanceHost implements RuntimeApi {
  readonly meter = new RateLimit(100_000, new SystemClock());

  stopsBefore(): number {
    return 0;
  }

  isUrgent(): boolean {
    return false;
  }

  listTools(): readonly ToolListing[] {
    const plain = [...Object.keys(CONTENT), FAILING, PROGRESSING].map((name) => listing(name));
    return [...plain, listing("json_schema_2020_12_tool", KEYWORDS)];
  }

  async callTool({ name, progress }: CallRequest): Promise<CallToolResult> {
    if (name === FAILING)
      return { isError: true, content: [text("This tool intentionally returns an error for testing")] };
    if (name === PROGRESSING) {
      for (const done of [0, 50, 100]) progress(done, 100, `${done} of 100`);
      return { content: [text("done")], structuredContent: {} };
    }
    const content = CONTENT[name];
    if (content) return { content, structuredContent: {} };
    return { isError: true, content: [text(`there is no tool "${name}"`)] };
  }

  readonly resources = {
    list: async () => [{ uri: BINARY, name: "static binary", mimeType: "image/png" }],
    read: async (uri: string): Promise<ResourceContent | undefined> =>
      uri === BINARY ? { mimeType: "image/png", blob: PNG } : undefined,
    watch: () => () => undefined,
  };

  readonly routes = [];

  readonly backups = NO_BACKUPS;
  readonly doctor = NO_DOCTOR;
  readonly uploads = [];
  personOf = () => undefined;
  onErase = () => () => undefined;

  async switchEverythingOff(): Promise<void> {}

  health(): object {
    return { status: "ok" };
  }
}
