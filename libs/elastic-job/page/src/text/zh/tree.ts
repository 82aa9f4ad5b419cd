import type { TreeTexts } from '../en/tree.js';

export const tree: TreeTexts = {
  title: '节点树',
  asOf: (time) => `读取于 ${time}`,
  again: '重新读取',
  copyAll: '复制全部',
  copy: (path) => `复制 ${path}`,
  copied: '已复制',
  copyFailed: '浏览器没有复制',
  open: '全部展开',
  close: '全部折叠',
  children: (count) => `${count.toLocaleString('zh-CN')} 个节点`,
  more: (count) => `再显示 ${count.toLocaleString('zh-CN')} 个`,
  hidden: '敏感信息已隐藏，地址显示为 ip1、ip2 等。',
  cut: '节点树太大，无法全部读取，以下是最前面的节点。',
  prefix: '节点含有其他作业的名称',
  prefixMore: '您只能看到某一前缀的作业，因此不显示任何节点树。',
};
