import type { attention as english } from '../en/attention.js';

export const attention: typeof english = {
  failed: { name: '失败', means: '分片的最后一次运行最终失败。' },
  queued: { name: '等待失效转移', means: '失效实例的分片在等待其他实例接管。' },
  'no-owner': { name: '无归属', means: '分片不属于任何存活的实例，不会运行。' },
  'no-leader': { name: '无主节点', means: '没有实例主持该作业，不会重新分片或接管。' },
  disabled: { name: '已禁用', means: '到点不会运行。' },
  crashed: { name: '已宕机', means: '实例启动前不会运行。' },
  overdue: { name: '逾期', means: '触发时间已过一分钟，仍未开始。' },
  mixed: { name: '与 Java 不一致', means: 'Java 实例不认识该作业的全部设置。' },
  unreadable: { name: '不可读', means: '设置无法读取，沿用之前已知的设置。' },
  unreachable: { name: '不可达', means: '控制台无权读取该作业的节点。' },
  'task-unreachable': { name: '任务失联', means: '不知道分片的任务是否仍在运行。' },
};
