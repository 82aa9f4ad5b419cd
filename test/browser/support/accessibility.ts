import axe from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Findings of axe on a page, by WCAG 2.2 AA and by its best practices, in lines. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // The policy of the page lets no script in; that of the debugger is not asked.
  await page.evaluate(axe.source);
  const violations: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ help, id, nodes }) =>
    nodes.map(({ failureSummary = '', target }) => `${id}: ${help} ${target.join(' ')} ${failureSummary}`),
  );
}
