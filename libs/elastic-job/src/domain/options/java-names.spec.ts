import { describe, expect, it } from 'vitest';
import { isJavaErrorHandlerType, isJavaThreadPoolSizeType, isJavaTimeZone } from './java-names.js';

describe('names that every Java instance knows', () => {
  it.each(['LOG', 'IGNORE', 'THROW', 'EMAIL', 'WECHAT', 'DINGTALK', 'log'])('are error handlers such as %s', (type) => {
    expect(isJavaErrorHandlerType(type)).toBe(true);
  });

  it.each(['CPU', 'SINGLE_THREAD', 'cpu'])('are thread pool sizes such as %s', (type) => {
    expect(isJavaThreadPoolSizeType(type)).toBe(true);
  });

  it('are not those that only an instance of ours has', () => {
    expect([isJavaErrorHandlerType('pager'), isJavaThreadPoolSizeType('4')]).toEqual([false, false]);
  });

  it('are time zones by their distance from GMT', () => {
    expect([isJavaTimeZone('GMT+08:00'), isJavaTimeZone('Europe/Berlin')]).toEqual([true, false]);
  });
});
