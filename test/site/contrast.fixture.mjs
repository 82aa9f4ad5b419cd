// Runs in a page of the site: layout.spec.ts gives it to the browser by its path.

/** Least ratios of WCAG 2.2, AA: for texts, and for those of 24 px, or of 18.66 px in bold. */
const LEAST = { usual: 4.5, large: 3 };

// A colour on its way to another one would be measured.
document.addEventListener('DOMContentLoaded', () => {
  document.head.append(
    Object.assign(document.createElement('style'), { textContent: '* { transition: none !important }' }),
  );
});

/** Texts of the page that stand out too little from their ground, one line for each pair of colours. */
globalThis.findFaintTexts = () => {
  const faults = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === '' || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    // The ground of a text in a drawing is a shape, which is no background.
    if (element.closest('svg, script, style') !== null) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const isLarge = parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
    const ground = groundOf(element);
    const ratio = contrastOf(blend(parse(color), ground), ground);
    if (ratio >= (isLarge ? LEAST.large : LEAST.usual)) continue;
    const colours = `${color} on ${ground.slice(0, 3).join(' ')}`;
    faults.set(colours, `${colours} has a contrast of ${ratio.toFixed(2)}: ${text.data.trim().slice(0, 40)}`);
  }
  return [...faults.values()];
};

/** The colour behind an element, from all backgrounds up to an opaque one. */
function groundOf(element) {
  if (element === null) return [255, 255, 255, 1];
  const own = parse(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own : blend(own, groundOf(element.parentElement));
}

function parse(color) {
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return [red, green, blue, alpha];
}

function blend([red, green, blue, alpha], ground) {
  return [...[red, green, blue].map((value, index) => value * alpha + ground[index] * (1 - alpha)), 1];
}

function contrastOf(one, other) {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(color) {
  const [red, green, blue] = color.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
