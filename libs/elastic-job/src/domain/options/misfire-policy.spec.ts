import { describe, expect, it } from 'vitest';
import {
  findMisfireFault,
  followMisfire,
  type MisfireOptions,
  type MisfirePolicy,
  misfirePolicyOf,
  resolveMisfire,
} from './misfire-policy.js';

describe('what is caught up on', () => {
  it.each<[Partial<MisfireOptions>, boolean, MisfirePolicy]>([
    [{}, true, 'once'],
    [{ misfire: true }, true, 'once'],
    [{ misfire: false }, false, 'skip'],
    [{ misfirePolicy: 'skip' }, false, 'skip'],
    [{ misfirePolicy: 'once' }, true, 'once'],
    [{ misfirePolicy: 'all' }, true, 'all'],
  ])('follows from the setting that is given: %o', (given, misfire, misfirePolicy) => {
    expect(resolveMisfire(given)).toEqual({ misfire, misfirePolicy });
  });

  it.each<[boolean, MisfirePolicy, string | undefined]>([
    [true, 'once', undefined],
    [true, 'all', undefined],
    [false, 'skip', undefined],
    [true, 'skip', 'misfirePolicy "skip" contradicts misfire true; leave misfire out, or set it to false'],
    [false, 'all', 'misfirePolicy "all" contradicts misfire false; leave misfire out, or set it to true'],
  ])('is refused if misfire %s and the policy %s contradict each other', (misfire, misfirePolicy, fault) => {
    expect(findMisfireFault({ misfire, misfirePolicy })).toBe(fault);
  });

  it('is no contradiction if one of the two is no setting at all', () => {
    const options: MisfireOptions = { misfire: true, misfirePolicy: 'skip' };
    expect(findMisfireFault(Object.assign({ ...options }, { misfirePolicy: 'never', misfire: false }))).toBeUndefined();
    expect(findMisfireFault(Object.assign({ ...options }, { misfire: 'yes' }))).toBeUndefined();
  });

  it.each<[string, Parameters<typeof followMisfire>, ReturnType<typeof followMisfire>]>([
    ['nothing', [{ misfirePolicy: 'all' }, {}], {}],
    ['the policy', [{ misfirePolicy: 'once' }, { misfirePolicy: 'skip' }], { misfire: undefined }],
    ['the policy back to its default', [{ misfirePolicy: 'all' }, { misfirePolicy: null }], { misfire: undefined }],
    ['misfire to false', [{ misfirePolicy: 'all' }, { misfire: false }], { misfirePolicy: 'skip' }],
    ['misfire to true', [{ misfirePolicy: 'skip' }, { misfire: true }], { misfirePolicy: 'once' }],
    ['misfire to what the policy says', [{ misfirePolicy: 'all' }, { misfire: true }], { misfirePolicy: 'all' }],
    ['misfire back to its default', [{ misfirePolicy: 'skip' }, { misfire: null }], { misfirePolicy: 'once' }],
  ])('stays in itself if %s is changed', (_, [current, changes], follows) => {
    const changed = followMisfire(current, changes);
    expect(changed).toStrictEqual(follows);
  });

  it.each<[boolean, MisfirePolicy | undefined, MisfirePolicy]>([
    [false, 'all', 'skip'],
    [false, undefined, 'skip'],
    [true, undefined, 'once'],
    [true, 'skip', 'once'],
    [true, 'once', 'once'],
    [true, 'all', 'all'],
  ])('goes by misfire where Java writes misfire %s beside the policy %s', (misfire, policy, meant) => {
    expect(misfirePolicyOf(misfire, policy)).toBe(meant);
  });
});
