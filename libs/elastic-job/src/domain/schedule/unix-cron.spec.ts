import { describe, expect, it } from 'vitest';
import { CronSyntaxError } from './cron-field.js';
import { unixToQuartz } from './unix-cron.js';

describe('unixToQuartz', () => {
  it.each([
    ['*/5 * * * *', '0 */5 * * * ?'],
    ['* * * * * *', '* * * * * ?'],
    ['*/1 * * * *', '0 * * * * ?'],
    ['0 0-23/2 * * *', '0 0 */2 * * ?'],
    ['0 0/3 * * *', '0 0 */3 * * ?'],
    ['0 1-23/2 * * *', '0 0 1/2 * * ?'],
    ['0 */30 9-17 * * *', '0 */30 9-17 * * ?'],
    ['0 01 * * *', '0 0 1 * * ?'],
    ['0 0 1 */2 *', '0 0 0 1 */2 ?'],
    ['0 0 1 jan,JUL *', '0 0 0 1 1,7 ?'],
    ['0 0 * * 1-5', '0 0 0 ? * MON-FRI'],
    ['0 0 * * 6,0', '0 0 0 ? * SUN,SAT'],
    ['0 0 * * 5-7', '0 0 0 ? * SUN,FRI-SAT'],
    ['0 0 * * mon-wed,fri', '0 0 0 ? * MON-WED,FRI'],
    ['0 0 * * */2', '0 0 0 ? * SUN,TUE,THU,SAT'],
    ['0 0 * * 0-6', '0 0 0 * * ?'],
    ['0 0 1-31 * 7', '0 0 0 ? * SUN'],
    ['0 0 * * *,1', '0 0 0 * * ?'],
    ['*/70 * * * *', '0 0 * * * ?'],
    ['5-9/10 * * * *', '0 5 * * * ?'],
    ['5-9/4 * * * *', '0 5-9/4 * * * ?'],
    ['0-30/5 * * * *', '0 0-30/5 * * * ?'],
    ['10-20/5 * * * *', '0 10-20/5 * * * ?'],
    ['5-59/10 * * * *', '0 5/10 * * * ?'],
    ['5-59 * * * *', '0 5-59 * * * ?'],
    ['*/5  *   * * *', '0 */5 * * * ?'],
    ['@daily', '0 0 0 * * ?'],
    [' @Weekdays ', '0 0 0 ? * MON-FRI'],
  ])('translates %j to %j', (unix, quartz) => {
    expect(unixToQuartz(unix)).toBe(quartz);
  });

  it.each([
    ['0 0 1 * 1', /day of week: is restricted beside the day of month, which Quartz cannot say; make two jobs of it/],
    ['0 0 2 * * ? *', /has 7 fields, but a unix expression has 5 or 6/],
    ['0 0 * *', /has 4 fields/],
    ['60 * * * *', /minute: "60" is not 0 to 59/],
    ['0 0 * * 8', /day of week: "8" is not 0 to 7/],
    ['0 0 0 * *', /day of month: "0" is not 1 to 31/],
    ['0 22-2 * * *', /hour: "22-2" ends before it begins/],
    ['*/0 * * * *', /minute: the step of "\*\/0" is 0/],
    ['0 0 L * *', /day of month: "l" is not 1 to 31/],
    ['0 0 2 * * ?', /day of week: "\?" is no value, range or step/],
    ['0 0 * * mon#1', /day of week: "mon#1" is no value/],
    ['@often', /has 1 fields/],
  ])('refuses %j: %s', (unix, problem) => {
    expect(() => unixToQuartz(unix)).toThrow(CronSyntaxError);
    expect(() => unixToQuartz(unix)).toThrow(problem);
  });
});
