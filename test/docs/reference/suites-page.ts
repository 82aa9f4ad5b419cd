import { type Need, type Suite, SUITES } from '../../suites.js';
import { code, GENERATED, table } from './markdown.js';

/** A longer command has a block of its own below the tables. */
const MOST_COLUMNS = 85;

const NEEDS: Readonly<Record<Need, string>> = {
  zookeeper: "a ZooKeeper server that the suite starts itself: Debian's `zookeeper` and a Java runtime",
  java: "a JDK and Maven: Debian's `default-jdk-headless` and `maven`",
  postgresql: "PostgreSQL: Debian's `postgresql`",
  mariadb: "MariaDB: Debian's `mariadb-server`",
  chromium: "a browser: Debian's `chromium`",
  faketime: "processes with clocks of their own: Debian's `faketime`",
  spin: "the verifier of the model: Debian's `spin`, `gcc` and `libc6-dev`",
  prometheus: "Prometheus and promtool: Debian's `prometheus`, whose service is not started",
  npm: "npm's registry, from which packages are installed as users do it",
  history: 'earlier commits, so a clone with its whole history',
  build: 'the files that the suite `build` writes, which is therefore run before',
};

/** docs/project/suites.md: every suite of test/suites.ts. */
export function suitesPage(suites: readonly Suite[] = SUITES): string {
  const long = suites.filter(isLong);
  return [
    INTRODUCTION,
    '## In every run of CI',
    tableOf(suites.filter(({ always }) => always)),
    '## When their inputs have changed',
    tableOf(suites.filter(({ always }) => !always)),
    NOTES,
    '## Needs',
    table(
      ['Need', 'Is'],
      Object.entries(NEEDS).map(([need, text]) => [code(need), text]),
    ),
    '## Long commands',
    ...long.map(({ name, command }) => `### ${code(name)}\n\n\`\`\`sh\n${broken(command)}\n\`\`\``),
  ].join('\n\n');
}

function tableOf(suites: readonly Suite[]): string {
  const head = ['Suite', 'A green run shows', 'Command', 'Needs', 'Usual time'];
  const rows = suites.map((suite) => [
    code(suite.name),
    suite.shows,
    isLong(suite) ? `[below](#${suite.name})` : code(suite.command),
    suite.needs?.map(code).join(', ') ?? '',
    `${suite.seconds} s`,
  ]);
  if (!suites.some(({ onlyComputes }) => onlyComputes)) return table(head, rows);
  const withLast = rows.map((row, index) => [...row, suites[index]!.onlyComputes ? 'yes' : '']);
  return table([...head, 'Beside others'], withLast);
}

function isLong({ command }: Suite): boolean {
  return command.length > MOST_COLUMNS;
}

/** A command over several lines, of which each has a part that belongs together. */
function broken(command: string): string {
  return command.replaceAll(' && ', ' &&\n  ').replaceAll(/ (?=--import|test\/)/g, ' \\\n  ');
}

const INTRODUCTION = `# Suites

${GENERATED}

A suite is a command that ends green or not. \`test/suites.ts\` is the table of all of them, from which
\`npm run verify\` and CI run suites by their names. [Tests](tests.md) says when a suite is run.
[Commands](commands.md) has the options of single commands.

\`\`\`sh
npm run verify -- --list             # suites that would run, and the reason
npm run verify -- --only fuzz,cloud  # some suites
\`\`\``;

const NOTES = `The usual time is that of two processors at full speed. A suite with "yes" in the last column waits for
nothing. It runs beside the others, on the processor time that they leave.`;
