import { describe, expect, it } from 'vitest';
import { followMisfire, type MisfirePolicy, misfirePolicyOf } from './misfire-policy.js';

describe('what is caught up on', () => {
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
