import { Window } from 'happy-dom';

let loading: Promise<typeof import('mermaid').default> | undefined;

/** Loads Mermaid, which needs the window of a browser while it is loaded, but not for parsing. */
async function load(): Promise<typeof import('mermaid').default> {
  const window = new Window();
  Object.assign(globalThis, { window, document: window.document });
  try {
    return (await import('mermaid')).default;
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
    Reflect.deleteProperty(globalThis, 'document');
  }
}

/** Parses a diagram as Mermaid does before it draws. The layout is not checked. */
export async function findDiagramFault(text: string): Promise<string | undefined> {
  const mermaid = await (loading ??= load());
  return mermaid.parse(text).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}
