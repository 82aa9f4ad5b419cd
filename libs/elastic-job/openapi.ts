// npm run build:library: writes the description of the console's API beside the code that answers with it, once for
// each copy of the package.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerSchemas } from '@test/support/answer-schemas.js';
import { answerNames, openApiOf } from './src/console/index.js';

const { positionals } = parseArgs({ allowPositionals: true });
const MODULES = positionals[0] ?? 'libs/elastic-job/dist';

const { version }: { version: string } = JSON.parse(readFileSync('libs/elastic-job/package.json', 'utf8'));
const text = JSON.stringify(openApiOf(answerSchemas(answerNames()), version));

for (const copy of ['.', 'cjs']) {
  const path = join(MODULES, copy, 'console/api/openapi.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${text}\n`);
}
