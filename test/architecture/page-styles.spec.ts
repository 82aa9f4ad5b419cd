import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = 'libs/elastic-job/page/src';
const FILES = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((file) => !/^text.(en|zh)./.test(file));
const STYLES = textsOf(/\.css$/);
const COMPONENTS = textsOf(/\.tsx?$/);

/** Classes that a rule is about. */
const styled = new Set(STYLES.flatMap((css) => selectorsOf(css).match(/(?<=\.)[a-z][\w-]*/gi) ?? []));

describe('the styles of the page', () => {
  it('are for classes that a component gives', () => {
    const texts = COMPONENTS.flatMap((code) => code.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []);
    const words = new Set(texts.flatMap((text) => text.match(/[a-z][\w-]*/gi) ?? []));
    // A cell of a table has the class of its column.
    const isGiven = (name: string) => words.has(name) || (name.startsWith('cell-') && words.has(name.slice(5)));
    expect([...styled].filter((name) => !isGiven(name))).toEqual([]);
  });

  it('have a rule for each class that a component gives', () => {
    const given = COMPONENTS.flatMap((code) => [...code.matchAll(/\bclass(?:=|: )["']([^"']*)/g)]);
    expect(given.flatMap(([, names]) => names!.split(' ')).filter((name) => !styled.has(name))).toEqual([]);
  });

  // The style of a view that was shown stays, so its rules are about what the next view has.
  it('begin in one folder with a class, but for those of the parts that all views have', () => {
    const places = new Map<string, Set<string>>();
    for (const file of FILES.filter((name) => name.endsWith('.css') && !/^(?:frame|parts|style)\b/.test(name))) {
      const css = selectorsOf(readFileSync(`${PAGE}/${file}`, 'utf8'));
      for (const [, first] of css.matchAll(/(?:^|[\n,{}])\s*(\.[\w.-]+)/g)) {
        places.set(first!, (places.get(first!) ?? new Set()).add(file.split('/')[0]!));
      }
    }
    expect([...places].flatMap(([first, folders]) => (folders.size > 1 ? [[first, ...folders]] : []))).toEqual([]);
  });
});

function textsOf(name: RegExp): readonly string[] {
  return FILES.filter((file) => name.test(file)).map((file) => readFileSync(`${PAGE}/${file}`, 'utf8'));
}

/** The text without comments, and without what stands between the innermost braces. */
function selectorsOf(css: string): string {
  return css.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/\{[^{}]*\}/g, '');
}
