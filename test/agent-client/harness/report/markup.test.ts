import t from "tap";
import { html, Markup } from "../../../../agent-client/harness/report/markup.js";

t.test("text cannot become markup, neither between tags nor within an attribute", async (t) => {
  const text = `"><script>alert('&')</script>`;
  t.equal(
    html`<a title="${text}">${text}</a>`.toString(),
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
  );
});

t.test("markup within markup stays as it is, also in lists", async (t) => {
  const items = ["<", "b"].map((text) => html`<li>${text}</li>`);
  t.equal(html`<ol>${items}${3}</ol>`.toString(), "<ol><li>&lt;</li><li>b</li>3</ol>");
  t.equal(html`${new Markup("<hr/>")}`.toString(), "<hr/>");
});

t.test("what no XML document may hold is replaced, visibly; line breaks and tabs stay", async (t) => {
  t.equal(html`${"a\u0000b\u001b[31mc\ud800d\uFFFFe"}`.toString(), "a\uFFFDb\uFFFD[31mc\uFFFDd\uFFFDe");
  t.equal(html`${"a\n\tb 🌱"}`.toString(), "a\n\tb 🌱");
});
