import { randomBytes } from 'node:crypto';
import { type ConsoleAuthOptions, hashPassword, newToken } from '@app/elastic-job/console';
import { type Operator, OPERATORS } from './deeds.js';

/** People who may log in. Their passwords are made for one start, and kept nowhere. */
export interface Accounts {
  readonly auth: ConsoleAuthOptions;
  readonly passwords: Readonly<Record<'admin' | 'viewer', string>>;
  readonly tokenOf: (by: Operator) => string;
}

export async function makeAccounts(): Promise<Accounts> {
  const passwords = { admin: newPassword(), viewer: newPassword() };
  const tokens = new Map(OPERATORS.map((name) => [name, newToken()]));
  const [admin, viewer] = await Promise.all([hashPassword(passwords.admin), hashPassword(passwords.viewer)]);
  return {
    auth: {
      users: [
        { name: 'admin', role: 'admin', password: admin },
        { name: 'viewer', role: 'viewer', password: viewer },
      ],
      tokens: [...tokens].map(([name, { sha256 }]) => ({ name, role: 'admin', sha256 })),
    },
    passwords,
    tokenOf: (by) => tokens.get(by)!.token,
  };
}

/** 120 bits. */
function newPassword(): string {
  return randomBytes(15).toString('base64url');
}
