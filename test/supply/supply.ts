// npm run supply [-- --write --root FOLDER]: checks the dependencies and the published files, after `npm run build`.
// `--write` lists the packed files in tarball-files.txt; look at it before you commit it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Finding, findTarballChanges, foldFiles } from './rules.js';
import { findInWorkspace, listTarball } from './workspace.js';

/** Without it there is nothing to publish. */
const ENTRY = 'dist/index.js';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    root: { type: 'string', default: fileURLToPath(new URL('../../', import.meta.url)) },
  },
});
const list = join(values.root, 'test/supply/tarball-files.txt');
const files = await listTarball(join(values.root, 'libs/elastic-job'));
if (values.write && files.includes(ENTRY)) writeFileSync(list, `${foldFiles(files).join('\n')}\n`);
const findings = [...findInWorkspace(values.root), ...findInTarball()];
for (const { rule, subject, problem } of findings) console.log(`${rule}: ${subject}: ${problem}`);
console.log(`${findings.length} findings, ${files.length} files in the tarball`);
process.exitCode = findings.length > 0 ? 1 : 0;

function findInTarball(): readonly Finding[] {
  if (!files.includes(ENTRY))
    return [{ rule: 'tarball', subject: ENTRY, problem: 'is not built; npm run build first' }];
  return findTarballChanges(files, readFileSync(list, 'utf8').split('\n').filter(Boolean));
}
