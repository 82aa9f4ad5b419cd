// Nest's own command builds no ES modules with webpack.
import webpack from 'webpack';
import nodeExternals from 'webpack-node-externals';

/** Packages that Nest loads only if an application has them. */
const NESTS_OPTIONAL = /^(@nestjs\/(microservices|websockets|platform-)|class-transformer)/;

const swc = {
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
  target: 'es2022',
};

const common = {
  mode: 'production',
  entry: './src/main.ts',
  target: 'node20',
  devtool: false,
  optimization: { minimize: false },
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  module: { rules: [{ test: /\.ts$/, loader: 'swc-loader', options: { jsc: swc } }] },
};

const output = (filename) => ({ path: `${import.meta.dirname}/dist-webpack`, filename });

export default [
  { ...common, externals: [nodeExternals()], externalsPresets: { node: true }, output: output('externals.cjs') },
  {
    ...common,
    plugins: [new webpack.IgnorePlugin({ resourceRegExp: NESTS_OPTIONAL })],
    output: output('bundled.cjs'),
  },
];
