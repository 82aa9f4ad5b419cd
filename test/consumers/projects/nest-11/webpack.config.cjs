// All packages in one file, as for a function in a cloud.
module.exports = (options) => ({
  ...options,
  externals: [],
  output: { ...options.output, path: `${__dirname}/dist-webpack` },
});
