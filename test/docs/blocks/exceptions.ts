import { type Block, originalOf } from './blocks.js';

/**
 * A block that is not checked as others of its language are. The exception also holds for the translation of the page.
 */
export interface Exception {
  readonly page: string;
  readonly language: string;
  /** The beginning of its text; without it, all blocks of that language on the page. */
  readonly begins?: string;
  /** `run`: code is still compiled, and commands are parsed. `check`: nothing is done. */
  readonly without: 'run' | 'check';
  readonly reason: string;
  /** The spec or command that runs it instead. */
  readonly by?: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    page: 'README.md',
    language: 'ts',
    without: 'run',
    reason: 'The page is run section after section, as processes of its own over a real ZooKeeper.',
    by: 'test/docs/readme/examples.spec.ts',
  },
  {
    page: 'README.md',
    language: 'sh',
    begins: 'docker run --detach --rm --name zookeeper --publish 2181:2181 zookeeper:3.9',
    without: 'run',
    reason:
      'Not every machine has a Docker engine and a free port 2181: the server of test/support/zookeeper stands for it.',
  },
  ...['README.md', 'docs/operate/console.md'].map((page) => ({
    page,
    language: 'sh',
    begins: 'npm ci && npm start',
    without: 'run' as const,
    reason: 'It is for a clone of the repository.',
    by: 'test/console/start.spec.ts',
  })),
  {
    page: 'README.md',
    language: 'sh',
    begins: 'npm ci && npm run demo',
    without: 'run',
    reason: 'It is for a clone of the repository; .ci/run runs the demo.',
  },
  {
    page: 'README.md',
    language: 'sh',
    begins: 'npm ci && npm test',
    without: 'run',
    reason: 'It is for a clone of the repository; .ci/run runs the tests, of which this is one.',
  },
  {
    page: 'docs/production/several-applications.md',
    language: 'ts',
    without: 'check',
    reason: "It is a monorepo with a path alias, which Nest's own command builds.",
    by: 'test/docs/applications.spec.ts',
  },
  {
    page: 'docs/cloud.md',
    language: 'ts',
    without: 'run',
    reason: 'LocalProcesses starts a file of the built package, which is not built here.',
    by: 'test/cloud/module/cloud-module.spec.ts',
  },
  {
    page: 'docs/features/worker-threads.md',
    language: 'ts',
    without: 'run',
    reason: 'A thread loads the JavaScript that a build makes of the file, and there is none here.',
    by: 'test/nest/isolation.spec.ts',
  },
  ...['pg', 'typeorm', 'drizzle'].map((name) => ({
    page: `docs/recipes/${name}.md`,
    language: 'ts',
    without: 'run' as const,
    reason: 'It writes to a PostgreSQL, which npm run test:databases starts.',
    by: 'test/databases/recipes.spec.ts',
  })),
  {
    page: 'docs/test/jest.md',
    language: 'ts',
    begins: '// src/invoice.spec.ts',
    without: 'check',
    reason: 'Jest runs it, in a project of Nest 11; the workspace has neither.',
    by: 'test/consumers/rows/nest-new.ts',
  },
  {
    page: 'docs/test/jest.md',
    language: 'ts',
    begins: '// test/app.e2e-spec.ts',
    without: 'check',
    reason: 'As above.',
    by: 'test/consumers/rows/nest-new.ts',
  },
  {
    page: 'docs/architecture.md',
    language: 'text',
    without: 'check',
    reason: 'A tree of classes, drawn in letters.',
  },
];

/** The exception that holds for a block. */
export function exceptionFor(block: Pick<Block, 'page' | 'language' | 'text'>): Exception | undefined {
  return EXCEPTIONS.find(
    ({ page, language, begins = '' }) =>
      page === originalOf(block.page) && language === block.language && block.text.startsWith(begins),
  );
}
