/**
 * The nodes of a job, as a dump tells them: secrets and addresses are hidden by the console. It is read once, and again
 * when somebody asks. Nodes are made when their parent is opened, and long lists piece by piece.
 */
import './tree.css';
import { computed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { apiPath, getText, useReading } from '../api/index.js';
import { Look, Panel, Read } from '../parts/index.js';
import { session } from '../state/index.js';
import { clockTime, HERE, language, Text, visibleText } from '../text/index.js';
import { tree as en, type TreeTexts } from '../text/en/tree.js';
import { tree as zh } from '../text/zh/tree.js';
import { type JobTree, type TreeNode, treeOf } from './nodes.js';

const words = computed<TreeTexts>(() => (language.value === 'zh' ? zh : en));
/** Most nodes of a list that are shown at once. */
const PIECE = 200;
/** A tree of more nodes is closed at first, and cannot be opened as a whole. */
const MOST_OPEN = 500;

export function Tree({ job }: { readonly job: string }) {
  const t = words.value;
  // Its nodes name jobs that are not there for who sees those of a prefix alone.
  if ((session.value?.jobPrefix ?? '') !== '') return <Look title={t.prefix} more={t.prefixMore} />;
  return <Dump job={job} />;
}

function Dump({ job }: { readonly job: string }) {
  const t = words.value;
  const dump = useReading(`dump ${job}`, (signal) => getText(apiPath('jobs', job, 'dump'), { signal }));
  const at = dump.at.value;
  return (
    <Panel
      title={t.title}
      beside={
        at > 0 && (
          <span class="dim">
            {t.asOf(clockTime(at, HERE))} {HERE}
          </span>
        )
      }
      right={
        <>
          {dump.value.value !== undefined && <Copy name={t.copyAll} text={dump.value.value} />}
          <button type="button" class="btn small" onClick={dump.reload}>
            {t.again}
          </button>
        </>
      }
    >
      <Read of={dump} lines={8}>
        {(text) => <Nodes text={text} />}
      </Read>
    </Panel>
  );
}

function Nodes({ text }: { readonly text: string }) {
  const t = words.value;
  const { isCut, nodes } = useMemo<JobTree>(() => treeOf(text), [text]);
  const count = nodes.reduce((sum, { below }) => sum + below + 1, 0);
  const [all, setAll] = useState({ isOpen: count <= MOST_OPEN, times: 0 });
  const put = (isOpen: boolean) => setAll({ isOpen, times: all.times + 1 });
  return (
    <div class="tree">
      {isCut && <p class="told warn">{t.cut}</p>}
      <div class="tree-head">
        <span class="hint">
          {t.children(count)} · {t.hidden}
        </span>
        {count <= MOST_OPEN && (
          <button type="button" class="btn small" onClick={() => put(true)}>
            {t.open}
          </button>
        )}
        <button type="button" class="btn small" onClick={() => put(false)}>
          {t.close}
        </button>
      </div>
      <NodeList key={all.times} nodes={nodes} isOpen={all.isOpen} />
    </div>
  );
}

interface NodeListProps {
  readonly nodes: readonly TreeNode[];
  /** If their children are shown at first. */
  readonly isOpen: boolean;
}

function NodeList({ isOpen, nodes }: NodeListProps) {
  const [most, setMost] = useState(PIECE);
  const left = nodes.length - most;
  return (
    <ul>
      {nodes.slice(0, most).map((node) => (
        <NodeItem key={node.path} node={node} isOpen={isOpen} />
      ))}
      {left > 0 && (
        <li>
          <button type="button" class="btn small" onClick={() => setMost(most + PIECE)}>
            {words.value.more(Math.min(left, PIECE))}
          </button>
        </li>
      )}
    </ul>
  );
}

function NodeItem({ isOpen: isOpenAtFirst, node }: { readonly node: TreeNode; readonly isOpen: boolean }) {
  const t = words.value;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { below, children, name, path, value } = node;
  const hasLines = value.includes('\n');
  return (
    <li>
      <div class="node">
        {children.length === 0 ? (
          <span class="node-name mono">
            <Text>{name}</Text>
          </span>
        ) : (
          <button type="button" class="node-name mono" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span aria-hidden="true" class="node-mark">
              {isOpen ? '▾' : '▸'}
            </span>
            <Text>{name}</Text>
          </button>
        )}
        <span class="node-value">
          {children.length > 0 && <span class="faint small">{t.children(below)} </span>}
          {!hasLines && (
            <code>
              <Text>{value}</Text>
            </code>
          )}
        </span>
        <Copy name={t.copy(visibleText(path))} text={`${path} | ${value}`} isSmall />
      </div>
      {hasLines && (
        <pre class="node-lines mono">
          <Text lines="all">{value}</Text>
        </pre>
      )}
      {children.length > 0 && isOpen && <NodeList nodes={children} isOpen={isOpenAtFirst} />}
    </li>
  );
}

interface CopyProps {
  readonly name: string;
  readonly text: string;
  /** Shows a sign alone. */
  readonly isSmall?: boolean;
}

/** Browsers copy for pages that came over HTTPS, or from this host; elsewhere the text can be marked. */
function Copy({ isSmall = false, name, text }: CopyProps) {
  const t = words.value;
  const [told, setTold] = useState<string>();
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return null;
  const copy = async () => {
    setTold(
      await clipboard.writeText(text).then(
        () => t.copied,
        () => t.copyFailed,
      ),
    );
    setTimeout(() => setTold(undefined), 2_000);
  };
  return (
    <button type="button" class={`btn small${isSmall ? ' bare copy' : ''}`} title={name} onClick={() => void copy()}>
      {isSmall ? (
        <>
          <CopyIcon isDone={told === t.copied} />
          <span class="unshown">{name}</span>
        </>
      ) : (
        name
      )}
      <span class={isSmall ? 'unshown' : ''} role="status">
        {told !== undefined && told}
      </span>
    </button>
  );
}

function CopyIcon({ isDone }: { readonly isDone: boolean }) {
  return (
    <svg class="copy-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={isDone ? 'M3 8.500l3.500 3.500L13 4.500' : 'M6 6h7v7H6zM3 10V3h7'} />
    </svg>
  );
}
