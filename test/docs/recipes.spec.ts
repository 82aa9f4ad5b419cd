import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBlocks } from './blocks/blocks.js';

const SOURCES = 'test/databases/recipes';
const RECIPES = readdirSync(SOURCES);

describe('docs/recipes', () => {
  it('has a page for each recipe that is run over a real database', () => {
    expect(readdirSync('docs/recipes').toSorted()).toEqual(RECIPES.map((name) => `${name}.md`).toSorted());
  });

  it.each(RECIPES)('%s.md shows the files that are run', (name) => {
    const page = readBlocks(`docs/recipes/${name}.md`);
    const shown = page.flatMap(({ language, text }) => (language === 'ts' ? [text] : []));
    const files = readdirSync(`${SOURCES}/${name}`).map((file) => readFileSync(`${SOURCES}/${name}/${file}`, 'utf8'));
    expect(shown.toSorted()).toEqual(
      files.map((text) => text.replaceAll('@app/elastic-job', 'nestjs-elastic-job')).toSorted(),
    );
  });
});
