import { BUILT_INS } from '@test/support/unit/built-in-props.js';
import { describe, expect, it } from 'vitest';
import { type PropTargets, targetsAmong } from '../../domain/index.js';
import { assertTargetsAllowed, KNOWN_TARGETS } from './targets.js';

const TARGETS = { targets: {}, allowed: { commands: ['/opt/settle.sh'], origins: ['https://settle.example'] } };

describe('assertTargetsAllowed', () => {
  it('knows every prop of the package that decides what runs', () => {
    const known = Object.values(BUILT_INS).flatMap(({ classes }) => Object.entries(targetsAmong(classes)));
    expect(Object.keys(KNOWN_TARGETS).toSorted()).toEqual(known.map(([name]) => name).toSorted());
    const judgedBy = (targets: PropTargets) =>
      Object.entries(targets).map(([name, { among, partOf }]) => [name, among, partOf]);
    expect(judgedBy(KNOWN_TARGETS)).toEqual(expect.arrayContaining(judgedBy(Object.fromEntries(known))));
  });

  it.each([
    [{ 'script.command.line': '/bin/sh -c id' }],
    [{ 'script.command.line': '"/opt/settle.sh" id' }],
    [{ 'http.uri': 'http://169.254.169.254/latest/meta-data', 'http.method': 'GET' }],
    [{ 'http.uri': 'https://settle.example.evil.example/' }],
    [{ 'http.uri': 'https://settle.example@evil.example/' }],
    [{ 'webhook.url': 'https://evil.example/' }],
    [{ 'email.to': 'mallory@evil.example' }],
    [{ 'dingtalk.secret': 'x' }],
  ])('refuses %o', (props) => {
    expect(() => assertTargetsAllowed({}, { props }, TARGETS)).toThrow(
      expect.objectContaining({
        status: 403,
        code: 'TARGET_NOT_ALLOWED',
        facts: expect.objectContaining({ option: 'allowRegistryTargets' }),
      }),
    );
  });

  it.each([
    [{ 'script.command.line': '/opt/settle.sh --all' }],
    [{ 'http.uri': 'https://settle.example/run', 'http.method': 'POST', 'http.data': 'x' }],
    [{ 'http.read.timeout.milliseconds': '5000' }],
    [{ 'streaming.process': 'true' }],
  ])('lets %o through', (props) => {
    expect(() => assertTargetsAllowed({}, { props }, TARGETS)).not.toThrow();
  });

  it('lets a target stay that was there, and another prop change', () => {
    const before = { 'script.command.line': '/usr/bin/report', region: 'eu' };
    expect(() => assertTargetsAllowed(before, { props: { ...before, region: 'us' } }, TARGETS)).not.toThrow();
  });

  it('refuses another body for an address that is not allowed', () => {
    const before = { 'http.uri': 'https://other.example/', 'http.data': 'a' };
    expect(() => assertTargetsAllowed(before, { props: { ...before, 'http.data': 'b' } }, TARGETS)).toThrow(
      'decide what runs',
    );
  });

  it('judges the targets of the application as well', () => {
    const targets = { 'mine.url': {} };
    expect(() => assertTargetsAllowed({}, { props: { 'mine.url': 'x' } }, { ...TARGETS, targets })).toThrow(
      'decide what runs',
    );
  });
});
