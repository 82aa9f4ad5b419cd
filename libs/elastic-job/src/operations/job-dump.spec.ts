import { describe, expect, it } from 'vitest';
import { addressHider } from './job-dump.js';

describe('addresses in a dump', () => {
  // Output of ElasticJob 3.0.4's SensitiveInfoUtils for the same texts.
  it('are hidden as in Java', () => {
    expect(
      [
        '/j/instances/10.0.0.10@-@1 | jobInstanceId: 10.0.0.10@-@1',
        '/j/instances/10.0.0.1@-@1 | 10.0.0.1 10.0.0.25',
        'x | 999.1.1.1 256.256.256.256 192.168.100.200 1.2.3.4.5.6.7.8',
        '10.0.0.10 and 10.0.0.1 01.02.03.04',
      ].map(addressHider()),
    ).toEqual([
      '/j/instances/ip1@-@1 | jobInstanceId: ip1@-@1',
      '/j/instances/ip2@-@1 | ip2 ip3',
      'x | 9ip4 256.256.256.256 ip5 ip6.ip7',
      'ip1 and ip2 01.02.03.04',
    ]);
  });

  it('are hidden if they are of IPv6, which Java does not have', () => {
    expect(
      [
        '/j/instances/fd00::2@-@7-1a | jobInstanceId: fd00::2@-@7-1a',
        '/j/servers/2001:db8:0:1:2:3:4:5 | fd00::2',
        '/j/config | cron: 0 0 12:30:45 a::b:: 1:2:3 jobName::item dead:beef',
      ].map(addressHider()),
    ).toEqual([
      '/j/instances/ip1@-@7-1a | jobInstanceId: ip1@-@7-1a',
      '/j/servers/ip2 | ip1',
      '/j/config | cron: 0 0 12:30:45 a::b:: 1:2:3 jobName::item dead:beef',
    ]);
  });
});
