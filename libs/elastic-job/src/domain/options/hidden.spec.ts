import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hiddenProps, HiddenText } from './hidden.js';

describe('a hidden value', () => {
  it('is shown by no text, JSON or log, and given to code that asks for it', () => {
    const password = new HiddenText('s3cret');

    expect([String(password), JSON.stringify({ password })]).toEqual(['hidden', '{"password":"hidden"}']);
    expect(inspect({ password }, { showHidden: true, depth: 5 })).not.toContain('s3cret');
    expect(password.reveal()).toBe('s3cret');
  });
});

describe('the props of a job', () => {
  it('are shown by their names in a log, and read by any code', () => {
    const props = hiddenProps({ 'http.token': 's3cret', user: 'me' });

    expect(inspect(props)).toBe("{ 'http.token': 'hidden', user: 'hidden' }");
    expect({ ...props }).toEqual({ 'http.token': 's3cret', user: 'me' });
    expect(Object.keys(props)).toEqual(['http.token', 'user']);
  });

  it.each<Record<string, string>>([{}, { user: 'me' }])('cannot be changed by a handler: %j', (given) => {
    expect(Object.isFrozen(hiddenProps(given))).toBe(true);
  });
});
