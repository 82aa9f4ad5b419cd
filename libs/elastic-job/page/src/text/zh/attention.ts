import type { attention as english } from '../en/attention.js';

export const attention: typeof english = {
  failed: { name: '失败', means: '分片项的上一次运行最终失败了。' },
  queued: { name: '等待失效转移', means: '死亡实例的分片项在等待其他实例接管。' },
  'no-owner': { name: '无归属', means: '分片项不属于任何存活的实例，不会运行。' },
  'no-leader': { name: '无主节点', means: '没有实例是作业的主节点，不会重新分片，也不会接管。' },
  disabled: { name: '已禁用', means: '到了触发时间也不会运行。' },
  crashed: { name: '已崩溃', means: '在有实例启动之前，什么都不会运行。' },
  overdue: { name: '逾期', means: '触发时间已过一分钟，仍没有开始。' },
  mixed: { name: '与 Java 不一致', means: '作业的某些配置，Java 实例不认识。' },
  unreadable: { name: '配置不可读', means: '配置无法读取，之前已知的配置仍然有效。' },
  unreachable: { name: '无权读取', means: '注册中心不让控制台读取该作业的节点。' },
  'task-unreachable': { name: '任务失联', means: '没有人知道分片项的任务是否仍在运行。' },
};
