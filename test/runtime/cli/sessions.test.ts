import t from "tap";
import { pageHere } from "../../../runtime/cli/sessions.js";

t.test("the link for this computer names an address that a browser here can open", async (t) => {
  t.equal(pageHere("ws://127.0.0.1:8731/mcp"), "http://127.0.0.1:8731");
  t.equal(pageHere("ws://[::1]:8731/mcp"), "http://[::1]:8731");
  t.equal(pageHere("ws://0.0.0.0:8731/mcp"), "http://127.0.0.1:8731");
  t.equal(pageHere("ws://[::]:8731/mcp"), "http://127.0.0.1:8731");
  t.equal(pageHere("ws://192.168.1.5:80/mcp"), "http://192.168.1.5");
});
