import { readFile } from 'node:fs/promises';
import { ConsoleProblem } from '../contract/index.js';

const DOCUMENT = new URL('./openapi.json', import.meta.url);

/** The text of `openapi.json`, which the build writes beside this file. @throws {ConsoleProblem} 404 */
export async function packedDocument(): Promise<string> {
  try {
    return await readFile(DOCUMENT, 'utf8');
  } catch {
    throw new ConsoleProblem(404, 'UNKNOWN_ROUTE', 'The document is written when the package is built.');
  }
}
