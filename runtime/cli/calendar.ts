import { CommandError, WRONG_USE } from "./failure.js";
import { inLine } from "./print.js";
import type { Remote } from "./remote.js";

interface Link {
  readonly link_id: string;
  readonly user_id: string;
  readonly created_at: string;
}

export async function makeLink(remote: Remote, person: string | undefined): Promise<string> {
  const made = await remote.call<Link & { url: string }>("make_calendar_link", { user_id: person });
  const { url, user_id, link_id } = made;
  const advice = url.startsWith("https:")
    ? "Whoever has it reads the calendar."
    : "It opens on this computer only: over the network, set up TLS and write https:// and the TLS port instead.";
  return [url, `the calendar of ${inLine(user_id)}, link ${link_id}. It is shown this once. ${advice}`].join(
    "\n",
  );
}

export async function links(remote: Remote): Promise<string> {
  const { links: all } = await remote.call<{ links: readonly (Link & { by: string })[] }>(
    "list_calendar_links",
  );
  if (all.length === 0) return "there is no link to a calendar";
  return all
    .map((each) => `${each.link_id}  of ${inLine(each.user_id)}, made ${each.created_at} by ${each.by}`)
    .join("\n");
}

/** `name`: the beginning of the link's id. */
export async function revokeLink(remote: Remote, name: string): Promise<string> {
  const { links: all } = await remote.call<{ links: readonly Link[] }>("list_calendar_links");
  const [found, ...others] = all.filter(({ link_id }) => link_id.startsWith(name));
  if (found === undefined || others.length > 0)
    throw new CommandError(`${found ? "more than one" : "no"} link begins with "${name}"`, WRONG_USE);
  await remote.call("revoke_calendar_link", { link_id: found.link_id });
  return `revoked: it opens the calendar of ${inLine(found.user_id)} no more`;
}
