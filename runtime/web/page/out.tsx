import { useShared } from "./context.tsx";

/** For a browser without a session: how to get one. */
export function Out({ trouble }: { readonly trouble: string }) {
  const { words, view } = useShared();
  return (
    <section class="card out">
      <h1>{words.outTitle}</h1>
      {trouble !== "" && (
        <p class="note fault" role="alert">
          {words.linkFailed} <span lang="en">{trouble}</span>
        </p>
      )}
      <p>{view.isEnded ? words.outEnded : words.outWhy}</p>
      <p>
        {words.outHow} <code>tendril open</code> {words.outThen}
      </p>
    </section>
  );
}
