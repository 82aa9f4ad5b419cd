import { type ConsoleRequest, ConsoleProblem } from '../contract/index.js';

/** Where each of them belongs. Logs of proxies, histories of browsers and `Referer` have URLs. */
const PLACES: Readonly<Record<string, string>> = {
  token: 'the header "Authorization: Bearer"',
  access_token: 'the header "Authorization: Bearer"',
  api_key: 'the header "Authorization: Bearer"',
  authorization: 'the header "Authorization: Bearer"',
  password: 'the body of POST /session',
  session: 'the cookie that a log-in sets',
};
const PLACE_OF = new Map(Object.entries(PLACES));

/** Refuses a URL that has something secret, without repeating it. @throws {ConsoleProblem} 400 */
export function assertNoSecretInUrl({ url }: Pick<ConsoleRequest, 'url'>): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  for (const name of new URLSearchParams(url.slice(start)).keys()) {
    const place = PLACE_OF.get(name.toLowerCase());
    if (place === undefined) continue;
    throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'Nothing secret belongs in a URL. Replace what stood there.', {
      fields: [{ field: name.toLowerCase(), problem: `belongs in ${place}` }],
    });
  }
}
