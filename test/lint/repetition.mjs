// The rule that loops which repeat what has failed stand in the room `repeat` alone, as a plugin of oxlint.

/** Loops that end by a condition. A loop over a collection does each thing once, and may note what has failed. */
const LOOPS = new Set(['DoWhileStatement', 'ForStatement', 'WhileStatement']);
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression']);
const ENDS = new Set(['BreakStatement', 'ReturnStatement', 'ThrowStatement']);

const message =
  'A loop awaits something and catches its failure. Repeat it by `repeat`, a reconciler or `keepRounds` of the room ' +
  '`repeat`, which have a signal and pauses.';

/** True if a loop goes on after the failure: the handler does not just end it. */
function goesOn({ body }) {
  return body.body.length !== 1 || !ENDS.has(body.body[0].type);
}

/** True if the promise is one of `promise.catch(...)`. */
function isCaught(promise) {
  return (
    promise.type === 'CallExpression' &&
    promise.callee.type === 'MemberExpression' &&
    promise.callee.property.name === 'catch'
  );
}

/** The loop that goes on after the awaited promise has failed, if there is one. */
function loopAround(awaited) {
  let isHandled = isCaught(awaited.argument);
  for (let node = awaited; node.parent && !FUNCTIONS.has(node.parent.type); node = node.parent) {
    const { parent } = node;
    if (parent.type === 'TryStatement' && parent.block === node && parent.handler && goesOn(parent.handler)) {
      isHandled = true;
    }
    if (isHandled && LOOPS.has(parent.type) && parent.init !== node) return parent;
  }
  return undefined;
}

const outside = {
  create: ({ report }) => {
    const reported = new Set();
    return {
      AwaitExpression(node) {
        const loop = loopAround(node);
        if (loop === undefined || reported.has(loop)) return;
        reported.add(loop);
        report({ node: loop, message });
      },
    };
  },
};

export default { meta: { name: 'repetition' }, rules: { outside } };
