import { describe, expect, it } from 'vitest';
import { guardProps, LOCAL_TARGET, ORIGIN_TARGET, originOf, type PropTargets } from './prop-targets.js';

const COMMANDS = ['/opt/settle.sh'];
const TARGETS: PropTargets = {
  'script.command.line': { among: 'commands', targetOf: (line) => line.split(' ')[0] },
  'http.uri': ORIGIN_TARGET,
  'http.method': { partOf: 'http.uri' },
  'http.data': { partOf: 'http.uri' },
  'dingtalk.secret': LOCAL_TARGET,
};
const ALLOWED = { commands: COMMANDS, origins: ['https://settle.example.org'] };

describe('props of the registry', () => {
  it('decide whatever is no target', () => {
    const guarded = guardProps({ limit: 'a' }, { limit: 'b', more: 'c' }, TARGETS, {});
    expect(guarded).toEqual({ props: { limit: 'b', more: 'c' }, refused: [] });
  });

  it.each([
    ['script.command.line', '/opt/settle.sh --all', '/bin/sh -c id'],
    ['http.uri', 'https://settle.example.org/now', 'https://settle.example.org.evil.example/now'],
    ['http.uri', 'https://settle.example.org', 'http://settle.example.org'],
    ['http.uri', 'https://settle.example.org:443/', 'https://settle.example.org:444/'],
    ['http.uri', 'HTTPS://settle.example.org/', 'file:///etc/passwd'],
  ])('decide %s if it is %j, and not if it is %j', (name, allowed, other) => {
    expect(guardProps({ [name]: 'ours' }, { [name]: allowed }, TARGETS, ALLOWED)).toEqual({
      props: { [name]: allowed },
      refused: [],
    });
    expect(guardProps({ [name]: 'ours' }, { [name]: other }, TARGETS, ALLOWED)).toEqual({
      props: { [name]: 'ours' },
      refused: [name],
    });
  });

  it.each([
    ['another address', 'https://theirs.example'],
    ['the same address', 'https://ours.example/settle'],
    ['no address', undefined],
  ])('decide no part of a request with %s of an origin that is not allowed', (_, uri) => {
    const local = { 'http.uri': 'https://ours.example/settle', 'http.method': 'GET', 'http.data': 'ours' };
    const stored = { 'http.method': 'DELETE', ...(uri !== undefined && { 'http.uri': uri }) };
    const { props, refused } = guardProps(local, stored, TARGETS, ALLOWED);
    expect(props).toEqual(local);
    expect(refused).toContain('http.method');
  });

  it('decide the parts of a request, also that there is none, with an address of an allowed origin', () => {
    const local = { 'http.uri': 'https://ours.example/settle', 'http.method': 'POST', 'http.data': 'ours' };
    const stored = { 'http.uri': 'https://settle.example.org/', 'http.method': 'GET' };
    expect(guardProps(local, stored, TARGETS, ALLOWED)).toEqual({ props: stored, refused: [] });
    expect(guardProps(stored, { ...stored, 'http.method': 'DELETE' }, TARGETS, ALLOWED)).toEqual({
      props: { ...stored, 'http.method': 'DELETE' },
      refused: [],
    });
  });

  it('decide no part whose whole is unknown', () => {
    expect(
      guardProps({}, { 'http.uri': 'x', 'http.data': 'b' }, { 'http.data': { partOf: 'http.uri' } }, ALLOWED),
    ).toEqual({ props: { 'http.uri': 'x' }, refused: ['http.data'] });
  });

  it('never decide a secret, nor remove it', () => {
    const local = { 'dingtalk.secret': 'ours' };
    expect(guardProps(local, { 'dingtalk.secret': 'theirs' }, TARGETS, ALLOWED)).toEqual({
      props: local,
      refused: ['dingtalk.secret'],
    });
    expect(guardProps(local, {}, TARGETS, ALLOWED)).toEqual({ props: local, refused: [] });
  });

  it('add no target that the process lacks', () => {
    expect(guardProps({}, { 'http.uri': 'https://evil.example' }, TARGETS, {})).toStrictEqual({
      props: {},
      refused: ['http.uri'],
    });
  });

  it('remove no target of the process, and may name it again', () => {
    const local = { 'script.command.line': '/opt/report.sh' };
    expect(guardProps(local, {}, TARGETS, ALLOWED)).toEqual({ props: local, refused: [] });
    expect(guardProps(local, { ...local, more: 'c' }, TARGETS, {})).toEqual({
      props: { ...local, more: 'c' },
      refused: [],
    });
  });
});

it.each([
  ['https://example.org/a?b#c', 'https://example.org'],
  ['http://user:secret@example.org:8080/', 'http://example.org:8080'],
  ['ftp://example.org', undefined],
  ['blob:https://example.org/a', undefined],
  ['example.org', undefined],
  ['', undefined],
])('the origin of %j is %j', (text, origin) => expect(originOf(text)).toBe(origin));
