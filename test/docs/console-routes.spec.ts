import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONSOLE_ROUTES } from '../../libs/elastic-job/src/console/index.js';

/** Routes as a page's table has them: method and path, role, status, and what each does. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| (`(?:GET|POST|PATCH|DELETE) \/.*) \|$/gm);
  return [...rows].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

const ROUTES = CONSOLE_ROUTES.map(({ beyondPrefix, method, path, role, status, summary }) => [
  `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
  role + (beyondPrefix === true ? ' †' : ''),
  String(status),
  summary.replace(/\.$/, ''),
]);

it('the page of the console has each route with its role and what it does', () => {
  expect(rowsOf('docs/operate/console.md')).toEqual(ROUTES);
});

it('the Chinese page of the console has the same routes and roles', () => {
  const withoutSummary = (rows: readonly (readonly string[])[]) => rows.map((row) => row.slice(0, 3));
  expect(withoutSummary(rowsOf('docs/zh/operate/console.md'))).toEqual(withoutSummary(ROUTES));
});
