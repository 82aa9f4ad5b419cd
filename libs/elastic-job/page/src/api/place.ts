/** Where the page is: the server has written the path of the console into `<base>`, seen from the first URL. */
export const BASE = baseOf(document.baseURI);

/** The path of a view, such as `jobs/settle-orders`, as a link has it. The view of a job is that of its name. */
export function pathTo(...parts: readonly string[]): string {
  return BASE + parts.map(encodeURIComponent).join('/');
}

/** The URL of a route of the API, such as `/jobs`. */
export function urlOf(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const url = new URL(`${BASE}api/v1${path}`, location.origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/** A path of the API, of which each part is a text of the registry. */
export function apiPath(...parts: readonly (string | number)[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** A proxy may take `//` for `/`. For a browser, what stands behind it in a link is another host. */
export function baseOf(uri: string): string {
  return new URL('.', uri).pathname.replace(/^\/{2,}/, '/');
}
