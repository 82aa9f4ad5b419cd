import { describe, expect, it } from 'vitest';
import { piecesOf, visibleText, wholeText } from './unseen.js';

const STACK = '\n Error: no bank\r\n\tat pay\u202e\n';

describe('a text of the registry', () => {
  it('shows what nobody would see by its code', () => {
    expect(visibleText('pay\u202eroll\u0000 \u200b\u{e0041}\ufeff')).toBe('payU+202ErollU+0000 U+200BU+E0041U+FEFF');
  });

  it('keeps letters of all scripts, and marks that belong to them', () => {
    expect(piecesOf('结算 zahlung é 🚀')).toEqual([{ text: '结算 zahlung é 🚀', isCode: false }]);
  });

  it('shows line feeds and tabs of a name by their codes: no name has any', () => {
    expect(visibleText('a\r\n\tb')).toBe('aU+000DU+000AU+0009b');
  });

  it('is its first line in a place of one line, and says that there are more', () => {
    expect(visibleText(STACK, 'first')).toBe('Error: no bank …');
    expect(visibleText('Error:\tno bank\n', 'first')).toBe('Error: no bank');
    expect(visibleText('', 'first')).toBe('');
  });

  it('keeps its lines in a place of several', () => {
    expect(piecesOf('a\r\n\tb', 'all')).toEqual([{ text: 'a\n\tb', isCode: false }]);
  });

  it('shows what nobody would see in each of them', () => {
    expect(visibleText('no\u202e bank\u0000\rx\ny', 'first')).toBe('noU+202E bankU+0000U+000Dx …');
    expect(visibleText('no\u202e bank\u0000\n\u2028', 'all')).toBe('noU+202E bankU+0000\nU+2028');
  });

  it('is the whole in a title, if it is not too long for one', () => {
    expect(wholeText(STACK)).toBe('Error: no bank\n\tat payU+202E');
    expect(wholeText('x'.repeat(5_000))).toBe(`${'x'.repeat(2_000)} …`);
  });
});
