import { admin, bearing, change, gate, refusalOf, request, statusOf } from '@test/support/unit/console-gate.js';
import { describe, expect, it } from 'vitest';

describe('a URL', () => {
  it.each(['token', 'password', 'access_token', 'ACCESS_TOKEN', '%74oken', 'api_key', 'authorization', 'session'])(
    'with %s is refused: it says where that belongs, and does not repeat it (A20)',
    async (name) => {
      const { identities } = gate();
      const asked = request(bearing(admin.token), { url: `/api/v1/jobs?q=a&${name}=hunter2` });
      const problem = await refusalOf(identities.authenticate(asked));

      expect(problem).toMatchObject({ status: 400, code: 'INVALID_ARGUMENT' });
      expect(problem.facts.fields?.[0]?.problem).toMatch(/^belongs in the /);
      expect(JSON.stringify([problem.message, problem.facts])).not.toContain('hunter2');
      expect(
        await statusOf(
          identities.logIn(change({}, { url: `/api/v1/session?${name}=x` }), { name: 'a', password: 'b' }),
        ),
      ).toContain('400');
    },
  );

  it('may have any other query', async () => {
    const asked = request(bearing(admin.token), { url: '/api/v1/jobs?q=token&status=OK&cursor=a%' });
    expect(await gate().identities.authenticate(asked)).toBeDefined();
  });
});
