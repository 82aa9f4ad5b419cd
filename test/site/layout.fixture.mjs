// Runs in a page of the site: layout.spec.ts gives it to the browser by its path.

/** Pixels that a box may be exceeded by, since browsers round. */
const SLACK = 1;

/** Faults of the page as it is laid out now, one line each. */
globalThis.findLayoutFaults = ({ mayScroll }) => [
  ...findWideParts(),
  ...findWideTables(mayScroll),
  ...findWideLabels(),
];

/** True once the page has a theme, and each diagram its colours. */
globalThis.isDrawn = (theme) =>
  document.documentElement.classList.contains('dark') === (theme === 'dark') &&
  [...document.querySelectorAll('.vp-doc .diagram')].every((diagram) => diagram.dataset.theme === theme);

function findWideParts() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) return [`the page is ${scrollWidth} px wide in ${clientWidth}`];
  // A part that a parent cuts off does not make the page wider.
  const cut = [...document.querySelectorAll('.vp-doc *:not(svg *)')].find(
    (part) => part.getBoundingClientRect().right > clientWidth + SLACK && scrollerOf(part.parentElement) === undefined,
  );
  return cut === undefined ? [] : [`<${cut.localName}> is cut at the edge: ${shorten(cut.textContent)}`];
}

function findWideTables(mayScroll) {
  return [...document.querySelectorAll('.vp-doc table')].flatMap((table) => {
    const column = table.parentElement.clientWidth;
    const width = Math.max(table.scrollWidth, Math.ceil(table.getBoundingClientRect().width));
    if (width <= column + SLACK || (mayScroll && scrollerOf(table) !== undefined)) return [];
    return [`a table is ${width} px wide in ${column}: ${shorten(table.textContent)}`];
  });
}

function findWideLabels() {
  return [...document.querySelectorAll('.vp-doc figure svg')].flatMap((svg) => {
    const labels = [...svg.querySelectorAll('foreignObject > *, text')].filter(
      (label) => label.textContent.trim() !== '',
    );
    return labels.flatMap((label) => {
      const fault = boxesOf(label, svg).find((box) => !isWithin(rectOf(label), box.getBoundingClientRect()));
      if (fault === undefined) return [];
      const [inner, outer] = [rectOf(label), fault.getBoundingClientRect()].map(({ width, height }) =>
        [width, height].map(Math.round).join(' × '),
      );
      return [`a label of ${inner} px leaves its <${fault.localName}> of ${outer}: ${shorten(label.textContent)}`];
    });
  });
}

/** Boxes that a label must lie in: the drawing, the place that was kept for it, and the shapes that it stands in. */
function boxesOf(label, svg) {
  const shape = label.closest('.node')?.querySelector('.label-container, rect, path, circle, polygon');
  const beside = [...label.parentElement.children].filter((one) => one.localName === 'rect' && isAround(one, label));
  const kept = label.parentElement.localName === 'foreignObject' ? [label.parentElement] : [];
  return [svg, ...kept, ...(shape ? [shape] : []), ...beside];
}

function isAround(rect, label) {
  const { left, right, top, bottom } = rect.getBoundingClientRect();
  const inner = rectOf(label);
  const [x, y] = [(inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2];
  return left < x && x < right && top < y && y < bottom;
}

function rectOf(label) {
  const range = document.createRange();
  range.selectNodeContents(label);
  const [text, own] = [range.getBoundingClientRect(), label.getBoundingClientRect()];
  return own.height > text.height ? own : text;
}

function isWithin(inner, outer) {
  return (
    inner.left >= outer.left - SLACK &&
    inner.right <= outer.right + SLACK &&
    inner.top >= outer.top - SLACK &&
    inner.bottom <= outer.bottom + SLACK
  );
}

/** The nearest ancestor, or the element itself, that scrolls sideways. */
function scrollerOf(element) {
  for (let one = element; one !== null && !one.matches('.vp-doc'); one = one.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(one).overflowX)) return one;
  }
  return undefined;
}

function shorten(text) {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
}
