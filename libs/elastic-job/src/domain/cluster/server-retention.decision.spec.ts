import { describe, expect, it } from 'vitest';
import { decideRetention, type RetainedServer } from './server-retention.decision.js';

const NOW = 100_000;
const RETENTION_MS = 60_000;
const NOTHING = { departed: [], returned: [], expired: [] };

describe('a server of a job', () => {
  it('has departed once its last instance is gone, and stays known from then on', () => {
    expect(decide({ departedAt: undefined })).toEqual({ ...NOTHING, departed: ['10.0.0.1'] });
    expect(decide({ departedAt: NOW - 1 })).toEqual(NOTHING);
  });

  it('has returned with its first instance, if it had departed', () => {
    expect(decide({ isInUse: true, departedAt: NOW - RETENTION_MS })).toEqual({ ...NOTHING, returned: ['10.0.0.1'] });
    expect(decide({ isInUse: true, departedAt: undefined })).toEqual(NOTHING);
  });

  it('has expired after the whole time without an instance, and no sooner', () => {
    expect(decide({ departedAt: NOW - RETENTION_MS + 1 })).toEqual(NOTHING);
    expect(decide({ departedAt: NOW - RETENTION_MS })).toEqual({ ...NOTHING, expired: ['10.0.0.1'] });
  });

  it('has not expired as it departs, also where none is to be known for long', () => {
    expect(decideRetention([server({ departedAt: undefined })], NOW, 1)).toMatchObject({ expired: [] });
  });

  it.each([undefined, 0])('stays for ever if an operator has disabled it, departed at %s', (departedAt) => {
    expect(decide({ isEnabled: false, departedAt })).toEqual(NOTHING);
  });

  it('is judged apart from others', () => {
    const servers = [
      server({ serverIp: '10.0.0.1', departedAt: undefined }),
      server({ serverIp: '10.0.0.2', isInUse: true, departedAt: 0 }),
      server({ serverIp: '10.0.0.3', departedAt: 0 }),
      server({ serverIp: '10.0.0.4', departedAt: undefined }),
    ];
    expect(decideRetention(servers, NOW, RETENTION_MS)).toEqual({
      departed: ['10.0.0.1', '10.0.0.4'],
      returned: ['10.0.0.2'],
      expired: ['10.0.0.3'],
    });
  });
});

function server(told: Partial<RetainedServer>): RetainedServer {
  return { serverIp: '10.0.0.1', isEnabled: true, isInUse: false, departedAt: undefined, ...told };
}

function decide(told: Partial<RetainedServer>) {
  return decideRetention([server(told)], NOW, RETENTION_MS);
}
