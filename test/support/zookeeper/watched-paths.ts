import { fourLetter } from './four-letter.js';

/** Paths at and below a namespace that a server on a loopback port watches for its clients. */
export async function watchedPaths(server: string, namespace: string): Promise<readonly string[]> {
  const port = Number(server.split(':').at(-1));
  const text = await fourLetter(port, 'wchp', 10_000);
  return text.split('\n').filter((line) => line.startsWith(`/${namespace}`));
}
