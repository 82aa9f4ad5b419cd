import { describe, expect, it } from 'vitest';
import { findDifferences } from './translation.js';

const compare = (original: string, translation: string) =>
  findDifferences(original, translation, ['docs/a.md', 'docs/zh/a.md']);
const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

describe('findDifferences', () => {
  it.each([
    ['prose', '# Title\n\nProse.\n', '# 标题\n\n文字。\n\n又一段。\n'],
    ['comments after code', code('ts', 'let a; // One.'), code('ts', 'let a; // 一')],
    ['comments of several lines', code('ts', '/**\n * A.\n * B.\n */\nlet a;'), code('ts', '/** 甲 */\nlet a;')],
    [
      'comments in the middle',
      code('ts', 'f(1 /* one */, {\n  // Two.\n});'),
      code('ts', 'f(1 /* 一 */, {\n  // 二\n});'),
    ],
    ['comments of commands', code('sh', 'ls # all\n# then\nps'), code('sh', 'ls # 全部\nps')],
    ['comments of YAML', code('yaml', 'a: 1 # one'), code('yaml', 'a: 1 # 一')],
    ['headings inside code', code('sh', '# One\n## Two'), code('sh', '# 一')],
  ])('allows other %s', (_, original, translation) => {
    expect(compare(original, translation)).toEqual([]);
  });

  it.each([
    [
      'texts',
      code('ts', "log('// a');"),
      code('ts', "log('// b');"),
      'docs/zh/a.md:2: The code is not that of docs/a.md.',
    ],
    ['spaces', code('ts', 'f(1, 2);'), code('ts', 'f(1,2);'), 'docs/zh/a.md:2: The code is not that of docs/a.md.'],
    [
      'files',
      code('ts', '// a.ts\nf();'),
      code('ts', '// b.ts\nf();'),
      'docs/zh/a.md:2: The code is not that of docs/a.md.',
    ],
    ['tags', code('yaml', '{}'), code('json', '{}'), 'docs/zh/a.md:2: The code is not that of docs/a.md.'],
    [
      'diagrams',
      code('mermaid', 'flowchart LR'),
      code('mermaid', 'flowchart TD'),
      'docs/zh/a.md:2: The code is not that of docs/a.md.',
    ],
    ['numbers of blocks', code('sh', 'ls'), '', 'docs/zh/a.md: It has 0 blocks of code instead of 1.'],
    [
      'levels of headings',
      '# A\n\n## B\n',
      '# 甲\n\n### 乙\n',
      'docs/zh/a.md: The levels of its headings are 1 3 instead of 1 2.',
    ],
  ])('names other %s', (_, original, translation, difference) => {
    expect(compare(original, translation)).toEqual([difference]);
  });
});
